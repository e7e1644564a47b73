/* This file describes the ends of a schedule to those who list what they have in common. */
#include "array/ends.h"

#include "array/describe/grid_ranks.h"
#include "base/memory.h"
#include "base/status.h"

static const struct mpj_axis point = {.size = 1, .block = 1, .procs = 1, .grid_dim = -1};

struct mpj_end mpj_end_whole(struct mpj_grid_array *array, int order)
{
  struct mpj_end end = {.array = array, .n = array->ndims};
  for (int i = 0; i < array->ndims; i++) {
    const int d = order == MPJ_ORDER_C ? i : array->ndims - 1 - i;
    end.axis[i] = d;
    end.range[i] = (MPJ_Range){0, array->axes[d].size, 1};
  }
  return end;
}

void mpj_sides(const struct mpj_end *mine, const struct mpj_end *theirs, const int coords[],
               struct mpj_side sides[])
{
  const struct mpj_grid_array *a = mine->array;
  MPJ_Count sizes[MPJ_ARRAY_DIMS_MAX], strides[MPJ_ARRAY_DIMS_MAX];
  mpj_array_shape(a, true, coords, sizes, strides);
  for (int i = 0; i < mine->n; i++) {
    const int d = mine->axis[i], e = theirs->axis[i];
    struct mpj_side *s = &sides[i];
    *s = (struct mpj_side){.mine = d < 0 ? &point : &a->axes[d],
                           .theirs = e < 0 ? &point : &theirs->array->axes[e],
                           .section = mine->range[i],
                           .their_section = theirs->range[i],
                           .coord = d < 0 ? 0 : mpj_array_coord(a, d, coords),
                           .their_dim = e < 0 ? -1 : theirs->array->axes[e].grid_dim,
                           .stride = d < 0 ? a->extent : strides[d] * a->extent};
    s->origin = s->mine->low * s->stride;
  }
}

struct mpj_axis mpj_axis_of_one(int coord)
{
  return (struct mpj_axis){
      .size = INT64_MAX, .block = INT64_MAX, .procs = coord + 1, .first = coord, .grid_dim = -1};
}

static int itself(void *ctx, int coords[])
{
  (void)coords;
  return *(const int *)ctx;
}

int mpj_held_part(const struct mpj_end *end, int rank, MPJ_Datatype *type)
{
  const struct mpj_axis any = mpj_axis_of_one(0);
  struct mpj_side sides[2 * MPJ_ARRAY_DIMS_MAX];
  struct mpj_patches patches = {0};
  int own[MPJ_ARRAY_DIMS_MAX], status = MPJ_SUCCESS;
  if (mpj_array_coords(end->array, rank, own)) {
    mpj_sides(end, end, own, sides);
    for (int i = 0; i < end->n; i++) {
      sides[i].theirs = &any;
      sides[i].their_section = (MPJ_Range){0, end->range[i].count, 1};
      sides[i].their_dim = -1;
    }
    status = mpj_box(end->n, sides, end->array->element, itself, &rank, 0, &patches);
  }
  if (!status && patches.n == 0)
    status = MPJ_Type_contiguous(0, end->array->element, type);
  else if (!status)
    status = MPJ_Type_dup(patches.list[0].type, type);
  mpj_patches_end(&patches);
  return status ? status : MPJ_Type_commit(type);
}

int mpj_peer_in_copy(void *ctx, int coords[])
{
  const struct mpj_in_copy *c = ctx;
  for (int k = 0; k < c->array->grid_ndims; k++)
    if (c->array->axis_of[k] < 0) coords[k] = c->own[k];
  return mpj_array_rank_at(c->array, coords);
}

void mpj_nearest_copy(const struct mpj_grid_array *from, int receiver, int coords[])
{
  int own[MPJ_ARRAY_DIMS_MAX];
  if (!mpj_array_coords(from, receiver, own))
    mpj_array_coords_at(from, receiver % from->positions, own);
  for (int k = 0; k < from->grid_ndims; k++)
    if (from->axis_of[k] < 0) coords[k] = own[k];
}
