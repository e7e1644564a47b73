/* This file plays halo exchanges and shifts of random arrays. */
#include "array/plays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNTOUCHED = -7, OTHER = 1000 };

static char *at(const struct model *m, char *buffer, MPJ_Count offset)
{
  return buffer + (size_t)offset * element_extent(m->element);
}

static int coord_of(const struct model *m, int d)
{
  return m->axes[d].distribute ? m->coords[m->axes[d].grid_dim] : 0;
}

/* The first index that this rank holds of an axis with ghosts, or -1. */
static MPJ_Count first_held(const struct model *m, int d)
{
  for (MPJ_Count g = 0; g < m->axes[d].size; g++)
    if (m->owner[d][g] == coord_of(m, d)) return g;
  return -1;
}

/* How place `at` of this rank's local array along axis d is filled: 0 it is none of the halo's, 1
 * it is held, 2 it is a ghost; *index is the global index. */
static int place_of(const struct model *m, int d, MPJ_Count place, MPJ_Count low, MPJ_Count high,
                    MPJ_Count *index)
{
  const MPJ_Axis *axis = &m->axes[d];
  const MPJ_Count held = m->held[d][coord_of(m, d)], first = first_held(m, d);
  if (held == 0) return 0;
  place -= axis->ghost_low;
  if (place < -low || place >= held + high) return 0;
  *index = first + place;
  if (place >= 0 && place < held) return 1;
  if (!axis->periodic && (*index < 0 || *index >= axis->size)) return 0;
  *index = (*index % axis->size + axis->size) % axis->size;
  return 2;
}

struct halo {
  struct model m;
  MPJ_Count low[MODEL_DIMS], high[MODEL_DIMS];
  int corners;
};

/* Whether place number n of the local array is filled, held or ghost, and by which index. */
static int filled(const struct halo *h, MPJ_Count n, MPJ_Count index[])
{
  int ghosts = 0;
  for (int d = 0; d < h->m.ndims; d++) {
    const MPJ_Count place = n / h->m.strides[d] % h->m.shape[d];
    const int how = place_of(&h->m, d, place, h->low[d], h->high[d], &index[d]);
    if (how == 0) return 0;
    ghosts += how == 2;
  }
  if (ghosts == 0) return 1;
  return ghosts == 1 || h->corners ? 2 : 0;
}

static void fill(const struct model *m, char *buffer)
{
  MPJ_Count index[MODEL_DIMS];
  for (MPJ_Count i = 0; i < model_total(m); i++) {
    model_index(m, i, index);
    if (model_holds(m, m->rank, index))
      element_set(m->element, at(m, buffer, model_offset(m, index)), i);
  }
}

static int check(const struct halo *h, char *buffer, const char *what)
{
  MPJ_Count index[MODEL_DIMS];
  for (MPJ_Count n = 0; n < model_room(&h->m); n++) {
    const int64_t wanted = filled(h, n, index) ? model_number(&h->m, index) : UNTOUCHED;
    const int64_t found = element_get(h->m.element, at(&h->m, buffer, n));
    if (found == wanted) continue;
    fprintf(stderr, "rank %d: %s: place %lld is %lld, not %lld\n", h->m.rank, what, (long long)n,
            (long long)found, (long long)wanted);
    return 1;
  }
  return 0;
}

/* Each element's ghosts, of all ranks of its copy, are 1: they are counted. */
static int check_sum(const struct run *run, struct halo *h, MPJ_Schedule schedule)
{
  const MPJ_Count total = model_total(&h->m);
  int64_t *counts = calloc((size_t)total + 1, sizeof *counts), *sums = calloc((size_t)total + 1, 8);
  char *buffer = model_buffer(&h->m, 1);
  MPJ_Count index[MODEL_DIMS];
  MPJ_Datatype type;
  int status = 0;
  for (MPJ_Count n = 0; n < model_room(&h->m); n++)
    if (filled(h, n, index) == 2) counts[model_number(&h->m, index)]++;
  MPJ_Type_contiguous(total, MPJ_INT64, &type);
  MPJ_Type_commit(&type);
  MPJ_Allreduce(counts, type, sums, type, MPJ_SUM, run->comm);
  MPJ_Type_free(&type);
  if (play_backward(schedule, run->size % 2, buffer, buffer, MPJ_SUM)) status = 1;
  for (MPJ_Count i = 0; i < total && !status; i++) {
    model_index(&h->m, i, index);
    if (!model_holds(&h->m, h->m.rank, index)) continue;
    const int64_t wanted = 1 + sums[i] / model_copies(&h->m);
    const int64_t found = element_get(h->m.element, at(&h->m, buffer, model_offset(&h->m, index)));
    status = found != wanted;
    if (status)
      fprintf(stderr, "rank %d: %lld ghosts were added, not %lld\n", h->m.rank,
              (long long)found - 1, (long long)wanted - 1);
  }
  free(counts);
  free(sums);
  free(buffer);
  return status;
}

