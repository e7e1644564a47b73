# Fuzz targets. ctest replays each corpus; with MPJ_FUZZ, where clang is found,
# libFuzzer programs of the base and types layers are built as well, and
# scripts/soak runs them for ten minutes each.
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
