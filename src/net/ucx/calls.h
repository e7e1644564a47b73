/* This header declares UCX's calls as pointers: the library is loaded when the
 * first job needs it, so that a job on one node pays nothing for it. */
#ifndef MPJ_SRC_NET_UCX_CALLS_H
#define MPJ_SRC_NET_UCX_CALLS_H

#include <ucp/api/ucp.h>

#include "base/library/library.h"

/* Every call that we use, under UCX's own name. */
#define MPJ_UCX_CALLS(X)                                                                           \
  X(ucp_get_version)                                                                               \
  X(ucp_config_read)                                                                               \
  X(ucp_config_modify)                                                                             \
  X(ucp_config_release)                                                                            \
  X(ucp_init_version)                                                                              \
  X(ucp_cleanup)                                                                                   \
  X(ucp_worker_create)                                                                             \
  X(ucp_worker_destroy)                                                                            \
  X(ucp_worker_get_address)                                                                        \
  X(ucp_worker_release_address)                                                                    \
  X(ucp_worker_set_am_recv_handler)                                                                \
  X(ucp_worker_progress)                                                                           \
  X(ucp_worker_get_efd)                                                                            \
  X(ucp_worker_arm)                                                                                \
  X(ucp_ep_create)                                                                                 \
  X(ucp_ep_close_nbx)                                                                              \
  X(ucp_ep_print_info)                                                                             \
  X(ucp_ep_flush_nbx)                                                                              \
  X(ucp_am_send_nbx)                                                                               \
  X(ucp_am_recv_data_nbx)                                                                          \
  X(ucp_am_data_release)                                                                           \
  X(ucp_request_free)                                                                              \
  X(ucp_request_check_status)                                                                      \
  X(ucp_dt_create_generic)                                                                         \
  X(ucp_dt_destroy)                                                                                \
  X(ucs_status_string)

struct mpj_ucx_calls {
  MPJ_UCX_CALLS(MPJ_LIBRARY_POINTER)
};

/* The calls, loaded once for the process. Errors: MPJ_ERR_UNSUPPORTED. */
int mpj_ucx_load(const struct mpj_ucx_calls **calls);

#endif
