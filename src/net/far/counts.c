/* This file keeps ranks of different nodes informed of each other's progress,
 * and lets them meet.
 *
 * Whoever needs a peer's `done` asks once, and is told when it has risen; from
 * then on the peer tells of every STEP operations, so that a rank that only
 * sends is seldom held up by its window. At a meeting the home counts for the
 * one who came, and tells it when all are there. */
#include "base/status.h"
#include "net/far/far.h"

enum { STEP = MPJ_WINDOW / 4 };

static struct mpj_far *far_of(struct mpj_transport *t)
{
  return (struct mpj_far *)t;
}

static int tell(struct mpj_far *far, int peer, enum mpj_far_kind kind, unsigned control,
                uint64_t count)
{
  const struct mpj_far_count m = {control, count};
  return mpj_far_post(far, peer, kind, &m, sizeof m, true);
}

static struct mpj_control_window *own_window(const struct mpj_far *far, unsigned control)
{
  return mpj_segment_window(far->home->segment, far->home->rank, control);
}

static uint64_t own_done(const struct mpj_far *far, unsigned control)
{
  return atomic_load_explicit(&own_window(far, control)->done, memory_order_relaxed);
}

static uint64_t own_met(const struct mpj_far *far, unsigned control)
{
  return atomic_load_explicit(&own_window(far, control)->met, memory_order_acquire);
}

/* Asking */

uint64_t mpj_far_done(struct mpj_transport *t, int peer, unsigned control)
{
  struct mpj_far *far = far_of(t);
  struct mpj_far_peer *p = &far->peers[peer];
  const uint64_t done = p->control[control].done;
  if (!p->control[control].asked)
    p->control[control].asked = tell(far, peer, MPJ_FAR_ASK_DONE, control, done) == MPJ_SUCCESS;
  return done;
}

uint64_t mpj_far_meet(struct mpj_transport *t, int home, unsigned control, uint64_t all)
{
  struct mpj_far *far = far_of(t);
  struct mpj_far_peer *p = &far->peers[home];
  if (all > 0 && tell(far, home, MPJ_FAR_MEET, control, all) != MPJ_SUCCESS) {
    p->control[control].owed_meet = all; /* it must not be lost */
    far->nmeetings++;
  }
  return p->control[control].met;
}

/* Being asked */

static void watch(struct mpj_far *far, int peer, unsigned control, uint64_t known)
{
  struct mpj_far_peer *p = &far->peers[peer];
  if (p->control[control].watch == MPJ_FAR_UNWATCHED) far->nwatches++;
  p->control[control].watch = MPJ_FAR_ASKED;
  p->control[control].told = known;
  far->seen_done[control] = UINT64_MAX; /* look anew */
}

static void come(struct mpj_far *far, int peer, unsigned control, uint64_t all)
{
  struct mpj_far_peer *p = &far->peers[peer];
  mpj_cells_meet(&far->home->head, far->home->rank, control, all);
  if (p->control[control].meeting == 0) far->nmeetings++;
  p->control[control].meeting = all;
}

void mpj_far_on_count(struct mpj_far *far, int source, enum mpj_far_kind kind,
                      const struct mpj_far_count *m)
{
  struct mpj_far_peer *p = &far->peers[source];
  const unsigned control = (unsigned)m->control;
  if (kind == MPJ_FAR_ASK_DONE) {
    watch(far, source, control, m->count);
  } else if (kind == MPJ_FAR_MEET) {
    come(far, source, control, m->count);
  } else if (kind == MPJ_FAR_MET) {
    p->control[control].met = m->count;
  } else {
    p->control[control].done = m->count;
    p->control[control].asked = false;
  }
}

/* Telling */

static bool tell_done(struct mpj_far *far, int peer, unsigned control, uint64_t done)
{
  struct mpj_far_peer *p = &far->peers[peer];
  const enum mpj_far_watch wanted = p->control[control].watch;
  const uint64_t news = done - p->control[control].told;
  if (wanted == MPJ_FAR_UNWATCHED || news == 0 || (wanted == MPJ_FAR_TOLD && news < STEP))
    return false;
  if (tell(far, peer, MPJ_FAR_DONE, control, done) != MPJ_SUCCESS) {
    far->seen_done[control] = UINT64_MAX;
    return false;
  }
  p->control[control].told = done;
  p->control[control].watch = MPJ_FAR_TOLD;
  return true;
}

static bool poll_done(struct mpj_far *far, unsigned control)
{
  const uint64_t done = own_done(far, control);
  bool moved = false;
  if (done == far->seen_done[control]) return false;
  far->seen_done[control] = done;
  for (int peer = 0; peer < far->size; peer++)
    moved |= tell_done(far, peer, control, done);
  return moved;
}

/* What one peer and this rank owe each other about meetings. */
static bool poll_meeting(struct mpj_far *far, int peer, unsigned control)
{
  struct mpj_far_peer *p = &far->peers[peer];
  const uint64_t all = p->control[control].meeting, owed = p->control[control].owed_meet;
  bool moved = false;
  if (all > 0 && own_met(far, control) >= all &&
      tell(far, peer, MPJ_FAR_MET, control, own_met(far, control)) == MPJ_SUCCESS) {
    p->control[control].meeting = 0;
    far->nmeetings--;
    moved = true;
  }
  if (owed > 0 && tell(far, peer, MPJ_FAR_MEET, control, owed) == MPJ_SUCCESS) {
    p->control[control].owed_meet = 0;
    far->nmeetings--;
    moved = true;
  }
  return moved;
}

bool mpj_far_poll_counts(struct mpj_far *far)
{
  bool moved = false;
  for (unsigned control = 0; control < MPJ_CONTROLS && far->nwatches > 0; control++)
    moved |= poll_done(far, control);
  for (int peer = 0; peer < far->size && far->nmeetings > 0; peer++)
    for (unsigned control = 0; control < MPJ_CONTROLS; control++)
      moved |= poll_meeting(far, peer, control);
  return moved;
}

void mpj_far_forget_counts(struct mpj_far *far, int peer)
{
  struct mpj_far_peer *p = &far->peers[peer];
  for (unsigned control = 0; control < MPJ_CONTROLS; control++) {
    if (p->control[control].watch != MPJ_FAR_UNWATCHED) far->nwatches--;
    if (p->control[control].meeting > 0) far->nmeetings--;
    if (p->control[control].owed_meet > 0) far->nmeetings--;
    p->control[control].watch = MPJ_FAR_UNWATCHED;
    p->control[control].meeting = p->control[control].owed_meet = 0;
  }
}
