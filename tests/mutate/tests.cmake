# Every change that tests/mutate makes can still be made: its text stands once in its source.
find_package(Python3 3.11 QUIET COMPONENTS Interpreter)
if(Python3_FOUND AND NOT MPJ_SANITIZE AND NOT MPJ_COVERAGE)
  add_test(NAME mutate_changes
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/mutate --check)
  set_tests_properties(mutate_changes PROPERTIES TIMEOUT 60)
endif()
