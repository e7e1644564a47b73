# The tests of schedules and of the engine that runs them.
mpj_add_test(coll_repeat SOURCES coll/test_repeat.c TIMEOUT 300)
foreach(name schedule schedule_cache sparse_alltoall sparse_errors one_sided engine
    engine_ahead engine_strangers engine_memory posts in_order in_order_errors in_order_requests
    several_in_order difference closing circle control control_messages slots)
  mpj_add_test(coll_${name} SOURCES coll/test_${name}.c net/endpoints.c LABELS threads)
  set_tests_properties(coll_${name} PROPERTIES ENVIRONMENT CK_DEFAULT_TIMEOUT=100)
endforeach()
mpj_add_test(coll_tree SOURCES coll/test_tree.c)
mpj_add_test(coll_relay SOURCES coll/test_relay.c LABELS threads)
