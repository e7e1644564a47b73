# The worker of mpj-bench am. UCX's own active messages are timed in it where UCX is found.
pkg_check_modules(UCX IMPORTED_TARGET ucx)
if(NOT UCX_FOUND)
  message(STATUS "mpj: no UCX (libucx-dev): mpj-bench am does not compare with it")
endif()
add_executable(am_mpj am/worker.c am/common.c am/row_short.c am/row_eager.c am/row_long.c
  am/$<IF:$<BOOL:${UCX_FOUND}>,ucx.c,ucx_none.c>)
target_link_libraries(am_mpj PRIVATE mpj_internal)
if(UCX_FOUND)
  target_link_libraries(am_mpj PRIVATE PkgConfig::UCX)
endif()
target_include_directories(am_mpj PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/am ${PROJECT_SOURCE_DIR}/src)

# The worker of mpj-bench am --machine.
add_executable(am_machine am/machine.c am/common.c am/row_short.c am/row_eager.c am/row_long.c)
target_link_libraries(am_machine PRIVATE mpj_internal)
target_include_directories(am_machine PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/am ${PROJECT_SOURCE_DIR}/src)
