# The tests of the base layer.
foreach(name bits cgroup checked config cpu map memory pages pool public status stream topology)
  set(labels)
  if(name STREQUAL "pool" OR name STREQUAL "memory")
    set(labels threads)
  endif()
  mpj_add_test(base_${name} LAYER base SOURCES base/test_${name}.c LABELS ${labels})
endforeach()
