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
