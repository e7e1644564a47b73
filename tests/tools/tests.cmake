# The tests of mpjrun. mpjrun_acts is what it starts: a program that does what
# its arguments say.
if(NOT TARGET mpjrun)
  return()
endif()
set(mpjrun_dir ${PROJECT_SOURCE_DIR}/tools/mpjrun)
add_executable(mpjrun_acts tools/acts.c)
target_link_libraries(mpjrun_acts PRIVATE mpj_internal)

foreach(name bind options output exits signals leftovers)
  mpj_add_test(mpjrun_${name} LAYER base TIMEOUT 60
    SOURCES tools/test_${name}.c tools/launch.c ${mpjrun_dir}/proc.c)
  target_include_directories(mpjrun_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
  target_compile_definitions(mpjrun_${name} PRIVATE
    MPJRUN="$<TARGET_FILE:mpjrun>" ACTS="$<TARGET_FILE:mpjrun_acts>")
  add_dependencies(mpjrun_${name} mpjrun mpjrun_acts)
endforeach()

mpj_add_test(mpjrun_stream LAYER base TIMEOUT 60
  SOURCES tools/test_stream.c ${mpjrun_dir}/stream.c ${mpjrun_dir}/sink.c)
target_include_directories(mpjrun_stream PRIVATE ${PROJECT_SOURCE_DIR}/tools)

foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND NOT MPJ_SANITIZE)
    mpj_add_test(mpjrun_mpi_${mpi} LAYER base TIMEOUT 60 LABELS mpi
      SOURCES tools/test_mpi.c tools/launch.c ${mpjrun_dir}/proc.c)
    target_include_directories(mpjrun_mpi_${mpi} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
    target_compile_definitions(mpjrun_mpi_${mpi} PRIVATE MPJRUN="$<TARGET_FILE:mpjrun>" MPI="${mpi}")
    add_dependencies(mpjrun_mpi_${mpi} mpjrun mpj-interpose-${mpi})
  endif()
endforeach()
