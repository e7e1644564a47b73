# The conversion library of each MPI that is installed, each found by its own pkg-config file.
set(MPJ_MPI_SOURCES report.c comm.c comm_link.c comm_to_mpi.c messages.c the_end.c progress.c named.c made.c call.c seen.c from_mpi.c wide.c array.c blocks.c
  slice.c to_mpi.c parts.c quiet.c op_classify.c op_from_mpi.c op_to_mpi.c)
list(TRANSFORM MPJ_MPI_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/convert/)

set(MPJ_INTERPOSE_SOURCES arguments/alias.c begin.c begun.c call_run.c arguments/committed.c comms.c complete.c errors.c first_sends.c fortran/fortran.c fortran/fortran_requests.c
  fortran/fortran_neighbors.c fortran/modern.c arguments/ops.c arguments/ops_later.c point_to_point.c arguments/prepare.c arguments/prepare_reduce.c persistents.c report.c request.c requests.c progress_helper.c arguments/types.c waiting.c wrappers.c)
list(TRANSFORM MPJ_INTERPOSE_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/interpose/)

# The interposer of an MPI library. It is loaded before the program's libraries, so that MPI's
# names are found in it first; the MPI library is a dependency of its own, as programs may
# load theirs later.
function(mpj_add_interposer name prefix)
  add_library(mpj-interpose-${name} SHARED ${MPJ_INTERPOSE_SOURCES}
    $<TARGET_OBJECTS:mpj_mpi_${name}>)
  target_link_libraries(mpj-interpose-${name} PRIVATE mpj $<BUILD_INTERFACE:mpj_flags>
    $<BUILD_INTERFACE:PkgConfig::${prefix}> Threads::Threads
    $<BUILD_INTERFACE:$<$<BOOL:${FFI_FOUND}>:PkgConfig::FFI>>)
  # It is there when the program starts, so that thread-local data needs no call to be found.
  target_compile_options(mpj-interpose-${name} PRIVATE -ftls-model=initial-exec ${MPJ_CLEARED_BY_MOVES})
  if(MPJ_LTO AND CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(mpj-interpose-${name} PRIVATE -flto=auto)
    target_link_options(mpj-interpose-${name} PRIVATE -flto=auto)
  endif()
  set(names ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/interpose/names.map)
  target_link_options(mpj-interpose-${name} PRIVATE LINKER:--version-script=${names})
  set_target_properties(mpj-interpose-${name} PROPERTIES C_VISIBILITY_PRESET default
    LINK_DEPENDS ${names})
endfunction()

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
  mpj_add_interposer(${name} ${prefix})
  # ScaLAPACK's redistribution; ScaLAPACK itself is the program's.
  add_library(mpj-scalapack-${name} SHARED ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/scalapack/gemr2d.c)
  target_link_libraries(mpj-scalapack-${name} PRIVATE mpj-mpi-${name} mpj $<BUILD_INTERFACE:mpj_flags>
    $<BUILD_INTERFACE:PkgConfig::${prefix}> ${CMAKE_DL_LIBS})
  set_target_properties(mpj-scalapack-${name} PROPERTIES C_VISIBILITY_PRESET default)
  set(MPJ_MPIS ${MPJ_MPIS} ${name} PARENT_SCOPE)
endfunction()

mpj_add_mpi(mpich mpich libmpich-dev)
mpj_add_mpi(openmpi ompi-c libopenmpi-dev)
