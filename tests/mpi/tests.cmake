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
  set_tests_properties(mpi_${name}_${mpi}_${ranks} PROPERTIES LABELS mpi TIMEOUT 300
    SKIP_RETURN_CODE 77 ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0;MPJ_STALL_REPORT_S=20")
endfunction()
# mpi_program(NAME MPI f...): a program of an MPI that sees the internal names.
function(mpi_program name mpi)
  add_executable(${name}_${mpi} ${ARGN})
  target_link_libraries(${name}_${mpi} PRIVATE mpj_mpi_${mpi} mpj_test_types mpj_internal)
  target_include_directories(${name}_${mpi} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
endfunction()
foreach(mpi mpich openmpi)
  if(NOT TARGET mpj_mpi_${mpi})
    continue()
  endif()
  mpi_program(mpi_comms ${mpi} mpi/comms.c)
  add_executable(mpi_boot_${mpi} mpi/boot.c) # by the shared libraries, as users have them
  string(TOUPPER MPJ_${mpi} prefix)
  target_link_libraries(mpi_boot_${mpi} PRIVATE mpj-mpi-${mpi} mpj_flags PkgConfig::${prefix})
  foreach(ranks 1 2 4 9) # and communicators of every size up to it
    mpi_job(comms ${mpi} ${ranks} $<TARGET_FILE:mpi_comms_${mpi}> mpi)
  endforeach()
  mpi_job(comms_many ${mpi} 2 $<TARGET_FILE:mpi_comms_${mpi}> mpj many)
  mpi_job(comms_started ${mpi} 2 $<TARGET_FILE:mpi_comms_${mpi}> started)
  foreach(how auto mpi single)
    mpi_job(boot_${how} ${mpi} 2 $<TARGET_FILE:mpi_boot_${mpi}> ${how})
  endforeach()
endforeach()

# Random programs under the interposer. With a sanitizer, whose library must come first, they are
# linked with it instead.
function(mpi_interposed mpi)
  add_executable(mpi_interposed_${mpi} mpi/interposed.c mpi/interposed_move.c
    mpi/interposed_reduce.c mpi/tiled_mpi.c)
  set(library $<TARGET_FILE:mpj-interpose-${mpi}>)
  if(MPJ_SANITIZE)
    set(library linked)
    target_link_libraries(mpi_interposed_${mpi} PRIVATE mpj-interpose-${mpi})
  endif()
  string(TOUPPER MPJ_${mpi} prefix)
  target_link_libraries(mpi_interposed_${mpi} PRIVATE mpj_flags PkgConfig::${prefix})
  target_include_directories(mpi_interposed_${mpi} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  add_dependencies(mpi_interposed_${mpi} mpj-interpose-${mpi})
  set(run ${CMAKE_CURRENT_SOURCE_DIR}/mpi/interposed.sh ${mpi})
  foreach(job "1 1 20" "2 100 20" "3 200 12" "4 300 4" "8 400 2")
    separate_arguments(job)
    list(POP_FRONT job ranks)
    if(MPJ_SANITIZE AND ranks GREATER 4)
      continue()
    endif()
    add_test(NAME mpi_interposed_${mpi}_${ranks}
      COMMAND ${run} ${ranks} ${library} $<TARGET_FILE:mpi_interposed_${mpi}> ${job})
    set_tests_properties(mpi_interposed_${mpi}_${ranks} PROPERTIES LABELS mpi TIMEOUT 300
      SKIP_RETURN_CODE 77 ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
  endforeach()
  foreach(ranks 1 2 3 4 5 6 7 8 9)
    mpj_add_soak(mpi_interposed_${mpi}_${ranks}
      COMMAND ${run} ${ranks} ${library} $<TARGET_FILE:mpi_interposed_${mpi}> ${ranks}000 230)
  endforeach()
endfunction()
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi})
    mpi_interposed(${mpi})
  endif()
endforeach()

# Programs of others, unmodified. They are not instrumented: no sanitizer sees them.
if(TARGET mpj-interpose-mpich AND NOT MPJ_SANITIZE)
  set(run ${CMAKE_CURRENT_SOURCE_DIR}/mpi/scalapack.sh $<TARGET_FILE:mpj-interpose-mpich>)
  foreach(name xdlu xdqr)
    add_test(NAME mpi_scalapack_${name} COMMAND ${run} ${name} short)
    set_tests_properties(mpi_scalapack_${name} PROPERTIES LABELS mpi TIMEOUT 300 SKIP_RETURN_CODE 77)
  endforeach()
  foreach(name xdlu xdqr xdtrd xzgsep)
    mpj_add_soak(mpi_scalapack_${name} COMMAND ${run} ${name})
  endforeach()
endif()
if(TARGET mpj-interpose-openmpi AND NOT MPJ_SANITIZE)
  foreach(ranks 1 4)
    add_test(NAME mpi_irregular_${ranks} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/irregular.sh
      $<TARGET_FILE:mpj-interpose-openmpi> ${ranks})
    set_tests_properties(mpi_irregular_${ranks} PROPERTIES LABELS mpi TIMEOUT 110
      SKIP_RETURN_CODE 77)
  endforeach()
endif()
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND NOT MPJ_SANITIZE)
    add_test(NAME mpi_fortran_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/fortran.sh ${mpi}
      $<TARGET_FILE:mpj-interpose-${mpi}>)
    set_tests_properties(mpi_fortran_${mpi} PROPERTIES LABELS mpi TIMEOUT 110 SKIP_RETURN_CODE 77)
  endif()
endforeach()
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND TARGET mpjrun AND NOT MPJ_SANITIZE)
    add_test(NAME mpi_mpjrun_${mpi}
      COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_interposed_${mpi}> 500 2 served)
    set_tests_properties(mpi_mpjrun_${mpi} PROPERTIES LABELS mpi TIMEOUT 110
      PASS_REGULAR_EXPRESSION "mpj: allgather"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;MPJ_INTERPOSE_REPORT=1")
    add_test(NAME mpi_none_${mpi} # the columns: served, bytes, seconds, not chosen
      COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_interposed_${mpi}> 500 2)
    set_tests_properties(mpi_none_${mpi} PROPERTIES LABELS mpi TIMEOUT 110
      PASS_REGULAR_EXPRESSION "mpj: allgather +0 +0 +0.000 +[1-9]"
      FAIL_REGULAR_EXPRESSION "no collective;mpj: [a-z_]+ +[1-9]"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;MPJ_INTERPOSE_REPORT=1;MPJ_INTERPOSE=none")
  endif()
endforeach()

# Calls repeated with handles and lists whose meaning changes.
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND TARGET mpjrun AND NOT MPJ_SANITIZE)
    string(TOUPPER MPJ_${mpi} prefix)
    add_executable(mpi_repeated_${mpi} mpi/repeated.c)
    target_link_libraries(mpi_repeated_${mpi} PRIVATE mpj_flags PkgConfig::${prefix})
    add_test(NAME mpi_repeated_${mpi} COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_repeated_${mpi}>)
    set_tests_properties(mpi_repeated_${mpi} PROPERTIES LABELS mpi TIMEOUT 110
      PASS_REGULAR_EXPRESSION "rounds are equal"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
  endif()
endforeach()

# The plays of the collectives with every message on MPI: the programs as they are, in processes
# in which MPI runs.
function(mpi_plays mpi name)
  mpi_program(mpi_${name} ${mpi} mpi/running.c ${ARGN})
  set_target_properties(mpi_${name}_${mpi} PROPERTIES ENABLE_EXPORTS ON) # found by name
endfunction()
function(mpi_play name mpi ranks program)
  mpi_job(${name} ${mpi} ${ranks} $<TARGET_FILE:mpi_${program}_${mpi}> ${ARGN})
  set_property(TEST mpi_${name}_${mpi}_${ranks} APPEND PROPERTY ENVIRONMENT MPJ_TRANSPORT=mpi)
endfunction()
foreach(mpi mpich openmpi)
  if(NOT TARGET mpj_mpi_${mpi})
    continue()
  endif()
  mpi_plays(${mpi} plays coll/board.c coll/plays.c coll/play.c coll/places.c coll/buffer.c coll/layouts.c)
  mpi_plays(${mpi} exchanges coll/runner.c coll/places.c coll/exchange_plays.c
    coll/exchange_layouts.c coll/layouts.c coll/buffer.c)
  mpi_plays(${mpi} reductions coll/runner.c coll/places.c coll/reduction_plays.c
    coll/reduction_model.c coll/reduction_copies.c coll/reduction_ops.c coll/exchange_layouts.c
    coll/layouts.c coll/buffer.c pack/scalar_ops.c)
  mpi_plays(${mpi} requests coll/runner.c coll/places.c coll/requests.c)
  mpi_play(plays ${mpi} 4 plays --every-root 1 --mixed 20)
  mpi_play(exchanges ${mpi} 4 exchanges --plays 5 each)
  mpi_play(reductions ${mpi} 4 reductions --plays 5 each)
  mpi_play(requests ${mpi} 4 requests --plays 1 --places 5)
  mpi_play(comms_over_mpi ${mpi} 3 comms mpi)
endforeach()
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND TARGET mpjrun AND NOT MPJ_SANITIZE)
    string(TOUPPER MPJ_${mpi} prefix)
    add_executable(mpi_overlap_${mpi} mpi/overlap.c)
    target_link_libraries(mpi_overlap_${mpi} PRIVATE mpj_flags PkgConfig::${prefix})
    add_test(NAME mpi_overlap_${mpi} COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_overlap_${mpi}>)
    set_tests_properties(mpi_overlap_${mpi} PROPERTIES LABELS mpi TIMEOUT 60
      PASS_REGULAR_EXPRESSION "all right"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
  endif()
endforeach()
