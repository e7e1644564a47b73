# The structure of src/, seen from the objects: no arrow upwards, no circle of files, no folder with too many.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND AND NOT MPJ_SANITIZE AND NOT MPJ_COVERAGE)
  add_test(NAME structure COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/structure.py
    ${PROJECT_BINARY_DIR}/src/CMakeFiles ${PROJECT_SOURCE_DIR}/src)
  set_tests_properties(structure PROPERTIES TIMEOUT 60)
endif()