/* From an array of the same distribution without ghosts, whose elements may be laid otherwise. */
static int from_ghostless(const struct run *run, const struct halo *h, struct mpj_random *rng)
{
  struct model plain = h->m;
  MPJ_Schedule schedule;
  plain.element = element_alike(plain.element, rng);
  MPJ_Datatype type = element_type(plain.element);
  int status = 0;
  MPJ_Count stride = 1;
  for (int i = 0; i < plain.ndims; i++) {
    const int d = plain.order == MPJ_ORDER_C ? plain.ndims - 1 - i : i;
    plain.axes[d].ghost_low = plain.axes[d].ghost_high = 0;
    plain.axes[d].periodic = 0;
    if (plain.axes[d].lengths) plain.axes[d].lengths = plain.lengths[d];
    plain.shape[d] = plain.held[d][plain.inside ? coord_of(&plain, d) : 0];
    plain.strides[d] = stride;
    stride *= plain.shape[d];
  }
  if (MPJ_Array_create_on(plain.ndims, plain.axes, plain.grid_ndims, plain.grid, plain.ranks,
                          plain.order, NULL, type, run->comm, &plain.array))
    return 1;
  MPJ_Type_free(&type);
  char *source = model_buffer(&plain, UNTOUCHED), *target = model_buffer(&h->m, UNTOUCHED);
  fill(&plain, source);
  if (MPJ_Halo_create(plain.array, h->m.array, h->low, h->high, h->corners, &schedule)) return 1;
  MPJ_Array_free(&plain.array); /* the schedule does not need it */
  if (MPJ_Schedule_forward(schedule, source, target)) status = 1;
  if (!status) status = check(h, target, "from a ghostless array");
  const size_t bytes = (size_t)model_room(&plain) * element_extent(plain.element);
  char *before = malloc(bytes + 1);
  memcpy(before, source, bytes);
  if (!status && play_backward(schedule, play_below(rng, 3), source, target, MPJ_REPLACE))
    status = 1;
  if (!status && memcmp(before, source, bytes) != 0) {
    fprintf(stderr, "rank %d: backward to a ghostless array is not the identity\n", run->rank);
    status = 1;
  }
  free(before);
  MPJ_Schedule_free(&schedule);
  free(source);
  free(target);
  return status;
}

int play_halo(const struct run *run, struct mpj_random *rng)
{
  struct halo *h = calloc(1, sizeof *h);
  const struct wanted wanted = {.ndims = 1 + play_below(rng, 4),
                                .element = (enum element)play_below(rng, ELEMENTS),
                                .ghosts = true};
  MPJ_Schedule schedule;
  int status = model_make(&h->m, rng, run->comm, &wanted);
  if (status) return status;
  h->corners = play_below(rng, 2);
  for (int d = 0; d < h->m.ndims; d++) {
    h->low[d] = play_below(rng, (int)h->m.axes[d].ghost_low + 1);
    h->high[d] = play_below(rng, (int)h->m.axes[d].ghost_high + 1);
  }
  char *buffer = model_buffer(&h->m, UNTOUCHED);
  fill(&h->m, buffer);
  if (MPJ_Halo_create(h->m.array, h->m.array, h->low, h->high, h->corners, &schedule)) {
    fprintf(stderr, "rank %d: %s\n", run->rank, MPJ_Error_detail());
    return 1;
  }
  if (play_forward(schedule, play_below(rng, 3), buffer, buffer)) status = 1;
  if (!status) status = check(h, buffer, "forward");
  if (play_limit(rng, schedule)) status = 1;
  const int form = play_below(rng, 3);
  if (!status && play_backward(schedule, form, buffer, buffer, MPJ_REPLACE)) status = 1;
  if (!status) status = check(h, buffer, "backward of forward");
  if (!status) status = check_sum(run, h, schedule);
  MPJ_Schedule_free(&schedule);
  if (!status) status = from_ghostless(run, h, rng);
  free(buffer);
  model_free(&h->m);
  free(h);
  return status;
}

int play_shift(const struct run *run, struct mpj_random *rng)
{
  struct model *m = calloc(1, sizeof *m);
  const struct wanted wanted = {.ndims = 1 + play_below(rng, MODEL_DIMS),
                                .element = (enum element)play_below(rng, ELEMENTS)};
  MPJ_Count index[MODEL_DIMS];
  MPJ_Schedule schedule;
  int status = model_make(m, rng, run->comm, &wanted);
  if (status) return status;
  const int axis = play_below(rng, m->ndims), edge = play_below(rng, 3);
  const MPJ_Count size = m->axes[axis].size, by = play_below(rng, 2 * (int)size + 3) - size - 1;
  char *source = model_buffer(m, UNTOUCHED), *target = model_buffer(m, UNTOUCHED);
  fill(m, source);
  if (MPJ_Shift_create(m->array, axis, by, edge, &schedule)) return 1;
  if (play_forward(schedule, play_below(rng, 3), source, target)) status = 1;
  for (MPJ_Count i = 0; i < model_total(m) && !status; i++) {
    model_index(m, i, index);
    if (!model_holds(m, m->rank, index)) continue;
    const int64_t found = element_get(m->element, at(m, target, model_offset(m, index)));
    index[axis] -= by;
    if (edge == MPJ_EDGE_CYCLIC) index[axis] = (index[axis] % size + size) % size;
    const bool comes = index[axis] >= 0 && index[axis] < size;
    const int64_t wanted_value = comes                   ? model_number(m, index)
                                 : edge == MPJ_EDGE_ZERO ? 0
                                                         : UNTOUCHED;
    status = found != wanted_value;
    if (status)
      fprintf(stderr, "rank %d: shift by %lld, edge %d: %lld, not %lld\n", m->rank, (long long)by,
              edge, (long long)found, (long long)wanted_value);
  }
  MPJ_Schedule_free(&schedule);
  free(source);
  free(target);
  model_free(m);
  free(m);
  return status;
}
