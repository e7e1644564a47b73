/* This file makes shifts along an axis: index i goes to index i + by. Each copy of a replicated
 * array is shifted by itself. */
#include <inttypes.h>

#include "array/describe/grid_ranks.h"
#include "array/ends.h"
#include "array/schedule_life.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

/* Indices [from, from + count) of the axis, which go to [to, to + count). */
static int move(struct mpj_array_schedule *s, struct mpj_end ends[2], int i, MPJ_Count from,
                MPJ_Count to, MPJ_Count count, int key)
{
  struct mpj_side sides[MPJ_ARRAY_DIMS_MAX];
  int own[MPJ_ARRAY_DIMS_MAX];
  struct mpj_grid_array *a = ends[0].array;
  struct mpj_in_copy copy = {a, own};
  if (count <= 0 || !mpj_array_coords(a, s->rank, own)) return MPJ_SUCCESS;
  ends[0].range[i] = (MPJ_Range){from, count, 1};
  ends[1].range[i] = (MPJ_Range){to, count, 1};
  mpj_sides(&ends[0], &ends[1], own, sides);
  int status = mpj_box(a->ndims, sides, a->element, mpj_peer_in_copy, &copy, key, &s->out);
  if (status) return status;
  mpj_sides(&ends[1], &ends[0], own, sides);
  return mpj_box(a->ndims, sides, a->element, mpj_peer_in_copy, &copy, key, &s->in);
}

/* Zeros into [start, start + count) of the axis. */
static int add_zeros(struct mpj_array_schedule *s, struct mpj_end *end, int i, MPJ_Count start,
                     MPJ_Count count)
{
  MPJ_Count bytes;
  struct mpj_phase *phase = &s->phases[s->nphases++];
  *phase = (struct mpj_phase){.kind = MPJ_PHASE_ZERO};
  end->range[i] = (MPJ_Range){start, count, 1};
  s->zeros = mpj_alloc_array(1, (size_t)s->true_extent);
  if (!s->zeros) return mpj_error(MPJ_ERR_NO_MEM, "no memory for an element");
  int status = mpj_held_part(end, s->rank, &phase->recv);
  if (!status) status = MPJ_Type_size(phase->recv, &bytes);
  const MPJ_Count n = status || bytes == 0 ? 0 : bytes / s->element_bytes;
  const MPJ_Aint at = -s->true_lb;
  MPJ_Datatype one = MPJ_DATATYPE_NULL;
  if (!status) status = MPJ_Type_create_hindexed_block(1, 1, &at, s->element, &one);
  if (!status) status = MPJ_Type_create_hvector(n, 1, 0, one, &phase->send);
  if (one) MPJ_Type_free(&one);
  return status ? status : MPJ_Type_commit(&phase->send);
}

static int lay(struct mpj_array_schedule *s, struct mpj_grid_array *a, int axis, MPJ_Count by,
               int edge)
{
  struct mpj_end ends[2] = {mpj_end_whole(a, a->order), mpj_end_whole(a, a->order)};
  const MPJ_Count size = a->axes[axis].size;
  const int i = a->order == MPJ_ORDER_C ? axis : a->ndims - 1 - axis;
  if (edge == MPJ_EDGE_CYCLIC) {
    by = size == 0 ? 0 : by % size;
    if (by < 0) by += size;
  }
  if (by > size) by = size;
  if (by < -size) by = -size;
  const MPJ_Count stay = size - (by < 0 ? -by : by), low = by < 0 ? -by : 0, high = by < 0 ? 0 : by;
  int status = move(s, ends, i, low, high, stay, 0);
  if (!status && edge == MPJ_EDGE_CYCLIC) status = move(s, ends, i, stay, 0, by, 1);
  if (!status) status = mpj_array_schedule_exchange(s, false);
  if (!status && edge == MPJ_EDGE_ZERO)
    status = add_zeros(s, &ends[1], i, by < 0 ? stay : 0, size - stay);
  return status;
}

int MPJ_Shift_create(MPJ_Array array, int axis, MPJ_Count by, int edge, MPJ_Schedule *schedule)
{
  MPJ_ENTRY;
  struct mpj_grid_array *a;
  struct mpj_array_schedule *s = NULL;
  int status = mpj_array_resolve(array, "array", &a);
  if (status) return status;
  status = mpj_need(schedule, "schedule");
  if (!status && (axis < 0 || axis >= a->ndims))
    status = mpj_error(MPJ_ERR_ARG, "axis is %d, the array has %d axes", axis, a->ndims);
  if (!status && edge != MPJ_EDGE_KEEP && edge != MPJ_EDGE_ZERO && edge != MPJ_EDGE_CYCLIC)
    status = mpj_error(MPJ_ERR_ARG, "edge is %d, which is no MPJ_EDGE_", edge);
  if (!status) status = mpj_array_schedule_new("shift", a->comm, a->element, &s);
  if (!status) status = lay(s, a, axis, by, edge);
  const struct mpj_fact facts[] = {{.name = "the serial number of array", .value = a->serial},
                                   {.name = "axis", .value = axis},
                                   {.name = "by", .value = by},
                                   {.name = "edge", .value = edge, .kind = MPJ_NUMBER_EDGE}};
  MPJ_Count serial;
  status = mpj_array_agree_new(a->comm, status, 4, facts, &serial);
  if (status) {
    mpj_array_schedule_release(s);
    return status;
  }
  s->serial = serial;
  *schedule = s;
  return MPJ_SUCCESS;
}
