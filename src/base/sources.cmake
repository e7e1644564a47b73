# The sources of the base layer.
set(MPJ_base_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/attributes.c
  ${CMAKE_CURRENT_LIST_DIR}/cgroup.c
  ${CMAKE_CURRENT_LIST_DIR}/config.c
  ${CMAKE_CURRENT_LIST_DIR}/config_print.c
  ${CMAKE_CURRENT_LIST_DIR}/cpu.c
  ${CMAKE_CURRENT_LIST_DIR}/error_string.c
  ${CMAKE_CURRENT_LIST_DIR}/file.c
  ${CMAKE_CURRENT_LIST_DIR}/memory.c
  ${CMAKE_CURRENT_LIST_DIR}/pool.c
  ${CMAKE_CURRENT_LIST_DIR}/status.c
  ${CMAKE_CURRENT_LIST_DIR}/topology.c
  ${CMAKE_CURRENT_LIST_DIR}/topology_text.c
  ${CMAKE_CURRENT_LIST_DIR}/version.c
  ${CMAKE_CURRENT_LIST_DIR}/wtime.c
)
