/* This file keeps ranks of different nodes informed of each other's progress,
 * and lets them meet.
 *
 * Whoever needs a peer's `done` asks once, and is told when it has risen; from
 * then on the peer tells of every STEP operations, so that a rank that only
 * sends is seldom held up by its window. At a meeting the home counts for the
 * one who came, and tells it when all are there. A peer and a window for which
 * there is no memory are lost to each other. */
#include <errno.h>

#include "base/memory.h"
#include "base/status.h"
#include "net/far/far.h"

enum { STEP = MPJ_WINDOW / 4 };

static struct mpj_far *far_of(struct mpj_transport *t)
{
  return (struct mpj_far *)t;
}

/* The record of a peer and a window, made when there is none. NULL: there is no
 * memory, and the peer counts as lost. */
static struct mpj_far_count *find(struct mpj_far *far, int peer, unsigned control)
{
  struct mpj_far_peer *p = &far->peers[peer];
  if (!p->counts) p->counts = mpj_alloc_array(MPJ_CONTROLS, sizeof(struct mpj_far_count *));
  if (p->counts && p->counts[control]) return p->counts[control];
  struct mpj_far_count *c = p->counts ? mpj_alloc_array(1, sizeof *c) : NULL;
  if (!c) {
    mpj_far_lost(far, peer, ENOMEM);
    return NULL;
  }
  c->peer = peer;
  c->control = control;
  c->next = far->counts;
  far->counts = c;
  p->counts[control] = c;
  return c;
}

static int tell(struct mpj_far *far, int peer, enum mpj_far_kind kind, unsigned control,
                uint64_t count)
{
  const struct mpj_far_number m = {control, count};
  return mpj_far_post(far, peer, kind, &m, sizeof m, true);
}

static struct mpj_control_window *own_window(const struct mpj_far *far, unsigned control)
{
  return mpj_segment_window(far->home->segment, far->home->rank, control);
}

/* Asking */

uint64_t mpj_far_done(struct mpj_transport *t, int peer, unsigned control)
{
  struct mpj_far *far = far_of(t);
  struct mpj_far_count *c = find(far, peer, control);
  if (!c) return 0;
  if (!c->asked) c->asked = tell(far, peer, MPJ_FAR_ASK_DONE, control, c->done) == MPJ_SUCCESS;
  return c->done;
}

uint64_t mpj_far_meet(struct mpj_transport *t, int home, unsigned control, uint64_t all)
{
  struct mpj_far *far = far_of(t);
  struct mpj_far_count *c = find(far, home, control);
  if (!c) return 0;
  if (all > 0) {
    c->met = 0;
    c->owed_meet = tell(far, home, MPJ_FAR_MEET, control, all) == MPJ_SUCCESS ? 0 : all;
  }
  return c->met;
}

/* Being asked */

void mpj_far_on_count(struct mpj_far *far, int source, enum mpj_far_kind kind,
                      const struct mpj_far_number *m)
{
  const unsigned control = (unsigned)m->control;
  struct mpj_far_count *c = find(far, source, control);
  if (!c) return;
  if (kind == MPJ_FAR_ASK_DONE) {
    c->watch = MPJ_FAR_ASKED;
    c->told = m->count;
    far->asked = true;
  } else if (kind == MPJ_FAR_MEET) {
    mpj_cells_meet(&far->home->head, far->home->rank, control, m->count);
    c->meeting = m->count;
    far->asked = true;
  } else if (kind == MPJ_FAR_MET) {
    c->met = m->count;
  } else {
    c->done = m->count;
    c->asked = false;
  }
}

/* Telling */

static bool tell_done(struct mpj_far *far, struct mpj_far_count *c)
{
  const uint64_t done =
      atomic_load_explicit(&own_window(far, c->control)->done, memory_order_relaxed);
  const uint64_t news = done > c->told ? done - c->told : 0;
  if (news == 0 || (c->watch == MPJ_FAR_TOLD && news < STEP)) return false;
  if (tell(far, c->peer, MPJ_FAR_DONE, c->control, done) != MPJ_SUCCESS) return false;
  c->told = done;
  c->watch = MPJ_FAR_TOLD;
  return true;
}

static bool tell_met(struct mpj_far *far, struct mpj_far_count *c)
{
  const uint64_t met =
      atomic_load_explicit(&own_window(far, c->control)->met, memory_order_acquire);
  if (met < c->meeting) return false;
  if (tell(far, c->peer, MPJ_FAR_MET, c->control, met) != MPJ_SUCCESS) return false;
  c->meeting = 0;
  return true;
}

static bool come(struct mpj_far *far, struct mpj_far_count *c)
{
  if (tell(far, c->peer, MPJ_FAR_MEET, c->control, c->owed_meet) != MPJ_SUCCESS) return false;
  c->owed_meet = 0;
  return true;
}

bool mpj_far_poll_counts(struct mpj_far *far)
{
  bool moved = false;
  far->asked = false;
  for (struct mpj_far_count *c = far->counts; c; c = c->next) {
    if (c->watch != MPJ_FAR_UNWATCHED) moved |= tell_done(far, c);
    if (c->meeting > 0) moved |= tell_met(far, c);
    if (c->owed_meet > 0) moved |= come(far, c);
    far->asked |= c->watch == MPJ_FAR_ASKED || c->meeting > 0;
  }
  return moved;
}

void mpj_far_forget_counts(struct mpj_far *far, int peer)
{
  for (struct mpj_far_count *c = far->counts; c; c = c->next) {
    if (c->peer != peer) continue;
    c->watch = MPJ_FAR_UNWATCHED;
    c->meeting = c->owed_meet = 0;
  }
}

void mpj_far_free_counts(struct mpj_far *far)
{
  while (far->counts) {
    struct mpj_far_count *c = far->counts;
    far->counts = c->next;
    mpj_free(c);
  }
  for (int peer = 0; peer < far->size; peer++)
    mpj_free(far->peers[peer].counts);
}
