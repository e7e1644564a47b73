# The sources of the pack layer.
set(MPJ_pack_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/combine.c
  ${CMAKE_CURRENT_LIST_DIR}/commit.c
  ${CMAKE_CURRENT_LIST_DIR}/compile.c
  ${CMAKE_CURRENT_LIST_DIR}/copy.c
  ${CMAKE_CURRENT_LIST_DIR}/cursor.c
  ${CMAKE_CURRENT_LIST_DIR}/exec.c
  ${CMAKE_CURRENT_LIST_DIR}/iov.c
  ${CMAKE_CURRENT_LIST_DIR}/kernels.c
  ${CMAKE_CURRENT_LIST_DIR}/pack.c
  ${CMAKE_CURRENT_LIST_DIR}/reduce.c
  ${CMAKE_CURRENT_LIST_DIR}/walk.c
)
