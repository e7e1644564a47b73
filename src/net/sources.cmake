# The sources of the net layer.
set(MPJ_net_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/boot/boot.c
  ${CMAKE_CURRENT_LIST_DIR}/cells/cells.c
  ${CMAKE_CURRENT_LIST_DIR}/cells/exposure.c
  ${CMAKE_CURRENT_LIST_DIR}/cells/idle.c
  ${CMAKE_CURRENT_LIST_DIR}/cells/segment.c
  ${CMAKE_CURRENT_LIST_DIR}/cells/share.c
  ${CMAKE_CURRENT_LIST_DIR}/net.c
  ${CMAKE_CURRENT_LIST_DIR}/shm/create.c
  ${CMAKE_CURRENT_LIST_DIR}/shm/help.c
  ${CMAKE_CURRENT_LIST_DIR}/shm/pull.c
  ${CMAKE_CURRENT_LIST_DIR}/shm/serve.c
  ${CMAKE_CURRENT_LIST_DIR}/shm/shm.c
  ${CMAKE_CURRENT_LIST_DIR}/shm/vm.c
  ${CMAKE_CURRENT_LIST_DIR}/threads/threads.c
)
