# The tests of ranks with several threads, their own or the library's.
foreach(name multiple progress)
  mpj_add_test(coll_${name} SOURCES coll/test_${name}.c LABELS threads)
endforeach()
