/* This file meets peers: it begins to keep what is known of one, and has it connected. */
#include <assert.h>
#include <errno.h>

#include "base/status.h"
#include "net/far/far.h"

/* Begin to keep what is known of a peer that is not near. */
static struct mpj_far_peer *note(struct mpj_far *far, int peer)
{
  struct mpj_far_peer *p = &far->peers[peer];
  if (p->known) return p;
  *p = (struct mpj_far_peer){.next = far->known,
                             .rank = peer,
                             .known = true,
                             .state = MPJ_RANK_ACTIVE,
                             .tokens = far->tokens};
  far->known = p;
  return p;
}

void mpj_far_note_lost(struct mpj_far *far, int peer, int cause)
{
  struct mpj_far_peer *p = note(far, peer);
  if (p->state >= MPJ_RANK_FINALIZED || p->lost_at > 0) return;
  p->lost_at = MPJ_Wtime();
  p->lost_cause = cause;
  far->nlost++;
}

int mpj_far_connect(struct mpj_far *far, int peer, const void *address, size_t bytes)
{
  assert(peer != far->rank);
  const int status = far->carrier->ops->connect(far->carrier, peer, address, bytes);
  if (status != MPJ_SUCCESS) return status;
  note(far, peer)->met = true;
  far->connections++;
  return MPJ_SUCCESS;
}

/* Lack of memory may pass; whatever else it is, the peer is out of reach for good. */
static bool meet(struct mpj_far *far, int peer)
{
  size_t bytes;
  const void *address = far->directory ? mpj_directory_find(far->directory, peer, &bytes) : NULL;
  const int status = address ? mpj_far_connect(far, peer, address, bytes)
                             : mpj_error(MPJ_ERR_FORMAT, "rank %d has no network address", peer);
  if (status == MPJ_SUCCESS) return true;
  if (status != MPJ_ERR_NO_MEM) {
    mpj_warn("rank %d cannot reach rank %d: %s", far->rank, peer, MPJ_Error_detail());
    mpj_far_note_lost(far, peer, MPJ_CAUSE_LOST | EADDRNOTAVAIL);
  }
  mpj_error_drop();
  return false;
}

bool mpj_far_may_meet(const struct mpj_far *far, int peer)
{
  size_t bytes;
  return far->peers[peer].met ||
         (far->directory && mpj_directory_find(far->directory, peer, &bytes));
}

bool mpj_far_meet(struct mpj_far *far, int peer)
{
  const struct mpj_far_peer *p = &far->peers[peer];
  if (p->met) return true;
  if (p->lost_at > 0 || p->state >= MPJ_RANK_FINALIZED) return false;
  return meet(far, peer);
}
