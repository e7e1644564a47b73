# The conversion library of each MPI that is installed, each found by its own pkg-config file.
set(MPJ_MPI_SOURCES report.c comm.c named.c made.c call.c seen.c from_mpi.c wide.c array.c blocks.c
  slice.c to_mpi.c parts.c op_classify.c op_from_mpi.c)
list(TRANSFORM MPJ_MPI_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)

# add_mpi(NAME PKG PACKAGE): libmpj-mpi-NAME of the MPI library that pkg-config calls PKG.
function(mpj_add_mpi name pkg package)
  string(TOUPPER MPJ_${name} prefix)
  pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${pkg})
  if(NOT ${prefix}_FOUND)
    message(STATUS "mpj: no ${name} (${package}): libmpj-mpi-${name} is not built")
    return()
  endif()
  add_library(mpj_mpi_${name} OBJECT ${MPJ_MPI_SOURCES})
  target_link_libraries(mpj_mpi_${name} PUBLIC mpj_flags PkgConfig::${prefix}
    PRIVATE $<$<BOOL:${FFI_FOUND}>:PkgConfig::FFI>)
  if(FFI_FOUND)
    target_compile_definitions(mpj_mpi_${name} PRIVATE MPJ_HAVE_FFI=1)
  endif()
  add_library(mpj-mpi-${name} SHARED $<TARGET_OBJECTS:mpj_mpi_${name}>)
  add_library(mpj::mpi-${name} ALIAS mpj-mpi-${name})
  set_target_properties(mpj-mpi-${name} PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR})
  target_link_libraries(mpj-mpi-${name} PUBLIC mpj PRIVATE $<BUILD_INTERFACE:mpj_flags>
    $<BUILD_INTERFACE:PkgConfig::${prefix}> Threads::Threads
    $<BUILD_INTERFACE:$<$<BOOL:${FFI_FOUND}>:PkgConfig::FFI>>)
  set(MPJ_MPIS ${MPJ_MPIS} ${name} PARENT_SCOPE)
endfunction()

mpj_add_mpi(mpich mpich libmpich-dev)
mpj_add_mpi(openmpi ompi-c libopenmpi-dev)
