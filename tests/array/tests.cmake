# The tests of distributed arrays: array_plays plays random schedules against plain loops.
add_executable(array_plays array/plays.c array/model.c array/play_remap.c array/play_halo.c array/play_irregular.c array/play_limits.c array/play_unlike.c array/play_far.c array/play_ops.c array/play_pending.c coll/runner.c coll/places.c)
target_link_libraries(array_plays PRIVATE mpj_test_types mpj_internal)
target_include_directories(array_plays PRIVATE ${PROJECT_SOURCE_DIR}/tests)

# array_threads(NAME [LABELS l] PLAYS ...) on threads; array_processes(NAME RANKS n PLAYS ...).
function(array_threads name)
  cmake_parse_arguments(P "" "" "LABELS;PLAYS" ${ARGN})
  add_test(NAME array_${name} COMMAND array_plays ${P_PLAYS})
  set_tests_properties(array_${name} PROPERTIES TIMEOUT 120 LABELS "${P_LABELS}")
endfunction()

array_threads(threads LABELS threads PLAYS --ranks 1-4,11,17 --plays 8 all)
array_threads(threads_wide LABELS threads PLAYS --ranks 6-16 --plays 12 all)
foreach(what many bounded scarce)
  array_threads(${what} LABELS threads PLAYS --ranks 1-4 --plays 3 ${what})
endforeach()

array_threads(far LABELS threads PLAYS --ranks 2-3 --plays 2 far)
array_threads(ops LABELS threads PLAYS --ranks 2-4 --plays 3 ops)
if(TARGET mpjrun)
  foreach(ranks 2 3 4)
    add_test(NAME array_ops_${ranks} COMMAND $<TARGET_FILE:mpjrun> --timeout 50 -n ${ranks}
      $<TARGET_FILE:array_plays> --plays 3 ops)
    set_tests_properties(array_ops_${ranks} PROPERTIES TIMEOUT 60)
  endforeach()
  foreach(ranks 2 3)
    add_test(NAME array_far_${ranks} COMMAND $<TARGET_FILE:mpjrun> --timeout 100 -n ${ranks}
      $<TARGET_FILE:array_plays> --plays 3 far)
    set_tests_properties(array_far_${ranks} PROPERTIES TIMEOUT 120)
  endforeach()
  foreach(ranks 1 2 3 4 5 6 7 8)
    add_test(NAME array_processes_${ranks} COMMAND $<TARGET_FILE:mpjrun> --timeout 100 -n ${ranks}
      $<TARGET_FILE:array_plays> --plays 10 all)
    set_tests_properties(array_processes_${ranks} PROPERTIES TIMEOUT 120)
  endforeach()
  add_test(NAME array_checked COMMAND $<TARGET_FILE:mpjrun> --timeout 100 -n 3
    $<TARGET_FILE:array_plays> --plays 10 all)
  add_test(NAME array_unlike COMMAND $<TARGET_FILE:mpjrun> --timeout 50 -n 3
    $<TARGET_FILE:array_plays> --plays 2 unlike)
  add_test(NAME array_scarce_checked COMMAND $<TARGET_FILE:mpjrun> --timeout 50 -n 3
    $<TARGET_FILE:array_plays> --plays 12 scarce)
  set_tests_properties(array_checked array_unlike array_scarce_checked PROPERTIES
    TIMEOUT 120 ENVIRONMENT MPJ_CHECK=1)
endif()

# A rank goes somewhere in a call, and the others hear of it.
if(TARGET mpjrun)
  add_executable(array_kills array/kills.c coll/board.c)
  target_link_libraries(array_kills PRIVATE mpj_flags mpj::mpj)
  target_include_directories(array_kills PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  foreach(call Array_create Remap_create Remap_create_between Halo_create Shift_create Subscript_create
          Graph_create Schedule_join Schedule_limit Schedule_forward Schedule_backward Schedule_fetch_op
          Schedule_iforward Schedule_ibackward Schedule_ifetch_op Schedule_forward_init
          Schedule_backward_init Remap Subscript)
    set(times 300 9000)
    if(call STREQUAL Schedule_backward_init) # whose calls are on two communicators
      list(APPEND times 1500 3000 15000)
    endif()
    foreach(us ${times})
      add_test(NAME array_kills_${call}_${us} COMMAND $<TARGET_FILE:mpjrun> --timeout 30 -n 3
        $<TARGET_FILE:array_kills> MPJ_${call} ${us} 1)
      set_tests_properties(array_kills_${call}_${us} PROPERTIES TIMEOUT 60
        PASS_REGULAR_EXPRESSION "rank 0 heard.*rank 2 heard|rank 2 heard.*rank 0 heard"
        FAIL_REGULAR_EXPRESSION "have not heard")
    endforeach()
    add_test(NAME array_leaves_${call} COMMAND array_kills --threads 3 MPJ_${call} 2000 1)
    set_tests_properties(array_leaves_${call} PROPERTIES TIMEOUT 60 LABELS threads
      PASS_REGULAR_EXPRESSION "rank 0 heard.*rank 2 heard|rank 2 heard.*rank 0 heard"
      FAIL_REGULAR_EXPRESSION "have not heard")
  endforeach()
endif()

mpj_add_test(array_wide SOURCES array/test_wide.c)
mpj_add_test(array_once SOURCES array/test_once.c)
mpj_add_test(array_errors SOURCES array/test_errors.c)
mpj_add_test(array_freed SOURCES array/test_freed.c)
mpj_add_test(array_limits SOURCES array/test_limits.c)
mpj_add_test(array_heard SOURCES array/test_heard.c)
mpj_add_test(array_radix SOURCES array/test_radix.c)
mpj_add_test(array_same_bits SOURCES array/test_same_bits.c LABELS threads LIBS m)
mpj_add_test(array_irregular SOURCES array/test_irregular.c)
foreach(name MPJ_Alltoall MPJ_Allreduce mpj_alloc mpj_alloc_array mpj_alloc_work mpj_alloc_table)
  target_link_options(array_irregular PRIVATE -Wl,--wrap=${name}) # it counts their calls
endforeach()
