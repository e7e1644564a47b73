# The tests of the conversions, once for each MPI library: one rank each, without a launcher.
if(NOT MPJ_MPI OR MPJ_SANITIZE MATCHES "thread")
  return()
endif()
set(alone CK_FORK=no ASAN_OPTIONS=detect_leaks=0)
foreach(mpi mpich openmpi)
  if(NOT TARGET mpj_mpi_${mpi})
    continue()
  endif()
  foreach(name types parts ops)
    mpj_add_test(mpi_${name}_${mpi} SOURCES mpi/test_${name}.c mpi/random_mpi.c mpi/compare.c
      LABELS mpi LIBS mpj_test_types mpj_mpi_${mpi})
    # MPI does not survive a fork; its own leaks are not ours.
    set_tests_properties(mpi_${name}_${mpi} PROPERTIES ENVIRONMENT "${alone}")
  endforeach()
  add_test(NAME mpi_types_to_${mpi} COMMAND mpi_types_${mpi} to)
  set_tests_properties(mpi_types_to_${mpi} PROPERTIES LABELS mpi TIMEOUT 360 ENVIRONMENT "${alone}")
endforeach()

# Jobs of each MPI's launcher. mpi_job(NAME MPI RANKS program args...)
function(mpi_job name mpi ranks)
  add_test(NAME mpi_${name}_${mpi}_${ranks}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/launch.sh ${mpi} ${ranks} ${ARGN})
  set_tests_properties(mpi_${name}_${mpi}_${ranks} PROPERTIES LABELS mpi TIMEOUT 110
    SKIP_RETURN_CODE 77 ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0;MPJ_STALL_REPORT_S=20")
endfunction()
# mpi_program(NAME MPI f...): a program of an MPI that sees the internal names.
function(mpi_program name mpi)
  add_executable(${name}_${mpi} ${ARGN})
  target_link_libraries(${name}_${mpi} PRIVATE mpj_mpi_${mpi} mpj_internal)
  target_include_directories(${name}_${mpi} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
endfunction()
foreach(mpi mpich openmpi)
  if(NOT TARGET mpj_mpi_${mpi})
    continue()
  endif()
  mpi_program(mpi_comms ${mpi} mpi/comms.c)
  foreach(ranks 1 2 3 4 9) # and communicators of every size up to it
    mpi_job(comms ${mpi} ${ranks} $<TARGET_FILE:mpi_comms_${mpi}> mpi)
  endforeach()
  mpi_job(comms_many ${mpi} 2 $<TARGET_FILE:mpi_comms_${mpi}> mpj many)
  mpi_job(comms_started ${mpi} 2 $<TARGET_FILE:mpi_comms_${mpi}> started)
endforeach()
