# The tests of the pack layer.
set(support pack/fixture.c pack/guarded.c pack/maps.c)
foreach(name combine compile copy cursor external iov kernels public reduce_levels threads transpose type_iov types)
  set(labels pack)
  if(name STREQUAL "threads")
    list(APPEND labels threads)
  endif()
  mpj_add_test(pack_${name} LAYER pack SOURCES pack/test_${name}.c ${support}
    LABELS ${labels} LIBS mpj_test_types)
  # Check's own limit, for each test function, in seconds.
  set_tests_properties(pack_${name} PROPERTIES ENVIRONMENT CK_DEFAULT_TIMEOUT=60)
endforeach()
