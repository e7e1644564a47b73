# The sources of the pack layer.
set(MPJ_pack_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/external/external.c
  ${CMAKE_CURRENT_LIST_DIR}/external/pack_external.c
  ${CMAKE_CURRENT_LIST_DIR}/kernels/kernels.c
  ${CMAKE_CURRENT_LIST_DIR}/kernels/kernels_choose.c
  ${CMAKE_CURRENT_LIST_DIR}/kernels/kernels_plain.c
  ${CMAKE_CURRENT_LIST_DIR}/kernels/kernels_stream.c
  ${CMAKE_CURRENT_LIST_DIR}/kernels/transpose.c
  ${CMAKE_CURRENT_LIST_DIR}/kernels/transpose_plain.c
  ${CMAKE_CURRENT_LIST_DIR}/pack.c
  ${CMAKE_CURRENT_LIST_DIR}/program/commit.c
  ${CMAKE_CURRENT_LIST_DIR}/program/compile.c
  ${CMAKE_CURRENT_LIST_DIR}/program/compile_seq.c
  ${CMAKE_CURRENT_LIST_DIR}/program/flatten.c
  ${CMAKE_CURRENT_LIST_DIR}/program/walk.c
  ${CMAKE_CURRENT_LIST_DIR}/reduce/combine.c
  ${CMAKE_CURRENT_LIST_DIR}/reduce/reduce.c
  ${CMAKE_CURRENT_LIST_DIR}/reduce/reduce_cursor.c
  ${CMAKE_CURRENT_LIST_DIR}/reduce/reduce_plain.c
  ${CMAKE_CURRENT_LIST_DIR}/reduce/reduce_spread.c
  ${CMAKE_CURRENT_LIST_DIR}/run/columns.c
  ${CMAKE_CURRENT_LIST_DIR}/run/columns_cursor.c
  ${CMAKE_CURRENT_LIST_DIR}/run/copy.c
  ${CMAKE_CURRENT_LIST_DIR}/run/cursor.c
  ${CMAKE_CURRENT_LIST_DIR}/run/exec_run.c
  ${CMAKE_CURRENT_LIST_DIR}/run/exec_rows.c
  ${CMAKE_CURRENT_LIST_DIR}/run/exec_units.c
  ${CMAKE_CURRENT_LIST_DIR}/run/exec_blocks.c
  ${CMAKE_CURRENT_LIST_DIR}/run/iov.c
  ${CMAKE_CURRENT_LIST_DIR}/run/past.c
  ${CMAKE_CURRENT_LIST_DIR}/run/overlap.c
  ${CMAKE_CURRENT_LIST_DIR}/type_iov.c
)

# Reductions give the same bits on all processors: no fused multiply-add.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/reduce/reduce_plain.c
  ${CMAKE_CURRENT_LIST_DIR}/reduce/reduce_spread.c PROPERTIES COMPILE_OPTIONS "-ffp-contract=off")

# Kernels for the wider instruction sets of x86-64, chosen by processor at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(avx2 ${CMAKE_CURRENT_LIST_DIR}/kernels/kernels_avx2.c ${CMAKE_CURRENT_LIST_DIR}/kernels/transpose_avx2.c
    ${CMAKE_CURRENT_LIST_DIR}/reduce/reduce_avx2.c)
  set(avx512 ${CMAKE_CURRENT_LIST_DIR}/kernels/kernels_avx512.c ${CMAKE_CURRENT_LIST_DIR}/kernels/kernels_gather.c
    ${CMAKE_CURRENT_LIST_DIR}/kernels/transpose_avx512.c ${CMAKE_CURRENT_LIST_DIR}/reduce/reduce_avx512.c)
  set_source_files_properties(${avx2} PROPERTIES COMPILE_OPTIONS "-mavx2;-mbmi2;-ffp-contract=off")
  set_source_files_properties(${avx512} PROPERTIES COMPILE_OPTIONS
    "-mavx2;-mbmi2;-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512vbmi;-ffp-contract=off")
  list(APPEND MPJ_pack_SOURCES ${avx2} ${avx512})
endif()
