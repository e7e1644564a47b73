# Fuzz targets. ctest replays each corpus; with MPJ_FUZZ, where clang is found,
# libFuzzer programs are built as well, and scripts/soak runs them for ten minutes
# each; scripts/test all runs the one of packing for a short while.
find_program(MPJ_CLANG NAMES clang clang-14)
set(fuzz_dir ${CMAKE_CURRENT_LIST_DIR})
include(${PROJECT_SOURCE_DIR}/src/base/sources.cmake)
include(${PROJECT_SOURCE_DIR}/src/types/sources.cmake)

foreach(target decode parse)
  add_executable(fuzz_${target}_replay ${fuzz_dir}/fuzz_${target}.c ${fuzz_dir}/replay.c)
  target_link_libraries(fuzz_${target}_replay PRIVATE mpj_types mpj_base mpj_flags mpj_libraries)
  target_include_directories(fuzz_${target}_replay PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  add_test(NAME fuzz_${target}_corpus COMMAND fuzz_${target}_replay ${fuzz_dir}/corpus/${target})
  set_tests_properties(fuzz_${target}_corpus PROPERTIES TIMEOUT 120)

  if(MPJ_FUZZ AND MPJ_CLANG)
    set(program ${CMAKE_CURRENT_BINARY_DIR}/fuzz_${target})
    add_custom_command(OUTPUT ${program}
      COMMAND ${MPJ_CLANG} -std=c11 -g1 -O1 -D_GNU_SOURCE -fno-omit-frame-pointer
        -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
        -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/tests
        ${fuzz_dir}/fuzz_${target}.c ${MPJ_base_SOURCES} ${MPJ_types_SOURCES}
        -lz -lpthread -o ${program}
      DEPENDS ${fuzz_dir}/fuzz_${target}.c ${MPJ_base_SOURCES} ${MPJ_types_SOURCES}
      COMMENT "Building libFuzzer program fuzz_${target}" VERBATIM)
    add_custom_target(fuzz_${target}_program ALL DEPENDS ${program})
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/found/${target})
    mpj_add_soak(fuzz_${target} COMMAND ${program} -max_total_time=600 -timeout=120
      -rss_limit_mb=2048 -print_final_stats=1
      -artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/found/${target}- ${CMAKE_CURRENT_BINARY_DIR}/found/${target}
      ${fuzz_dir}/corpus/${target})
  endif()
endforeach()

# Packing: at every level of MPJ_CPU, and built by a build of its own (fuzz_pack.cmake).
add_executable(fuzz_pack_replay ${fuzz_dir}/fuzz_pack.c ${fuzz_dir}/replay.c)
target_link_libraries(fuzz_pack_replay PRIVATE mpj_pack mpj_types mpj_base mpj_test_types mpj_flags
  mpj_libraries)
target_include_directories(fuzz_pack_replay PRIVATE ${PROJECT_SOURCE_DIR}/tests)
foreach(level auto avx2 portable)
  add_test(NAME fuzz_pack_corpus_${level} COMMAND fuzz_pack_replay ${fuzz_dir}/corpus/pack)
  set_tests_properties(fuzz_pack_corpus_${level} PROPERTIES TIMEOUT 120 LABELS pack
    ENVIRONMENT MPJ_CPU=${level})
endforeach()
if(MPJ_SANITIZE MATCHES "fuzzer-no-link")
  add_executable(fuzz_pack ${fuzz_dir}/fuzz_pack.c)
  target_link_libraries(fuzz_pack PRIVATE mpj_pack mpj_types mpj_base mpj_test_types mpj_flags
    mpj_libraries)
  target_include_directories(fuzz_pack PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_options(fuzz_pack PRIVATE -fsanitize=fuzzer)
endif()
mpj_add_soak(fuzz_pack COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR}
  -D BUILD=${PROJECT_BINARY_DIR}/fuzz -D SECONDS=600 -P ${fuzz_dir}/fuzz_pack.cmake)
