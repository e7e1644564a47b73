# This file builds the fuzz target of packing with clang and runs it for a while.
#   SOURCE, BUILD  folders; SECONDS  of the run, shared by the levels of MPJ_CPU
cmake_minimum_required(VERSION 3.25)

find_program(CLANG NAMES clang clang-14 REQUIRED)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G Ninja
    -D CMAKE_C_COMPILER=${CLANG} -D CMAKE_BUILD_TYPE=RelWithDebInfo
    -D MPJ_SANITIZE=fuzzer-no-link,address,undefined
    -D MPJ_BENCH=OFF -D MPJ_EXAMPLES=OFF -D MPJ_TOOLS=OFF
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --target fuzz_pack
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${BUILD}/found/pack)
math(EXPR each "${SECONDS} / 3")
foreach(level auto avx2 portable)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env MPJ_CPU=${level}
      ${BUILD}/tests/fuzz_pack -max_total_time=${each} -max_len=400 -timeout=120 -rss_limit_mb=2048
      -dict=${SOURCE}/tests/fuzz/types.dict -verbosity=1 -print_final_stats=1
      -artifact_prefix=${BUILD}/found/pack- ${BUILD}/found/pack ${SOURCE}/tests/fuzz/corpus/pack
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
