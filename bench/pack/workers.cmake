# The workers of mpj-bench pack. Loops by hand are built as their writer would
# build them, for this machine, whatever the build type; MPJ itself is not.
include(CheckCCompilerFlag)
set(PACK_HAND hand_nas.c hand_wrf.c hand_lattice.c hand_atoms.c hand_plain.c hand_lists.c hand_copy.c)
set(PACK_WORKER worker.c measure.c bench_case.c row_pack.c row_pieces.c row_copy.c row_transpose.c
  row_small.c row_sum.c pattern.c pattern_nas.c pattern_wrf.c pattern_lattice.c pattern_atoms.c
  pattern_plain.c pattern_lists.c index.c other.c)
list(TRANSFORM PACK_HAND PREPEND pack/)
list(TRANSFORM PACK_WORKER PREPEND pack/)

check_c_compiler_flag(-march=native MPJ_HAVE_MARCH_NATIVE)
add_library(pack_hand OBJECT ${PACK_HAND})
target_compile_options(pack_hand PRIVATE -O3 $<$<BOOL:${MPJ_HAVE_MARCH_NATIVE}>:-march=native>)
target_link_libraries(pack_hand PRIVATE mpj_flags)
target_include_directories(pack_hand PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} pack)
add_library(pack_common OBJECT ${PACK_WORKER} pack_options.c bench_list.c)
target_link_libraries(pack_common PRIVATE mpj_flags)
target_include_directories(pack_common PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} pack)

# They are parts of programs, and of what other.c loads beside another build of MPJ.
set_target_properties(pack_hand pack_common PROPERTIES POSITION_INDEPENDENT_CODE ON)

# pack_worker(NAME LIB SHIM...): one worker.
function(pack_worker name lib)
  list(TRANSFORM ARGN PREPEND pack/)
  add_executable(${name} ${ARGN} $<TARGET_OBJECTS:pack_common> $<TARGET_OBJECTS:pack_hand>)
  target_link_libraries(${name} PRIVATE mpj_flags ${lib} ${CMAKE_DL_LIBS})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} pack)
endfunction()

pack_worker(pack_mpj mpj shim_mpj.c sum_none.c)
add_library(pack_mpj_face MODULE pack/face.c pack/shim_mpj.c pack/sum_none.c
  $<TARGET_OBJECTS:pack_common> $<TARGET_OBJECTS:pack_hand>)
set_target_properties(pack_mpj_face PROPERTIES PREFIX "")
target_link_libraries(pack_mpj_face PRIVATE mpj_flags mpj ${CMAKE_DL_LIBS})
target_include_directories(pack_mpj_face PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} pack)
add_dependencies(pack_mpj pack_mpj_face)
pack_worker(pack_mpj_sum mpj_internal shim_mpj.c sum_cursor.c)
if(MPICH_FOUND)
  pack_worker(pack_mpich PkgConfig::MPICH shim_mpi.c)
  target_compile_definitions(pack_mpich PRIVATE SHIM_ENGINE="mpich")
endif()
if(OPENMPI_FOUND)
  pack_worker(pack_openmpi PkgConfig::OPENMPI shim_mpi.c)
  target_compile_definitions(pack_openmpi PRIVATE SHIM_ENGINE="openmpi")
endif()
