/* This file says why a peer cannot be reached any more. */
#include <errno.h>

#include "net/ucx/state.h"

static int error_of(ucs_status_t status)
{
  switch (status) {
  case UCS_ERR_CONNECTION_RESET:
    return ECONNRESET;
  case UCS_ERR_ENDPOINT_TIMEOUT:
  case UCS_ERR_TIMED_OUT:
    return ETIMEDOUT;
  case UCS_ERR_UNREACHABLE:
    return EHOSTUNREACH;
  case UCS_ERR_REJECTED:
    return ECONNREFUSED;
  case UCS_ERR_NO_MEMORY:
    return ENOMEM;
  default:
    return EIO;
  }
}

void mpj_ucx_fail(struct mpj_ucx_peer *peer, ucs_status_t status)
{
  if (peer->failed) return;
  peer->failed = true;
  mpj_far_lost(peer->ucx->head.far, peer->rank, error_of(status));
}
