# This file tests that an MPI program's project gets the conversion library of its MPI.
#   BUILD     the build folder to install from
#   CONSUMER  that project
#   CC        the C compiler
#   GENERATOR the kind of build files, which has its program installed
#   MPI       mpich or openmpi
cmake_minimum_required(VERSION 3.25)

find_program(MPICC NAMES mpicc.${MPI})
if(NOT MPICC)
  message("skipped: there is no mpicc.${MPI}")
  return()
endif()
set(tmp "$ENV{TMPDIR}")
if(NOT tmp)
  set(tmp /tmp)
endif()
string(RANDOM LENGTH 12 random)
set(work ${tmp}/mpj-install-${random})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT result EQUAL 0)
    file(REMOVE_RECURSE ${work})
    message(FATAL_ERROR "${ARGN}\nended with ${result}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${work}/build -DCMAKE_PREFIX_PATH=${work}/prefix
  -DCMAKE_C_COMPILER=${CC} -DMPI_C_COMPILER=${MPICC})
run(${CMAKE_COMMAND} --build ${work}/build)
run(objdump -p ${work}/build/program)
if(NOT out MATCHES "libmpj-mpi-${MPI}[.]so")
  file(REMOVE_RECURSE ${work})
  message(FATAL_ERROR "the program is not linked with libmpj-mpi-${MPI}:\n${out}")
endif()
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
run(${work}/build/program)
if(NOT out MATCHES "good")
  message(SEND_ERROR "the program says: ${out}")
endif()
file(REMOVE_RECURSE ${work})
