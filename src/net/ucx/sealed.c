/* This file lets each message carry the key of its connection, and tells by it whose message it is
 * that has come: UCX says of a message neither who has sent it nor by which connection it came, and
 * takes it from whoever finds the port. */
#include <string.h>

#include "base/status.h"
#include "net/ucx/state.h"

void mpj_ucx_seal(const struct mpj_ucx_peer *p, const struct mpj_far_head *head,
                  struct mpj_ucx_head *sealed)
{
  sealed->key = p->keys.out;
  memcpy(&sealed->head, head, MPJ_FAR_FIXED + (size_t)head->bytes);
  sealed->head.connection = p->keys.connection;
}

void mpj_ucx_warn(struct mpj_ucx *ucx)
{
  if (ucx->warned) return;
  ucx->warned = true;
  mpj_warn("rank %d dropped a message over the network whose sender has not proved to be a rank of "
           "this job; more of them are dropped without a word",
           ucx->rank);
}

struct mpj_ucx_peer *mpj_ucx_sender_of(struct mpj_ucx *ucx, const void *came, size_t bytes)
{
  struct mpj_ucx_head h = {0};
  if (bytes >= MPJ_UCX_FIXED) memcpy(&h, came, MPJ_UCX_FIXED);
  if (bytes >= MPJ_UCX_FIXED && h.head.connection < (uint32_t)ucx->size) {
    struct mpj_ucx_peer *p = &ucx->peers[h.head.connection];
    if (p->stands && (p->keys.in ^ h.key) == 0) return p; /* one word: in no time that tells */
  }
  mpj_ucx_warn(ucx);
  return NULL;
}
