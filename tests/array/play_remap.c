/* This file plays remaps between random arrays. */
#include "array/plays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct remap {
  struct model from, to;
  MPJ_Range section[MODEL_DIMS], to_section[MODEL_DIMS];
  int axis_of[MODEL_DIMS];
  MPJ_Count positions;
  MPJ_Schedule schedule;
  char *source, *target;
};

enum { UNTOUCHED = -7, OTHER = 1000 };

static MPJ_Range random_range(struct mpj_random *rng, MPJ_Count size, MPJ_Count count)
{
  MPJ_Range r = {0, count, 1};
  if (count == 0) return r;
  const MPJ_Count most = count > 1 ? (size - 1) / (count - 1) : 5;
  r.step = 1 + play_below(rng, (int)(most < 4 ? most : 4));
  const MPJ_Count span = (count - 1) * r.step;
  r.start = play_below(rng, (int)(size - span));
  if (play_below(rng, 3) == 0) {
    r.start += span;
    r.step = -r.step;
  }
  return r;
}

static void random_sections(struct remap *r, struct mpj_random *rng)
{
  const int n = r->from.ndims;
  for (int d = 0; d < n; d++)
    r->axis_of[d] = d;
  for (int d = n - 1; d > 0; d--) {
    const int other = play_below(rng, d + 1), axis = r->axis_of[d];
    r->axis_of[d] = r->axis_of[other];
    r->axis_of[other] = axis;
  }
  r->positions = 1;
  for (int d = 0; d < n; d++) {
    const int e = r->axis_of[d];
    const MPJ_Count a = r->from.axes[e].size, b = r->to.axes[d].size, most = a < b ? a : b;
    const MPJ_Count count = play_below(rng, 3) == 0 ? play_below(rng, (int)most + 1) : most;
    r->section[e] = random_range(rng, a, count);
    r->to_section[d] = random_range(rng, b, count);
    r->positions *= count;
  }
}

/* The indices of a position, numbered in any order. */
static void indices(const struct remap *r, MPJ_Count position, MPJ_Count from[], MPJ_Count to[])
{
  for (int d = 0; d < r->from.ndims; d++) {
    const int e = r->axis_of[d];
    const MPJ_Count s = position % r->section[e].count;
    position /= r->section[e].count;
    from[e] = r->section[e].start + s * r->section[e].step;
    to[d] = r->to_section[d].start + s * r->to_section[d].step;
  }
}

static void fill_source(struct remap *r)
{
  MPJ_Count index[MODEL_DIMS];
  for (MPJ_Count i = 0; i < model_total(&r->from); i++) {
    model_index(&r->from, i, index);
    if (model_holds(&r->from, r->from.rank, index))
      element_set(
          r->from.element,
          r->source + (size_t)model_offset(&r->from, index) * element_extent(r->from.element), i);
  }
}

/* What `to` holds after forward, if it was UNTOUCHED. */
static int check_forward(const struct remap *r)
{
  const size_t extent = element_extent(r->to.element);
  const size_t bytes = (size_t)model_room(&r->to) * extent;
  char *wanted = model_buffer(&r->to, UNTOUCHED);
  MPJ_Count from[MODEL_DIMS], to[MODEL_DIMS];
  for (MPJ_Count i = 0; i < r->positions; i++) {
    indices(r, i, from, to);
    if (model_holds(&r->to, r->to.rank, to))
      element_set(r->to.element, wanted + (size_t)model_offset(&r->to, to) * extent,
                  model_number(&r->from, from));
  }
  const int differs = memcmp(wanted, r->target, bytes) != 0;
  if (differs)
    fprintf(stderr, "rank %d: %lld positions, forward differs\n", r->to.rank,
            (long long)r->positions);
  free(wanted);
  return differs;
}

/* What copy `rank` of `to` has at an index, where backward is to add or replace it. */
static int64_t value_of(const struct remap *r, int rank, const MPJ_Count to[])
{
  return OTHER + 17 * model_number(&r->to, to) + 3 * rank;
}

static void fill_target(struct remap *r)
{
  MPJ_Count from[MODEL_DIMS], to[MODEL_DIMS];
  for (MPJ_Count i = 0; i < r->positions; i++) {
    indices(r, i, from, to);
    if (model_holds(&r->to, r->to.rank, to))
      element_set(r->to.element,
                  r->target + (size_t)model_offset(&r->to, to) * element_extent(r->to.element),
                  value_of(r, r->to.rank, to));
  }
}

