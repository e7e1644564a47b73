# The tests of the net layer. Those in one process run under the thread
# sanitizer too.
foreach(name short eager signal malformed pull idle)
  mpj_add_test(net_${name} LAYER net SOURCES net/test_${name}.c net/endpoints.c LABELS threads)
endforeach()
foreach(name segment exposure share)
  mpj_add_test(net_${name} LAYER net SOURCES net/test_${name}.c LABELS threads)
endforeach()
# Ranks as processes.
foreach(name shm shm_failure shm_open two_sided)
  mpj_add_test(net_${name} LAYER net SOURCES net/test_${name}.c net/endpoints.c net/ranks.c)
endforeach()
# Moving megabytes under a sanitizer takes longer than Check's 4 seconds a test.
foreach(name short eager signal malformed pull idle segment exposure share shm shm_failure shm_open
        two_sided)
  set_tests_properties(net_${name} PROPERTIES ENVIRONMENT CK_DEFAULT_TIMEOUT=100)
endforeach()
# The same by one side, and by both wherever that is possible.
foreach(how on off)
  foreach(name shm shm_failure)
    add_test(NAME net_${name}_two_sided_${how} COMMAND net_${name})
    set_tests_properties(net_${name}_two_sided_${how} PROPERTIES TIMEOUT 360
      ENVIRONMENT "CK_DEFAULT_TIMEOUT=100;MPJ_TWO_SIDED=${how}")
  endforeach()
endforeach()
