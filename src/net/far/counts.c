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
#include "net/net.h"

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
  if (!p->counts) p->counts = mpj_alloc_array(MPJ_ALL_CONTROLS, sizeof(struct mpj_far_count *));
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

/* The meetings of a record; NULL: there is no memory, and the peer counts as lost. */
static struct mpj_far_met *meetings_of(struct mpj_far *far, struct mpj_far_count *c)
{
  if (!c->met) c->met = mpj_alloc_array(MPJ_WINDOW, sizeof *c->met);
  if (!c->met) mpj_far_lost(far, c->peer, ENOMEM);
  return c->met;
}

static int tell(struct mpj_far *far, int peer, enum mpj_far_kind kind, unsigned control,
                uint64_t count)
{
  const struct mpj_far_number m = {control, count};
  return mpj_far_post(far, peer, kind, &m, sizeof m, true);
}

static int tell_meeting(struct mpj_far *far, const struct mpj_far_count *c, enum mpj_far_kind kind,
                        unsigned slot, uint64_t term, uint64_t all)
{
  const struct mpj_far_meeting m = {c->control, slot, term, all};
  return mpj_far_post(far, c->peer, kind, &m, sizeof m, true);
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

uint64_t mpj_far_meet(struct mpj_transport *t, int home, unsigned control, unsigned slot,
                      uint64_t term, uint64_t all)
{
  struct mpj_far *far = far_of(t);
  struct mpj_far_count *c = find(far, home, control);
  struct mpj_far_met *met = c ? meetings_of(far, c) : NULL;
  if (!met) return all - 1;
  met += slot;
  if (term != 0) {
    met->told = false;
    const bool left = tell_meeting(far, c, MPJ_FAR_MEET, slot, term, all) == MPJ_SUCCESS;
    met->term = left ? 0 : term;
    met->all = all;
  }
  return met->told ? met->word : all - 1;
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
  } else {
    c->done = m->count;
    c->asked = false;
  }
}

void mpj_far_on_meeting(struct mpj_far *far, int source, enum mpj_far_kind kind,
                        const struct mpj_far_meeting *m)
{
  struct mpj_far_count *c = find(far, source, m->control);
  struct mpj_far_met *met = c ? meetings_of(far, c) : NULL;
  if (!met) return;
  met += m->slot;
  if (kind == MPJ_FAR_MEET) {
    mpj_cells_meet(&far->home->head, far->home->rank, m->control, m->slot, m->term, m->all);
    met->awaits = true;
    met->full = m->all;
    far->asked = true;
  } else {
    met->told = true;
    met->word = m->term;
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

static bool tell_met(struct mpj_far *far, const struct mpj_far_count *c, unsigned slot)
{
  struct mpj_far_met *met = &c->met[slot];
  const uint64_t word =
      atomic_load_explicit(&own_window(far, c->control)->met[slot], memory_order_acquire);
  if (mpj_meet_beyond(word, met->full) < 0) return false;
  if (tell_meeting(far, c, MPJ_FAR_MET, slot, word, met->full) != MPJ_SUCCESS) return false;
  met->awaits = false;
  return true;
}

static bool come(struct mpj_far *far, const struct mpj_far_count *c, unsigned slot)
{
  struct mpj_far_met *met = &c->met[slot];
  if (tell_meeting(far, c, MPJ_FAR_MEET, slot, met->term, met->all) != MPJ_SUCCESS) return false;
  met->term = 0;
  return true;
}

static bool poll_meetings(struct mpj_far *far, const struct mpj_far_count *c)
{
  bool moved = false;
  for (unsigned slot = 0; slot < MPJ_WINDOW; slot++) {
    if (c->met[slot].awaits) moved |= tell_met(far, c, slot);
    if (c->met[slot].term != 0) moved |= come(far, c, slot);
    far->asked |= c->met[slot].awaits;
  }
  return moved;
}

bool mpj_far_poll_counts(struct mpj_far *far)
{
  bool moved = false;
  far->asked = false;
  for (struct mpj_far_count *c = far->counts; c; c = c->next) {
    if (c->watch != MPJ_FAR_UNWATCHED) moved |= tell_done(far, c);
    if (c->met) moved |= poll_meetings(far, c);
    far->asked |= c->watch == MPJ_FAR_ASKED;
  }
  return moved;
}

void mpj_far_forget_counts(struct mpj_far *far, int peer)
{
  for (struct mpj_far_count *c = far->counts; c; c = c->next) {
    if (c->peer != peer) continue;
    c->watch = MPJ_FAR_UNWATCHED;
    for (unsigned slot = 0; c->met && slot < MPJ_WINDOW; slot++) { /* what it has told stays */
      c->met[slot].awaits = false;
      c->met[slot].term = 0;
    }
  }
}

void mpj_far_free_counts(struct mpj_far *far)
{
  while (far->counts) {
    struct mpj_far_count *c = far->counts;
    far->counts = c->next;
    mpj_free(c->met);
    mpj_free(c);
  }
  for (int peer = 0; peer < far->size; peer++)
    mpj_free(far->peers[peer].counts);
}