/* Of a source that is replicated some copy has changed, and each has or has not. */
static int check_backward(const struct remap *r, MPJ_Op op)
{
  const size_t extent = element_extent(r->from.element);
  MPJ_Count from[MODEL_DIMS], to[MODEL_DIMS];
  for (MPJ_Count i = 0; i < r->positions; i++) {
    indices(r, i, from, to);
    int64_t wanted = op == MPJ_SUM ? model_number(&r->from, from) : 0;
    if (op == MPJ_SUM)
      for (int rank = 0; rank < r->to.size; rank++)
        wanted += model_holds(&r->to, rank, to) ? value_of(r, rank, to) : 0;
    else
      wanted = value_of(r, model_highest(&r->to, to), to);
    if (!model_holds(&r->from, r->from.rank, from)) continue;
    const int64_t found =
        element_get(r->from.element, r->source + (size_t)model_offset(&r->from, from) * extent);
    if (found == wanted) continue;
    if (model_copies(&r->from) > 1 && found == model_number(&r->from, from)) continue;
    fprintf(stderr, "rank %d: backward gives %lld, not %lld\n", r->from.rank, (long long)found,
            (long long)wanted);
    return 1;
  }
  return 0;
}

static int failed(const struct run *run, const char *what)
{
  fprintf(stderr, "rank %d: %s: %s\n", run->rank, what, MPJ_Error_detail());
  return 1;
}

static int play(const struct run *run, struct remap *r, struct mpj_random *rng)
{
  const bool named = play_below(rng, 2);
  const size_t bytes = (size_t)model_room(&r->from) * element_extent(r->from.element);
  if (named)
    random_sections(r, rng);
  else {
    r->positions = 1;
    for (int d = 0; d < r->from.ndims; d++) {
      r->axis_of[d] = d;
      r->section[d] = r->to_section[d] = (MPJ_Range){0, r->from.axes[d].size, 1};
      r->positions *= r->from.axes[d].size;
      if (r->from.axes[d].size != r->to.axes[d].size) return 0;
    }
  }
  if (MPJ_Remap_create(r->from.array, named ? r->section : NULL, r->to.array,
                       named ? r->to_section : NULL, named ? r->axis_of : NULL, &r->schedule))
    return failed(run, "MPJ_Remap_create");
  fill_source(r);
  char *before = malloc(bytes + 1);
  memcpy(before, r->source, bytes);
  int status = 0;
  if (MPJ_Schedule_forward(r->schedule, r->source, r->target))
    status = failed(run, "MPJ_Schedule_forward");
  if (!status) status = check_forward(r);
  if (!status && MPJ_Schedule_backward(r->schedule, r->source, r->target, MPJ_REPLACE))
    status = failed(run, "MPJ_Schedule_backward");
  if (!status && memcmp(before, r->source, bytes) != 0) status = failed(run, "not the identity");
  fill_target(r);
  const MPJ_Op op = play_below(rng, 2) ? MPJ_SUM : MPJ_REPLACE;
  if (!status && MPJ_Schedule_backward(r->schedule, r->source, r->target, op))
    status = failed(run, "MPJ_Schedule_backward with an op");
  if (!status) status = check_backward(r, op);
  free(before);
  MPJ_Schedule_free(&r->schedule);
  return status;
}

int play_remap(const struct run *run, struct mpj_random *rng)
{
  struct remap *r = calloc(1, sizeof *r);
  const struct wanted wanted = {.ndims = 1 + play_below(rng, MODEL_DIMS),
                                .element = (enum element)play_below(rng, ELEMENTS),
                                .ghosts = play_below(rng, 4) == 0};
  int status = model_make(&r->from, rng, run->comm, &wanted);
  if (!status) status = model_make(&r->to, rng, run->comm, &wanted);
  if (status) return status;
  r->source = model_buffer(&r->from, UNTOUCHED);
  r->target = model_buffer(&r->to, UNTOUCHED);
  status = play(run, r, rng);
  free(r->source);
  free(r->target);
  model_free(&r->from);
  model_free(&r->to);
  free(r);
  return status;
}
