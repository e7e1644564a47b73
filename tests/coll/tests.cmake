# The tests of the coll layer. coll_plays plays random collectives.
add_executable(coll_plays coll/plays.c coll/play.c coll/buffer.c coll/layouts.c)
target_link_libraries(coll_plays PRIVATE mpj_test_types mpj_internal)
target_include_directories(coll_plays PRIVATE ${PROJECT_SOURCE_DIR}/tests)
include(${CMAKE_CURRENT_LIST_DIR}/reduction_tests.cmake)
