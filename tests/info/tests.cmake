# The tests of mpj-info and mpj-type.
if(TARGET mpj-info)
  add_test(NAME info COMMAND ${CMAKE_COMMAND} -D INFO=$<TARGET_FILE:mpj-info>
    -D VERSION=${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    -D REFERENCE=${PROJECT_SOURCE_DIR}/spec/configuration.md
    -P ${CMAKE_CURRENT_LIST_DIR}/test_info.cmake)
  set_tests_properties(info PROPERTIES TIMEOUT 60)
endif()
if(TARGET mpj-type)
  add_test(NAME type COMMAND ${CMAKE_COMMAND} -D TYPE=$<TARGET_FILE:mpj-type>
    -P ${CMAKE_CURRENT_SOURCE_DIR}/tools/test_type.cmake)
  set_tests_properties(type PROPERTIES TIMEOUT 60)
endif()
