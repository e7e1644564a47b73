# The tests of the net layer. Those in one process run under the thread
# sanitizer too.
foreach(name short eager signal malformed pull idle)
  mpj_add_test(net_${name} LAYER net SOURCES net/test_${name}.c net/endpoints.c LABELS threads)
endforeach()
foreach(name segment exposure)
  mpj_add_test(net_${name} LAYER net SOURCES net/test_${name}.c LABELS threads)
endforeach()
