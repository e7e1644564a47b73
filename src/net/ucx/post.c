/* This file posts messages through UCX to peers whose connection stands. */
#include "net/ucx/state.h"

int mpj_ucx_post(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
                 struct mpj_cursor *payload, MPJ_Count bytes, bool urgent)
{
  struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  struct mpj_ucx_peer *p = &ucx->peers[peer];
  if (p->failed) return MPJ_SUCCESS;
  if (!p->stands) {
    mpj_ucx_ask(p);
    return MPJ_AM_AGAIN;
  }
  if (p->sends >= (urgent ? MPJ_UCX_URGENT_SENDS : MPJ_UCX_SENDS)) return MPJ_AM_AGAIN;
  struct mpj_ucx_send *s = mpj_ucx_new_send(p, payload, bytes);
  if (!s) return MPJ_AM_AGAIN;
  mpj_ucx_seal(p, head, &s->head);
  mpj_ucx_send(s, MPJ_UCX_AM, MPJ_UCX_FIXED + (size_t)head->bytes);
  return MPJ_SUCCESS;
}
