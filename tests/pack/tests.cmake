# The tests of the pack layer.
set(support pack/fixture.c pack/guarded.c pack/maps.c)
foreach(name arguments combine compile copy copy_rows cursor deep exec_units external iov kernels kernels_far memory overlap public reduce_levels threads transpose type_iov types vast)
  set(labels pack)
  if(name STREQUAL "threads")
    list(APPEND labels threads)
  endif()
  mpj_add_test(pack_${name} LAYER pack SOURCES pack/test_${name}.c ${support}
    LABELS ${labels} LIBS mpj_test_types)
  # Check's own limit, for each test function, in seconds.
  set_tests_properties(pack_${name} PROPERTIES ENVIRONMENT CK_DEFAULT_TIMEOUT=60)
endforeach()
# The operations' kernels, against single elements.
mpj_add_test(pack_reduce LAYER pack SOURCES pack/test_reduce.c pack/scalar_ops.c LABELS pack
  LIBS mpj_test_types)
mpj_add_test(pack_reduce_mixed LAYER pack SOURCES pack/test_reduce_mixed.c pack/scalar_ops.c
  pack/guarded.c pack/maps.c LABELS pack LIBS mpj_test_types)
mpj_add_soak(pack_reduce_mixed COMMAND pack_reduce_mixed --types 300000)

# The same at the lower levels of MPJ_CPU; a level that the processor lacks is a
# warning, and the best is used.
foreach(level portable avx2)
  foreach(name copy copy_rows cursor exec_units public reduce_levels reduce_mixed transpose type_iov types
      vast)
    add_test(NAME pack_${name}_${level} COMMAND pack_${name})
    set_tests_properties(pack_${name}_${level} PROPERTIES LABELS pack TIMEOUT 120
      ENVIRONMENT "MPJ_CPU=${level};CK_DEFAULT_TIMEOUT=100")
  endforeach()
endforeach()
mpj_add_soak(pack_exec_units COMMAND pack_exec_units --types 5000)
