# The tests of the types layer, and the library of random types that the tests
# of other layers use as well: they name it in LIBS.
add_library(mpj_test_types STATIC types/expand.c types/optimum.c types/random_call.c types/random_arguments.c types/random_like.c types/random_type.c
  types/reference.c types/reference_facts.c types/walk.c)
target_include_directories(mpj_test_types PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(mpj_test_types PUBLIC mpj_flags)

foreach(name arguments attributes bounds bucket_index contents darray decode decode_memory distribution encode errors huge layout layout_measure letters long_index optimum random_types segment sequence signature signature_bytes sparse text threads two_ways)
  set(labels)
  if(name STREQUAL "threads")
    set(labels threads)
  endif()
  mpj_add_test(types_${name} LAYER types SOURCES types/test_${name}.c LABELS ${labels}
    LIBS mpj_test_types)
endforeach()
if(FFI_FOUND)
  mpj_add_test(types_ffi LAYER types SOURCES types/test_ffi.c)
endif()
mpj_add_soak(types_random_types COMMAND types_random_types --types 200000 --seed 1000)
mpj_add_soak(types_encode COMMAND types_encode --types 100000)
mpj_add_soak(types_huge COMMAND types_huge --types 300000)
mpj_add_soak(types_layout_measure COMMAND types_layout_measure --types 20000)
mpj_add_soak(types_two_ways COMMAND types_two_ways --types 50000)
mpj_add_soak(types_text COMMAND types_text --types 100000)
mpj_add_test(types_share LAYER types SOURCES types/test_share.c LABELS threads)
