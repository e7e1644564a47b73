# mpj-bench-types and its workers: the same cases over MPJ and over each MPI
# library that is installed.
set(TYPES_WORKER types_worker.c types_measure.c)

add_executable(types_mpj ${TYPES_WORKER} types_parts.c types_growth.c types_growth_cases.c
  types_shim_mpj.c)
target_link_libraries(types_mpj PRIVATE mpj_internal m)
target_include_directories(types_mpj PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)

# types_peer(ENGINE TARGET): one peer's worker.
function(types_peer engine library)
  add_executable(types_${engine} ${TYPES_WORKER} types_shim_mpi.c)
  target_link_libraries(types_${engine} PRIVATE mpj_flags ${library})
  target_compile_definitions(types_${engine} PRIVATE TYPES_MPI=1)
  target_include_directories(types_${engine} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()
if(MPICH_FOUND)
  types_peer(mpich PkgConfig::MPICH)
endif()
if(OPENMPI_FOUND)
  types_peer(openmpi PkgConfig::OPENMPI)
endif()

add_executable(mpj-bench-types mpj_bench_types.c)
target_link_libraries(mpj-bench-types PRIVATE mpj_flags)
