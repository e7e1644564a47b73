# The workers of mpj-bench array: MPJ, and each peer that is found.
set(ARRAY_WORKER array/array_worker.c array/array_cases.c)

# array_worker(NAME SOURCE LIBS...)
function(array_worker name source)
  add_executable(${name} ${ARRAY_WORKER} array/${source})
  target_link_libraries(${name} PRIVATE mpj_flags ${ARGN} m)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/array)
endfunction()

# array_peer(NAME SOURCE WHAT PACKAGE HEADER-OR-EMPTY LIBS...): a peer's worker if its libraries are
# found, and its header.
function(array_peer name source what package header)
  set(libs)
  foreach(lib ${ARGN})
    if(lib MATCHES "::|^-")
      list(APPEND libs ${lib})
      continue()
    endif()
    find_library(ARRAY_${lib} ${lib})
    if(NOT ARRAY_${lib})
      message(STATUS "mpj: no ${what} (${package}): mpj-bench array does not compare with it")
      return()
    endif()
    list(APPEND libs ${ARRAY_${lib}})
  endforeach()
  if(header)
    find_path(ARRAY_${header} ${header})
    if(NOT ARRAY_${header})
      message(STATUS "mpj: no ${what} (${package}): mpj-bench array does not compare with it")
      return()
    endif()
  endif()
  array_worker(${name} ${source} ${libs})
endfunction()

if(MPICH_FOUND)
  array_peer(array_scalapack_mpich array_scalapack.c "ScaLAPACK for MPICH" libscalapack-mpich-dev ""
    scalapack-mpich PkgConfig::MPICH)
endif()
if(OPENMPI_FOUND)
  array_peer(array_scalapack_openmpi array_scalapack.c "ScaLAPACK for Open MPI" libscalapack-openmpi-dev
    "" scalapack-openmpi PkgConfig::OPENMPI)
  array_peer(array_fftw array_fftw.c "FFTW for MPI" libfftw3-mpi-dev fftw3-mpi.h fftw3_mpi fftw3
    PkgConfig::OPENMPI)
  array_peer(array_ga array_ga.c "Global Arrays" "libglobalarrays-dev, libarmci-mpi-dev" ga.h
    PkgConfig::OPENMPI ga-openmpi armci-openmpi ga-openmpi scalapack-openmpi lapack blas -lgfortran)
  pkg_check_modules(PETSC IMPORTED_TARGET petsc)
  if(PETSC_FOUND)
    array_worker(array_petsc array_petsc.c PkgConfig::PETSC PkgConfig::OPENMPI)
  else()
    message(STATUS "mpj: no PETSc (petsc-dev): mpj-bench array does not compare with it")
  endif()
endif()

array_worker(array_copies array_copies.c mpj)
array_worker(array_mpj array_mpj.c mpj)
