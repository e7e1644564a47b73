# This file tests that an MPI program's project gets the conversion library of its MPI.
#   BUILD     the build folder to install from
#   CONSUMER  that project
#   CC        the C compiler, where it is not the language's usual one
#   LANGUAGE  C, CXX or Fortran: the only one of that project
#   GENERATOR the kind of build files, which has its program installed
#   MPI       mpich or openmpi
cmake_minimum_required(VERSION 3.25)

set(wrappers_C mpicc)
set(wrappers_CXX mpicxx)
set(wrappers_Fortran mpifort)
find_program(MPICC NAMES ${wrappers_${LANGUAGE}}.${MPI})
find_program(compiler_Fortran NAMES gfortran)
find_program(compiler_CXX NAMES c++)
set(compiler_C ${CC})
if(NOT MPICC OR NOT compiler_${LANGUAGE})
  message("skipped: there is no ${wrappers_${LANGUAGE}}.${MPI} or no compiler for it")
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
  -DMPJ_CONSUMER_LANGUAGE=${LANGUAGE} -DCMAKE_${LANGUAGE}_COMPILER=${compiler_${LANGUAGE}}
  -DMPI_${LANGUAGE}_COMPILER=${MPICC})
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
