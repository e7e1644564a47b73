/* This file keeps track of peers on other nodes as they leave or are lost, and
 * takes leave of them.
 *
 *   state    event                                         next
 *   ACTIVE   BYE                                           FINALIZED, or DEAD; answered by BYE_SEEN
 *   ACTIVE   its connection fails; DIED of a node-mate     ACTIVE, lost
 *   lost     BYE (it was still under way)                  FINALIZED, or DEAD
 *   lost     GRACE_S later                                 DEAD
 *
 * Who leaves in good order says BYE to all that it has met and stays until they have seen it who
 * are not gone themselves: so nothing that it has sent is cut off, and nothing that they send comes
 * to a closed door. After a death it waits a moment only. */
#include "net/far/far.h"

#include "base/memory.h"
#include "base/status.h"

static const double grace_s = 0.2, leave_s = 2, greet_s = 10, trust_s = 60;

static void set_gone(struct mpj_far *far, int peer, enum mpj_rank_state state, int cause)
{
  struct mpj_far_peer *p = &far->peers[peer];
  if (p->state >= MPJ_RANK_FINALIZED) return;
  if (p->lost_at > 0) far->nlost--;
  p->lost_at = 0;
  p->state = state;
  p->cause = cause;
  far->changes++;
}

void mpj_far_on_bye(struct mpj_far *far, int source, const struct mpj_far_bye *m)
{
  mpj_far_post(far, source, MPJ_FAR_BYE_SEEN, NULL, 0, true);
  set_gone(far, source, m->state == MPJ_RANK_FINALIZED ? MPJ_RANK_FINALIZED : MPJ_RANK_DEAD,
           m->cause);
}

void mpj_far_lost(struct mpj_far *far, int peer, int error)
{
  mpj_far_note_lost(far, peer, MPJ_CAUSE_LOST | error);
}

void mpj_far_tell_death(struct mpj_far *far, int rank, int cause)
{
  const struct mpj_far_died m = {rank, cause};
  for (const struct mpj_far_peer *p = far->known; p; p = p->next)
    if (p->met && p->rank != rank) mpj_far_post(far, p->rank, MPJ_FAR_DIED, &m, sizeof m, true);
}

/* Of a death only those know who share its node. */
bool mpj_far_on_died(struct mpj_far *far, int source, const struct mpj_far_died *m)
{
  if (m->rank < 0 || m->rank >= far->size || m->rank == source || m->rank == far->rank)
    return false;
  if (far->head.net && !mpj_net_same_node(far->head.net, m->rank, source)) return false;
  mpj_far_note_lost(far, m->rank, m->cause);
  return true;
}

bool mpj_far_poll_lost(struct mpj_far *far)
{
  const double now = MPJ_Wtime();
  bool moved = false;
  for (const struct mpj_far_peer *p = far->known; p; p = p->next) {
    if (p->lost_at == 0 || now - p->lost_at < grace_s) continue;
    set_gone(far, p->rank, MPJ_RANK_DEAD, p->lost_cause);
    moved = true;
  }
  return moved;
}

enum mpj_rank_state mpj_far_peer_state(struct mpj_transport *t, int peer, int *cause)
{
  const struct mpj_far_peer *p = &((struct mpj_far *)t)->peers[peer];
  if (cause) *cause = p->cause;
  return p->known ? p->state : MPJ_RANK_ACTIVE;
}

/* Greeting */

static int meet_all(struct mpj_far *far)
{
  size_t bytes;
  for (int peer = 0; peer < far->size; peer++)
    if (peer != far->rank && mpj_directory_find(far->directory, peer, &bytes) &&
        !mpj_far_meet(far, peer))
      return mpj_error(MPJ_ERR_PEER, "rank %d cannot be connected to rank %d", peer, far->rank);
  return MPJ_SUCCESS;
}

/* Send a first message to those that have not got one; one of those that are left, or -1. */
static int greet(struct mpj_far *far)
{
  int left = -1;
  for (struct mpj_far_peer *p = far->known; p; p = p->next) {
    if (p->greeted || p->lost_at > 0) continue;
    p->greeted = mpj_far_post(far, p->rank, MPJ_FAR_TOKENS, NULL, 0, true) == MPJ_SUCCESS;
    if (!p->greeted) left = p->rank;
  }
  return left;
}

/* One that was not heard from; -1: none. */
static int unheard(const struct mpj_far *far)
{
  for (const struct mpj_far_peer *p = far->known; p; p = p->next)
    if (!p->heard && p->lost_at == 0) return p->rank;
  return -1;
}

int mpj_far_greet(struct mpj_far *far)
{
  const double begun = MPJ_Wtime();
  const int status = meet_all(far);
  if (status != MPJ_SUCCESS) return status;
  int left = greet(far);
  while ((left >= 0 || unheard(far) >= 0) &&
         MPJ_Wtime() < begun + (left >= 0 ? trust_s : greet_s)) {
    if (!far->carrier->ops->poll(far->carrier))
      far->carrier->ops->sleep(far->carrier, 1, far->head.net);
    if (left >= 0) left = greet(far);
  }
  if (left >= 0)
    return mpj_error(MPJ_ERR_PEER, "rank %d's connection to rank %d does not stand after %g s",
                     far->rank, left, trust_s);
  far->carrier->ops->flush(far->carrier, 1);
  return MPJ_SUCCESS;
}

/* Taking leave */

/* Whether anybody has still to see that this rank leaves; *bad if a rank died. */
static bool is_awaited(struct mpj_far *far, bool *bad)
{
  bool awaited = false;
  for (const struct mpj_far_peer *p = far->known; p; p = p->next) {
    const enum mpj_rank_state state = mpj_net_peer_state(far->head.net, p->rank, NULL);
    if (state == MPJ_RANK_DEAD) *bad = true;
    if (p->met && state < MPJ_RANK_FINALIZED && p->lost_at == 0 && !p->bye_seen) awaited = true;
  }
  return awaited;
}

/* To those who have not been told: there may have been no room, or one asked for the connection
 * just now. */
static void say_bye(struct mpj_far *far, const struct mpj_far_bye *m)
{
  for (struct mpj_far_peer *p = far->known; p; p = p->next)
    if (p->met && !p->bye_said)
      p->bye_said = mpj_far_post(far, p->rank, MPJ_FAR_BYE, m, sizeof *m, true) == MPJ_SUCCESS;
}

void mpj_far_close(struct mpj_transport *t, enum mpj_rank_state state, int cause)
{
  struct mpj_far *far = (struct mpj_far *)t;
  const double begun = MPJ_Wtime();
  bool bad = state == MPJ_RANK_DEAD;
  const struct mpj_far_bye bye = {(int32_t)state, cause};
  far->closing = true;
  if (far->head.net) {
    say_bye(far, &bye);
    while (is_awaited(far, &bad) && !(bad && MPJ_Wtime() - begun > leave_s)) {
      if (!mpj_net_poll(far->head.net)) far->carrier->ops->sleep(far->carrier, 1, far->head.net);
      say_bye(far, &bye);
    }
  }
  far->carrier->ops->close(far->carrier);
  mpj_far_free_late(far);
  for (struct mpj_far_peer *p = far->known; p; p = p->next)
    mpj_free(p->withdrawn);
  mpj_free_table(far->serves, far->nserves, sizeof *far->serves);
  mpj_free_table(far->peers, (size_t)far->size, sizeof *far->peers);
  mpj_directory_detach(far->directory);
  mpj_free(far);
}
