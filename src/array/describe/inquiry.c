/* This file answers questions about a distributed array; none communicates. */
#include <inttypes.h>

#include "array/describe/grid_array.h"
#include "array/describe/grid_ranks.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

static int check_rank(const struct mpj_grid_array *a, int rank)
{
  if (rank >= 0 && rank < a->size) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "rank is %d, comm has %d ranks", rank, a->size);
}

/* The array behind the handle, and the coordinates of a rank. */
static int begin(MPJ_Array handle, int rank, struct mpj_grid_array **array, int coords[],
                 bool *inside)
{
  int status = mpj_array_resolve(handle, "array", array);
  if (!status) status = check_rank(*array, rank);
  if (!status) *inside = mpj_array_coords(*array, rank, coords);
  return status;
}

int MPJ_Array_local(MPJ_Array array, int rank, MPJ_Count sizes[], MPJ_Count strides[])
{
  MPJ_ENTRY;
  struct mpj_grid_array *a;
  int coords[MPJ_ARRAY_DIMS_MAX];
  bool inside;
  int status = begin(array, rank, &a, coords, &inside);
  if (!status) status = mpj_need(sizes, "sizes");
  if (!status) status = mpj_need(strides, "strides");
  if (status) return status;
  if (inside) {
    mpj_array_shape(a, rank == a->rank, coords, sizes, strides);
    return MPJ_SUCCESS;
  }
  for (int d = 0; d < a->ndims; d++)
    sizes[d] = strides[d] = 0;
  return MPJ_SUCCESS;
}

int MPJ_Array_owner(MPJ_Array array, const MPJ_Count index[], int *rank, MPJ_Count *offset)
{
  MPJ_ENTRY;
  struct mpj_grid_array *a;
  struct mpj_stretch stretch;
  MPJ_Count sizes[MPJ_ARRAY_DIMS_MAX], strides[MPJ_ARRAY_DIMS_MAX], local[MPJ_ARRAY_DIMS_MAX];
  int coords[MPJ_ARRAY_DIMS_MAX] = {0};
  int status = mpj_array_resolve(array, "array", &a);
  if (!status) status = mpj_need(index, "index");
  if (!status) status = mpj_need(rank, "rank");
  if (!status) status = mpj_need(offset, "offset");
  if (status) return status;
  for (int d = 0; d < a->ndims; d++) {
    const struct mpj_axis *axis = &a->axes[d];
    if (index[d] < 0 || index[d] >= axis->size)
      return mpj_error(MPJ_ERR_ARG, "index[%d] is %" PRId64 ", the axis has %" PRId64 " indices", d,
                       index[d], axis->size);
    mpj_axis_at(axis, index[d], &stretch);
    if (axis->grid_dim >= 0) coords[axis->grid_dim] = stretch.coord;
    local[d] = axis->low + stretch.local + index[d] - stretch.start;
  }
  *rank = mpj_array_rank_at(a, coords);
  mpj_array_shape(a, *rank == a->rank, coords, sizes, strides);
  *offset = 0;
  for (int d = 0; d < a->ndims; d++)
    *offset += local[d] * strides[d];
  return MPJ_SUCCESS;
}

/* The axes, the slowest in memory first. */
static int nth_axis(const struct mpj_grid_array *a, int i)
{
  return a->order == MPJ_ORDER_C ? i : a->ndims - 1 - i;
}

int MPJ_Array_global(MPJ_Array array, int rank, MPJ_Count offset, MPJ_Count index[])
{
  MPJ_ENTRY;
  struct mpj_grid_array *a;
  MPJ_Count sizes[MPJ_ARRAY_DIMS_MAX], strides[MPJ_ARRAY_DIMS_MAX], found[MPJ_ARRAY_DIMS_MAX];
  int coords[MPJ_ARRAY_DIMS_MAX];
  bool inside;
  int status = begin(array, rank, &a, coords, &inside);
  if (!status) status = mpj_need(index, "index");
  if (status) return status;
  if (!inside) return mpj_error(MPJ_ERR_ARG, "rank %d is outside the array's grid", rank);
  mpj_array_shape(a, rank == a->rank, coords, sizes, strides);
  MPJ_Count left = offset;
  for (int i = 0; i < a->ndims; i++) {
    const int d = nth_axis(a, i), coord = mpj_array_coord(a, d, coords);
    const struct mpj_axis *axis = &a->axes[d];
    const MPJ_Count held = mpj_axis_held(axis, coord);
    const MPJ_Count at = (left < 0 || strides[d] == 0 ? -1 : left / strides[d]) - axis->low;
    if (at < 0 || at >= held)
      return mpj_error(MPJ_ERR_ARG, "offset %" PRId64 " of rank %d is no element that it owns",
                       offset, rank);
    found[d] = mpj_axis_global(axis, coord, at);
    left -= (at + axis->low) * strides[d];
  }
  memcpy(index, found, (size_t)a->ndims * sizeof *index);
  return MPJ_SUCCESS;
}

int MPJ_Array_ranges(MPJ_Array array, int rank, int axis, MPJ_Count max, MPJ_Range ranges[],
                     MPJ_Count *n)
{
  MPJ_ENTRY;
  struct mpj_grid_array *a;
  struct mpj_stretch stretch;
  int coords[MPJ_ARRAY_DIMS_MAX];
  bool inside;
  int status = begin(array, rank, &a, coords, &inside);
  if (!status) status = mpj_need(n, "n");
  if (!status && max < 0)
    status = mpj_error(MPJ_ERR_ARG, "max is %" PRId64 ", must be at least 0", max);
  if (!status && max > 0) status = mpj_need(ranges, "ranges");
  if (status) return status;
  if (axis < 0 || axis >= a->ndims)
    return mpj_error(MPJ_ERR_ARG, "axis is %d, the array has %d axes", axis, a->ndims);
  const struct mpj_axis *x = &a->axes[axis];
  *n = 0;
  if (!inside) return MPJ_SUCCESS;
  const int coord = mpj_array_coord(a, axis, coords);
  *n = mpj_axis_stretches(x, coord);
  MPJ_Count g = 0;
  for (MPJ_Count i = 0; i < max && mpj_axis_next(x, coord, g, 1, &stretch); i++) {
    ranges[i] = (MPJ_Range){stretch.start, stretch.end - stretch.start, 1};
    g = stretch.end;
  }
  return MPJ_SUCCESS;
}

int MPJ_Array_coords(MPJ_Array array, int rank, int coords[])
{
  MPJ_ENTRY;
  struct mpj_grid_array *a;
  int found[MPJ_ARRAY_DIMS_MAX];
  bool inside;
  int status = begin(array, rank, &a, found, &inside);
  if (!status) status = mpj_need(coords, "coords");
  if (status) return status;
  for (int k = 0; k < a->grid_ndims; k++)
    coords[k] = inside ? found[k] : MPJ_UNDEFINED;
  return MPJ_SUCCESS;
}
