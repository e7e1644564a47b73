# The tests of the base layer.
foreach(name bits cgroup checked config cpu library map memory pages pool scratch public status stream topology)
  set(labels)
  if(name STREQUAL "pool" OR name STREQUAL "memory")
    set(labels threads)
  endif()
  mpj_add_test(base_${name} LAYER base SOURCES base/test_${name}.c LABELS ${labels})
endforeach()

# What jansson reads.
if(JANSSON_FOUND)
  mpj_add_test(base_measured LAYER base SOURCES base/test_measured.c)
  target_compile_definitions(base_measured PRIVATE TESTS_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(base_measured PRIVATE PkgConfig::JANSSON m)
endif()
