/* This file ends the building of schedules: where each step comes to stand, and the inverse of the
 * dependencies as one array. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/plan/builder.h"
#include "coll/plan/schedule_steps.h"

/* Where each step comes to stand: those that wait for other ranks, or depend on such, behind the
 * others, so that who runs the steps in their order has given all that it can before it waits.
 * Edges are listed by the step behind them. */
static bool place_steps(const struct mpj_schedule_builder *b, uint32_t place[])
{
  const unsigned n = b->schedule->nsteps;
  bool *waiting = mpj_alloc_array(n, sizeof *waiting);
  uint32_t next = 0;
  if (!waiting) return false;
  for (unsigned i = 0; i < n; i++) {
    const unsigned kind = b->laid[i].step.kind;
    waiting[i] = kind == MPJ_STEP_RECV || kind == MPJ_STEP_AWAIT || kind == MPJ_STEP_MEET;
  }
  for (size_t e = 0; e < b->edges; e++)
    waiting[b->edge[e].after] |= waiting[b->edge[e].before];
  for (int later = 0; later < 2; later++)
    for (unsigned i = 0; i < n; i++)
      if (waiting[i] == (later == 1)) place[i] = next++;
  mpj_free(waiting);
  return true;
}

/* Turn the list of edges into each step's array of followers. */
static void link_steps(struct mpj_schedule_builder *b, const uint32_t place[])
{
  struct mpj_schedule *s = b->schedule;
  for (unsigned i = 0; i < s->nsteps; i++) {
    s->steps[place[i]] = b->laid[i].step;
    s->steps[place[i]].first_next = b->laid[i].nnext;
    s->waits[place[i]] = b->laid[i].waits;
  }
  for (unsigned i = 0, begin = 0; i < s->nsteps; i++) /* each array is filled from its end */
    begin = s->steps[i].first_next += begin;
  for (size_t e = b->edges; e-- > 0;) {
    struct mpj_step *before = &s->steps[place[b->edge[e].before]];
    s->next[--before->first_next] = place[b->edge[e].after];
  }
}

static int by_bits(const void *a, const void *b)
{
  const uint32_t x = ((const struct mpj_expected *)a)->bit;
  const uint32_t y = ((const struct mpj_expected *)b)->bit;
  return (x > y) - (x < y);
}

static void list_expected(struct mpj_schedule *s)
{
  unsigned n = 0;
  for (unsigned i = 0; i < s->nsteps; i++) {
    const unsigned kind = s->steps[i].kind;
    if (kind == MPJ_STEP_RECV || kind == MPJ_STEP_AWAIT)
      s->expected[n++] = (struct mpj_expected){s->steps[i].bit, i};
  }
  qsort(s->expected, n, sizeof *s->expected, by_bits);
  for (unsigned k = 1; k < n; k++)
    assert(s->expected[k - 1].bit < s->expected[k].bit);
}

static void list_posted(struct mpj_schedule *s)
{
  uint32_t n = 0;
  for (unsigned i = 0; i < s->nsteps; i++)
    if (s->steps[i].posted && s->steps[i].kind == MPJ_STEP_RECV) s->posted[n++] = i;
}

/* Arrays of just the size that is needed, as the schedule will be kept. */
static bool cut_arrays(struct mpj_schedule *s, size_t edges)
{
  const size_t words = edges + s->nsteps + s->ntemporaries + s->nposted;
  s->steps = mpj_alloc_array(1, s->nsteps * sizeof *s->steps + s->noperands * sizeof *s->operands +
                                    s->nexpected * sizeof *s->expected + words * sizeof *s->next);
  if (!s->steps) return false;
  s->operands = (struct mpj_operand *)(void *)(s->steps + s->nsteps);
  s->expected = (struct mpj_expected *)(void *)(s->operands + s->noperands);
  s->next = (uint32_t *)(void *)(s->expected + s->nexpected);
  s->waits = s->next + edges;
  s->temporaries = s->waits + s->nsteps;
  s->posted = s->temporaries + s->ntemporaries;
  return true;
}

static void make_arrays(struct mpj_schedule_builder *b)
{
  struct mpj_schedule *s = b->schedule;
  uint32_t *place = mpj_alloc_array(s->nsteps, sizeof *place);
  if (!place || !cut_arrays(s, b->edges) || !place_steps(b, place)) {
    mpj_free(place);
    b->status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a schedule of %u steps", s->nsteps);
    return;
  }
  memcpy(s->operands, b->operand, s->noperands * sizeof *s->operands);
  if (s->ntemporaries > 0)
    memcpy(s->temporaries, b->temporary, s->ntemporaries * sizeof *s->temporaries);
  s->nnext = (uint32_t)b->edges;
  link_steps(b, place);
  list_posted(s);
  list_expected(s);
  mpj_free(place);
}

int mpj_schedule_finish(struct mpj_schedule_builder *b, struct mpj_schedule **schedule)
{
  struct mpj_schedule *s = b->schedule;
  if (b->status == MPJ_SUCCESS && b->edges > INT32_MAX)
    b->status = mpj_error(MPJ_ERR_UNSUPPORTED, "a schedule has %zu dependencies, at most %d",
                          b->edges, INT32_MAX);
  if (b->status == MPJ_SUCCESS) make_arrays(b);
  const int status = b->status;
  if (status == MPJ_SUCCESS)
    *schedule = s;
  else
    mpj_schedule_drop(s);
  mpj_free(b->laid);
  mpj_free(b->edge);
  mpj_free(b->operand);
  mpj_free(b->temporary);
  for (struct room *room = b->rooms, *next; room; room = next) {
    next = room->next;
    mpj_free(room);
  }
  mpj_free(b);
  return status;
}

void mpj_schedule_drop(struct mpj_schedule *s)
{
  for (int k = 0; k < 2; k++)
    mpj_sequence_release(s->lists[k].numbers);
  mpj_free(s->steps);
  mpj_free(s);
}
