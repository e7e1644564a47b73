# The tests of distributed arrays: array_plays plays random schedules against plain loops.
add_executable(array_plays array/plays.c array/model.c array/play_remap.c array/play_halo.c array/play_irregular.c coll/runner.c coll/places.c)
target_link_libraries(array_plays PRIVATE mpj_test_types mpj_internal)
target_include_directories(array_plays PRIVATE ${PROJECT_SOURCE_DIR}/tests)

# array_threads(NAME [LABELS l] PLAYS ...) on threads; array_processes(NAME RANKS n PLAYS ...).
function(array_threads name)
  cmake_parse_arguments(P "" "" "LABELS;PLAYS" ${ARGN})
  add_test(NAME array_${name} COMMAND array_plays ${P_PLAYS})
  set_tests_properties(array_${name} PROPERTIES TIMEOUT 120 LABELS "${P_LABELS}")
endfunction()

array_threads(threads LABELS threads PLAYS --ranks 1-6,10,17 --plays 12 all)

if(TARGET mpjrun)
  foreach(ranks 2 8)
    add_test(NAME array_processes_${ranks} COMMAND $<TARGET_FILE:mpjrun> --timeout 100 -n ${ranks}
      $<TARGET_FILE:array_plays> --plays 10 all)
    set_tests_properties(array_processes_${ranks} PROPERTIES TIMEOUT 120)
  endforeach()
  add_test(NAME array_checked COMMAND $<TARGET_FILE:mpjrun> --timeout 100 -n 3
    $<TARGET_FILE:array_plays> --plays 10 all)
  set_tests_properties(array_checked PROPERTIES TIMEOUT 120 ENVIRONMENT MPJ_CHECK=1)
endif()

mpj_add_test(array_errors SOURCES array/test_errors.c)
