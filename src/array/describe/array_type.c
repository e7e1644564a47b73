/* This file describes a distributed array as a datatype over the whole: part r is what rank r
 * holds. */
#include "array/describe/grid_ranks.h"
#include "array/ends.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

/* The copies of what `coords` names, each a patch of its own: the type is shared by all. */
struct copies {
  struct mpj_grid_array *array;
  int copy; /* number of the copy that is listed now */
};

static int peer_of_copy(void *ctx, int coords[])
{
  const struct copies *c = ctx;
  int left = c->copy;
  for (int k = c->array->grid_ndims - 1; k >= 0; k--) {
    if (c->array->axis_of[k] >= 0) continue;
    coords[k] = left % c->array->grid[k];
    left /= c->array->grid[k];
  }
  return mpj_array_rank_at(c->array, coords);
}

/* The sides of the whole array, dense in the order of its storage: its own axes, undivided. */
static int whole_sides(const struct mpj_grid_array *a, struct mpj_axis whole[],
                       struct mpj_side sides[])
{
  MPJ_Aint stride = a->extent;
  for (int i = a->ndims - 1; i >= 0; i--) {
    const int d = a->order == MPJ_ORDER_C ? i : a->ndims - 1 - i;
    const MPJ_Count size = a->axes[d].size;
    whole[i] =
        (struct mpj_axis){.size = size, .block = size > 0 ? size : 1, .procs = 1, .grid_dim = -1};
    sides[i] = (struct mpj_side){.mine = &whole[i],
                                 .theirs = &a->axes[d],
                                 .section = {0, size, 1},
                                 .their_section = {0, size, 1},
                                 .their_dim = a->axes[d].grid_dim,
                                 .stride = stride};
    if (__builtin_mul_overflow(stride, size, &stride))
      return mpj_error(MPJ_ERR_OVERFLOW, "the global array exceeds 64 bits");
  }
  return MPJ_SUCCESS;
}

int MPJ_Array_type(MPJ_Array array, MPJ_Datatype *distribution)
{
  MPJ_ENTRY;
  struct mpj_axis whole[MPJ_ARRAY_DIMS_MAX];
  struct mpj_side sides[MPJ_ARRAY_DIMS_MAX];
  struct mpj_patches patches = {0};
  struct copies copies = {.copy = 0};
  int n = 1;
  int status = mpj_array_resolve(array, "array", &copies.array);
  if (!status) status = mpj_need(distribution, "distribution");
  if (!status) status = whole_sides(copies.array, whole, sides);
  if (status) return status;
  for (int k = 0; k < copies.array->grid_ndims; k++)
    if (copies.array->axis_of[k] < 0) n *= copies.array->grid[k];
  for (; copies.copy < n && !status; copies.copy++)
    status = mpj_box(copies.array->ndims, sides, copies.array->element, peer_of_copy, &copies, 0,
                     &patches);
  if (!status) status = mpj_patches_type(&patches, copies.array->size, distribution);
  mpj_patches_end(&patches);
  return status;
}
