/* This file keeps track of peers on other nodes as they leave or are lost, and
 * takes leave of them.
 *
 *   state    event                                         next
 *   ACTIVE   BYE                                           FINALIZED, or DEAD; answered by BYE_SEEN
 *   ACTIVE   its connection fails; DIED of a node-mate     ACTIVE, lost
 *   lost     BYE (it was still under way)                  FINALIZED, or DEAD
 *   lost     GRACE_S later                                 DEAD
 *
 * Who leaves in good order says BYE and stays until all have seen it that are
 * not gone themselves: so nothing that it has sent is cut off, and nothing that
 * they send comes to a closed door. After a death it waits a moment only. */
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

static void set_lost(struct mpj_far *far, int peer, int cause)
{
  struct mpj_far_peer *p = &far->peers[peer];
  if (!p->is_far || p->state >= MPJ_RANK_FINALIZED || p->lost_at > 0) return;
  p->lost_at = MPJ_Wtime();
  p->lost_cause = cause;
  far->nlost++;
}

void mpj_far_lost(struct mpj_far *far, int peer, int error)
{
  set_lost(far, peer, MPJ_CAUSE_LOST | error);
}

void mpj_far_tell_death(struct mpj_far *far, int rank, int cause)
{
  const struct mpj_far_died m = {rank, cause};
  for (int peer = 0; peer < far->size; peer++)
    if (far->peers[peer].is_far && peer != rank)
      mpj_far_post(far, peer, MPJ_FAR_DIED, &m, sizeof m, true);
}

/* Of a death only those know who share its node. */
bool mpj_far_on_died(struct mpj_far *far, int source, const struct mpj_far_died *m)
{
  if (m->rank < 0 || m->rank >= far->size || m->rank == source || m->rank == far->rank)
    return false;
  if (far->head.net && !mpj_net_same_node(far->head.net, m->rank, source)) return false;
  set_lost(far, m->rank, m->cause);
  return true;
}

bool mpj_far_poll_lost(struct mpj_far *far)
{
  const double now = MPJ_Wtime();
  bool moved = false;
  for (int peer = 0; peer < far->size; peer++) {
    const struct mpj_far_peer *p = &far->peers[peer];
    if (p->lost_at == 0 || now - p->lost_at < grace_s) continue;
    set_gone(far, peer, MPJ_RANK_DEAD, p->lost_cause);
    moved = true;
  }
  return moved;
}

enum mpj_rank_state mpj_far_peer_state(struct mpj_transport *t, int peer, int *cause)
{
  const struct mpj_far *far = (struct mpj_far *)t;
  if (cause) *cause = far->peers[peer].cause;
  return far->peers[peer].state;
}

/* Greeting */

/* Send a first message to those that have not got one; how many are left, *one of them. */
static int greet(struct mpj_far *far, int *one)
{
  int left = 0;
  for (int peer = 0; peer < far->size; peer++) {
    struct mpj_far_peer *p = &far->peers[peer];
    if (!p->is_far || p->greeted || p->lost_at > 0) continue;
    p->greeted = mpj_far_post(far, peer, MPJ_FAR_TOKENS, NULL, 0, true) == MPJ_SUCCESS;
    if (p->greeted) continue;
    *one = peer;
    left++;
  }
  return left;
}

static bool all_heard(const struct mpj_far *far)
{
  for (int peer = 0; peer < far->size; peer++) {
    const struct mpj_far_peer *p = &far->peers[peer];
    if (p->is_far && !p->heard && p->lost_at == 0) return false;
  }
  return true;
}

int mpj_far_greet(struct mpj_far *far)
{
  const double begun = MPJ_Wtime();
  int one = -1, left = greet(far, &one);
  while ((left > 0 || !all_heard(far)) && MPJ_Wtime() < begun + (left > 0 ? trust_s : greet_s)) {
    if (!far->carrier->ops->poll(far->carrier))
      far->carrier->ops->sleep(far->carrier, 1, far->head.net);
    if (left > 0) left = greet(far, &one);
  }
  if (left > 0)
    return mpj_error(MPJ_ERR_PEER, "rank %d has not proved to rank %d that it belongs to the job",
                     one, far->rank);
  far->carrier->ops->flush(far->carrier, 1);
  return MPJ_SUCCESS;
}

/* Taking leave */

/* Whether anybody has still to see that this rank leaves; *bad if a rank died. */
static bool is_awaited(struct mpj_far *far, bool *bad)
{
  bool awaited = false;
  for (int peer = 0; peer < far->size; peer++) {
    const struct mpj_far_peer *p = &far->peers[peer];
    if (!p->is_far) continue;
    const enum mpj_rank_state state = mpj_net_peer_state(far->head.net, peer, NULL);
    if (state == MPJ_RANK_DEAD) *bad = true;
    if (state < MPJ_RANK_FINALIZED && p->lost_at == 0 && !p->bye_seen) awaited = true;
  }
  return awaited;
}

static void say_bye(struct mpj_far *far, enum mpj_rank_state state, int cause)
{
  const struct mpj_far_bye m = {(int32_t)state, cause};
  for (int peer = 0; peer < far->size; peer++)
    if (far->peers[peer].is_far) mpj_far_post(far, peer, MPJ_FAR_BYE, &m, sizeof m, true);
}

void mpj_far_close(struct mpj_transport *t, enum mpj_rank_state state, int cause)
{
  struct mpj_far *far = (struct mpj_far *)t;
  const double begun = MPJ_Wtime();
  bool bad = state == MPJ_RANK_DEAD;
  far->closing = true;
  if (far->head.net) {
    say_bye(far, state, cause);
    while (is_awaited(far, &bad) && !(bad && MPJ_Wtime() - begun > leave_s))
      if (!mpj_net_poll(far->head.net)) far->carrier->ops->sleep(far->carrier, 1, far->head.net);
  }
  far->carrier->ops->close(far->carrier);
  mpj_far_free_late(far);
  for (int peer = 0; peer < far->size; peer++)
    mpj_free(far->peers[peer].withdrawn);
  mpj_free(far->serves);
  mpj_free(far->peers);
  mpj_free(far);
}
