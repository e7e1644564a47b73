# The tests of schedules and of the engine that runs them.
mpj_add_test(coll_repeat SOURCES coll/test_repeat.c TIMEOUT 300)
foreach(name schedule schedule_cache sparse_alltoall sparse_errors one_sided engine
    engine_ahead engine_strangers engine_memory posts in_order in_order_errors in_order_requests
    several_in_order difference closing circle control control_messages slots)
  mpj_add_test(coll_${name} SOURCES coll/test_${name}.c net/endpoints.c LABELS threads)
  set_tests_properties(coll_${name} PROPERTIES ENVIRONMENT CK_DEFAULT_TIMEOUT=100)
endforeach()
mpj_add_test(coll_tree SOURCES coll/test_tree.c)
mpj_add_test(coll_names SOURCES coll/test_names.c)
mpj_add_test(coll_relay SOURCES coll/test_relay.c LABELS threads)

if(TARGET mpjrun) # ranks among programs that compute: a hundred waits of a rank sleep at least
  coll_program(coll_strangers coll/strangers.c)
  foreach(how wait test)
    add_test(NAME coll_strangers_${how} COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/on_one_core.sh
      $<TARGET_FILE:mpjrun> --timeout 60 -n 3 $<TARGET_FILE:coll_strangers> ${how})
    set_tests_properties(coll_strangers_${how} PROPERTIES TIMEOUT 100 ENVIRONMENT MPJ_STATS=1
      PASS_REGULAR_EXPRESSION "yields, [1-9][0-9][0-9]+ sleeps" FAIL_REGULAR_EXPRESSION "line [0-9]")
  endforeach()
endif()
