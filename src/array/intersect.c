/* This file finds where two axes meet, stretch by stretch within a period. */
#include "array/intersect.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

struct side {
  const struct mpj_axis *axis;
  MPJ_Count start, step;
};

static MPJ_Count at(const struct side *side, MPJ_Count s)
{
  return side->start + s * side->step;
}

/* The first position not before s at which the index is within the stretch, or past it. */
static MPJ_Count enters(const struct side *side, const struct mpj_stretch *stretch)
{
  const MPJ_Count far =
      side->step > 0 ? stretch->start - side->start : side->start - (stretch->end - 1);
  const MPJ_Count step = side->step > 0 ? side->step : -side->step;
  return far <= 0 ? 0 : (far - 1) / step + 1;
}

/* The first position at which the index is past the stretch; it has begun by then. */
static MPJ_Count leaves(const struct side *side, const struct mpj_stretch *stretch)
{
  const MPJ_Count far =
      side->step > 0 ? stretch->end - 1 - side->start : side->start - stretch->start;
  return far / (side->step > 0 ? side->step : -side->step) + 1;
}

static MPJ_Count gcd(MPJ_Count a, MPJ_Count b)
{
  while (b != 0) {
    const MPJ_Count rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* After how many positions a side's stretches repeat; 0: they do not. */
static MPJ_Count period_of(const struct side *side)
{
  MPJ_Count advance;
  const MPJ_Count period = mpj_axis_period(side->axis, &advance);
  return period == 0 ? 0 : period / gcd(period, side->step > 0 ? side->step : -side->step);
}

/* By how much `local` advances in so many positions, which are periods of the side. */
static MPJ_Count advance_of(const struct side *side, MPJ_Count positions)
{
  MPJ_Count advance;
  const MPJ_Count period = mpj_axis_period(side->axis, &advance);
  return positions * side->step / period * advance;
}

/* The common period if there is one that fits twice, else count; so where neither is distributed.
 */
static MPJ_Count common_period(const struct side *a, const struct side *b, MPJ_Count count)
{
  const MPJ_Count p = period_of(a), q = period_of(b);
  MPJ_Count common;
  if (p == 0 || q == 0) return count;
  if (__builtin_mul_overflow(p / gcd(p, q), q, &common)) return count;
  return common > 1 && common <= count / 2 ? common : count;
}

static int add(struct mpj_intersection *m, size_t *room, struct mpj_run run)
{
  struct mpj_run *last = m->nruns > 0 ? &m->runs[m->nruns - 1] : NULL;
  if (last && last->peer == run.peer && last->s + last->len == run.s &&
      last->local + last->len * m->slope == run.local) {
    last->len += run.len;
    return MPJ_SUCCESS;
  }
  if (m->nruns == *room) {
    const size_t more = *room == 0 ? 8 : 2 * *room;
    struct mpj_run *runs = mpj_alloc_array(more, sizeof *runs);
    if (!runs) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu runs of an axis", more);
    if (m->nruns > 0) memcpy(runs, m->runs, m->nruns * sizeof *runs);
    mpj_free(m->runs);
    m->runs = runs;
    *room = more;
  }
  m->runs[m->nruns++] = run;
  return MPJ_SUCCESS;
}

/* The runs within positions [s, end), which lie in one stretch of mine, where `local` is s's. */
static int add_stretch(struct mpj_intersection *m, size_t *room, const struct side *theirs,
                       MPJ_Count s, MPJ_Count end, MPJ_Count local)
{
  int status = MPJ_SUCCESS;
  while (s < end && !status) {
    struct mpj_stretch other;
    mpj_axis_at(theirs->axis, at(theirs, s), &other);
    MPJ_Count next = leaves(theirs, &other);
    if (next > end) next = end;
    status = add(m, room,
                 (struct mpj_run){.s = s, .len = next - s, .local = local, .peer = other.coord});
    local += (next - s) * m->slope;
    s = next;
  }
  return status;
}

static int by_peer(const void *a, const void *b)
{
  const struct mpj_run *x = a, *y = b;
  if (x->peer != y->peer) return x->peer < y->peer ? -1 : 1;
  return x->s < y->s ? -1 : x->s > y->s;
}

static int list_peers(struct mpj_intersection *m)
{
  bool sorted = true;
  size_t n = m->nruns > 0;
  for (size_t i = 1; i < m->nruns; i++)
    sorted = sorted && m->runs[i].peer >= m->runs[i - 1].peer;
  if (!sorted) qsort(m->runs, m->nruns, sizeof *m->runs, by_peer);
  for (size_t i = 1; i < m->nruns; i++)
    n += m->runs[i].peer != m->runs[i - 1].peer;
  m->peers = mpj_alloc_array(n, sizeof *m->peers);
  if (!m->peers) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu peers", n);
  for (size_t i = 0; i < m->nruns; i++) {
    if (i == 0 || m->runs[i].peer != m->runs[i - 1].peer)
      m->peers[m->npeers++] = (struct mpj_common_peer){.coord = m->runs[i].peer, .first = i};
    struct mpj_common_peer *peer = &m->peers[m->npeers - 1];
    peer->n++;
    peer->ntail += m->runs[i].s < m->rest;
  }
  return MPJ_SUCCESS;
}

int mpj_intersect(const struct mpj_axis *axis, int coord, const MPJ_Range *section,
                  const struct mpj_axis *their_axis, const MPJ_Range *their_section,
                  struct mpj_intersection *m)
{
  const struct side mine = {axis, section->start, section->step};
  const struct side theirs = {their_axis, their_section->start, their_section->step};
  const int direction = mine.step > 0 ? 1 : -1;
  struct mpj_stretch stretch;
  size_t room = 0;
  int status = MPJ_SUCCESS;
  *m = (struct mpj_intersection){.slope = mine.step};
  if (section->count == 0) return MPJ_SUCCESS;
  const MPJ_Count period = common_period(&mine, &theirs, section->count);
  m->periods = section->count / period;
  m->rest = section->count % period;
  if (m->periods > 1) m->advance = advance_of(&mine, period);
  for (MPJ_Count s = 0;
       !status && s < period && mpj_axis_next(axis, coord, at(&mine, s), direction, &stretch);) {
    const MPJ_Count in = enters(&mine, &stretch);
    if (in > s) s = in;
    MPJ_Count out = leaves(&mine, &stretch);
    if (out > period) out = period;
    if (s >= out) continue;
    const MPJ_Count inside = at(&mine, s) - stretch.start;
    status = add_stretch(m, &room, &theirs, s, out, stretch.local + inside);
    s = out;
  }
  if (!status) status = list_peers(m);
  if (status) mpj_intersection_end(m);
  return status;
}

void mpj_intersection_end(struct mpj_intersection *m)
{
  mpj_free(m->runs);
  mpj_free(m->peers);
  m->runs = NULL;
  m->peers = NULL;
}
