/* This file posts messages to peers on other nodes. */
#include <string.h>

#include "net/far/far.h"

bool mpj_far_is_gone(const struct mpj_far *far, int peer)
{
  return far->peers[peer].state >= MPJ_RANK_FINALIZED;
}

struct mpj_far_head mpj_far_head_for(struct mpj_far *far, int peer, enum mpj_far_kind kind,
                                     const void *body, size_t bytes)
{
  struct mpj_far_head head = {.kind = (uint8_t)kind, .bytes = (uint8_t)bytes};
  const unsigned owed = far->peers[peer].owed;
  head.tokens = (uint8_t)(owed < UINT8_MAX ? owed : UINT8_MAX);
  if (bytes > 0) memcpy(head.body, body, bytes);
  return head;
}

int mpj_far_post_head(struct mpj_far *far, int peer, const struct mpj_far_head *head,
                      struct mpj_cursor *payload, MPJ_Count bytes, bool urgent)
{
  if (mpj_far_is_gone(far, peer)) return urgent ? MPJ_SUCCESS : MPJ_AM_AGAIN;
  if (!mpj_far_meet(far, peer)) return MPJ_AM_AGAIN;
  const int status = far->carrier->ops->post(far->carrier, peer, head, payload, bytes, urgent);
  if (status == MPJ_SUCCESS) {
    far->peers[peer].owed -= head->tokens;
    far->sent = true;
  }
  return status;
}

int mpj_far_post(struct mpj_far *far, int peer, enum mpj_far_kind kind, const void *body,
                 size_t bytes, bool urgent)
{
  const struct mpj_far_head head = mpj_far_head_for(far, peer, kind, body, bytes);
  return mpj_far_post_head(far, peer, &head, NULL, 0, urgent);
}
