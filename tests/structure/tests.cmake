# The structure of src/, seen from the objects and headers: no arrow upwards, no circle of files (a header
# counted as part of its source), no folder with too many.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND AND NOT MPJ_SANITIZE AND NOT MPJ_COVERAGE)
  add_test(NAME structure COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/structure.py
    ${PROJECT_BINARY_DIR}/src/CMakeFiles ${PROJECT_SOURCE_DIR}/src)
  # That it sees a circle: a header of communicators that took something of those who end them.
  add_test(NAME structure_sees_a_planted_circle COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/structure.py
    ${PROJECT_BINARY_DIR}/src/CMakeFiles ${PROJECT_SOURCE_DIR}/src coll/comm/comm.h:coll/comm/comm_begin.h)
  set_tests_properties(structure_sees_a_planted_circle PROPERTIES
    PASS_REGULAR_EXPRESSION "a circle of [0-9]+ files with their headers: [^\n]*coll/comm/comm, coll/comm/comm_begin")
  # And an arrow upwards that is in no object: a header of layouts that took something of communicators.
  add_test(NAME structure_sees_a_planted_arrow COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/structure.py
    ${PROJECT_BINARY_DIR}/src/CMakeFiles ${PROJECT_SOURCE_DIR}/src pack/run/cursor.h:coll/comm/comm.h)
  set_tests_properties(structure_sees_a_planted_arrow PROPERTIES
    PASS_REGULAR_EXPRESSION "an arrow upwards, by headers: pack/run/cursor takes something from coll/comm/comm")
  # What the models of protocols say they follow is there.
  file(GLOB models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/spec/models/*.pml)
  add_test(NAME structure_models COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/models.py
    ${PROJECT_SOURCE_DIR} ${models})
  set_tests_properties(structure_models structure structure_sees_a_planted_circle structure_sees_a_planted_arrow PROPERTIES TIMEOUT 60)
endif()
