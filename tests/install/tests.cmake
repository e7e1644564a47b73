# The tests of what is delivered: the exported names, and an installed copy used
# from outside. An instrumented library exports its instrumentation and asks the
# same of its users, so these are of plain builds.
include(GNUInstallDirs)
if(NOT MPJ_SANITIZE AND NOT MPJ_COVERAGE)
  file(GLOB headers ${PROJECT_SOURCE_DIR}/include/mpj/*.h)
  list(REMOVE_ITEM headers ${PROJECT_SOURCE_DIR}/include/mpj/mpi.h) # of libraries of its own
  add_test(NAME install_exports COMMAND ${CMAKE_COMMAND} -D LIBRARY=$<TARGET_FILE:mpj>
    -D SONAME=libmpj.so.${PROJECT_VERSION_MAJOR} -D "HEADERS=${headers}"
    -D NM=${CMAKE_NM} -D OBJDUMP=${CMAKE_OBJDUMP} -P ${CMAKE_CURRENT_LIST_DIR}/test_exports.cmake)
  foreach(mpi mpich openmpi)
    if(TARGET mpj-mpi-${mpi})
      add_test(NAME install_exports_${mpi} COMMAND ${CMAKE_COMMAND}
        -D LIBRARY=$<TARGET_FILE:mpj-mpi-${mpi}>
        -D SONAME=libmpj-mpi-${mpi}.so.${PROJECT_VERSION_MAJOR}
        -D HEADERS=${PROJECT_SOURCE_DIR}/include/mpj/mpi.h
        -D NM=${CMAKE_NM} -D OBJDUMP=${CMAKE_OBJDUMP} -P ${CMAKE_CURRENT_LIST_DIR}/test_exports.cmake)
      foreach(language C CXX Fortran)
        add_test(NAME install_${mpi}_${language} COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR}
          -D CONSUMER=${CMAKE_CURRENT_LIST_DIR}/mpi_consumer -D CC=${CMAKE_C_COMPILER}
          -D LANGUAGE=${language} -D "GENERATOR=${CMAKE_GENERATOR}" -D MPI=${mpi}
          -P ${CMAKE_CURRENT_LIST_DIR}/test_mpi.cmake)
        set_tests_properties(install_${mpi}_${language} PROPERTIES TIMEOUT 120
          SKIP_REGULAR_EXPRESSION "skipped: ")
      endforeach()
    endif()
  endforeach()
  add_test(NAME install_outside COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR}
    -D CONSUMER=${CMAKE_CURRENT_LIST_DIR}/consumer -D CC=${CMAKE_C_COMPILER}
    -D "GENERATOR=${CMAKE_GENERATOR}"
    -D LIBDIR=${CMAKE_INSTALL_LIBDIR} -P ${CMAKE_CURRENT_LIST_DIR}/test_outside.cmake)
  set_tests_properties(install_exports install_outside PROPERTIES TIMEOUT 120)
endif()
