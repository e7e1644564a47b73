/* This file makes and frees descriptions of distributed arrays. */
#include "array/describe/grid_ranks.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/config/config.h"
#include "base/entry.h"
#include "base/hot.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "types/type.h"

static struct mpj_pool pool = MPJ_POOL_INITIALIZER(MPJ_ARRAY_MARK, struct mpj_grid_array);

int mpj_array_resolve(MPJ_Array handle, const char *argument, struct mpj_grid_array **array)
{
  if (handle == MPJ_ARRAY_NULL) return mpj_error(MPJ_ERR_ARG, "%s is MPJ_ARRAY_NULL", argument);
  if (!mpj_pool_is_live(&pool, handle) || handle->freed)
    return mpj_error(MPJ_ERR_ARG, "%s %p %s", argument, (void *)handle,
                     mpj_pool_has(&pool, handle) ? "has been freed" : "is no array");
  *array = handle;
  return MPJ_SUCCESS;
}

struct mpj_grid_array *mpj_array_retain(struct mpj_grid_array *array)
{
  mpj_refcount_up(&array->references);
  return array;
}

void mpj_array_release(struct mpj_grid_array *array)
{
  if (!array || mpj_refcount_down(&array->references) > 1) return;
  for (int d = 0; array->axes && d < array->ndims; d++)
    mpj_axis_end(&array->axes[d]);
  if (array->replicas) MPJ_Comm_free(&array->replicas);
  if (array->element) MPJ_Type_free(&array->element);
  mpj_free(array->axes);
  mpj_free(array->grid);
  mpj_free(array->axis_of);
  mpj_free(array->ranks);
  mpj_free(array->position_of);
  mpj_free(array->padding);
  mpj_pool_give(&pool, array);
}

static int no_memory(void)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for an array");
}

static int check_grid(struct mpj_grid_array *a, const int grid[], const int ranks[])
{
  MPJ_Count positions = 1;
  for (int k = 0; k < a->grid_ndims; k++) {
    if (grid[k] < 1)
      return mpj_error(MPJ_ERR_ARG, "grid[%d] is %d, must be at least 1", k, grid[k]);
    positions *= grid[k];
    if (positions > a->size)
      return mpj_error(MPJ_ERR_ARG, "grid has %" PRId64 " places or more, comm has %d ranks",
                       positions, a->size);
    a->grid[k] = grid[k];
    a->axis_of[k] = -1;
  }
  a->positions = (int)positions;
  if (!ranks) return MPJ_SUCCESS;
  a->ranks = mpj_alloc_array((size_t)positions, sizeof *ranks);
  a->position_of = mpj_alloc_array((size_t)a->size, sizeof *ranks);
  if (!a->ranks || !a->position_of) return no_memory();
  for (int r = 0; r < a->size; r++)
    a->position_of[r] = -1;
  for (int i = 0; i < a->positions; i++) {
    if (ranks[i] < 0 || ranks[i] >= a->size)
      return mpj_error(MPJ_ERR_ARG, "ranks[%d] is %d, comm has %d ranks", i, ranks[i], a->size);
    if (a->position_of[ranks[i]] >= 0)
      return mpj_error(MPJ_ERR_ARG, "ranks[%d] is %d, as ranks[%d] is", i, ranks[i],
                       a->position_of[ranks[i]]);
    a->ranks[i] = ranks[i];
    a->position_of[ranks[i]] = i;
  }
  return MPJ_SUCCESS;
}

static int begin_axes(struct mpj_grid_array *a, const MPJ_Axis axes[])
{
  for (int d = 0; d < a->ndims; d++) {
    const int status = mpj_axis_begin(&a->axes[d], d, &axes[d], a->grid_ndims, a->grid);
    if (status) {
      a->axes[d] = (struct mpj_axis){0};
      return status;
    }
    const int dim = a->axes[d].grid_dim;
    if (dim < 0) continue;
    if (a->axis_of[dim] >= 0)
      return mpj_error(MPJ_ERR_ARG, "axes[%d] and axes[%d] are both over grid dimension %d",
                       a->axis_of[dim], d, dim);
    a->axis_of[dim] = d;
  }
  return MPJ_SUCCESS;
}

/* This rank's local array has room, and fits 64 bits. */
static int check_shape(struct mpj_grid_array *a, const MPJ_Count local_sizes[])
{
  MPJ_Count sizes[MPJ_ARRAY_DIMS_MAX], strides[MPJ_ARRAY_DIMS_MAX], elements = 1;
  int coords[MPJ_ARRAY_DIMS_MAX];
  MPJ_Aint bytes;
  if (!mpj_array_coords(a, a->rank, coords)) return MPJ_SUCCESS;
  for (int d = 0; d < a->ndims; d++) {
    const struct mpj_axis *axis = &a->axes[d];
    sizes[d] = mpj_axis_held(axis, mpj_array_coord(a, d, coords)) + axis->low + axis->high;
    if (local_sizes && local_sizes[d] < sizes[d])
      return mpj_error(MPJ_ERR_ARG,
                       "local_sizes[%d] is %" PRId64 ", this rank holds %" PRId64
                       " indices of that axis, ghosts counted",
                       d, local_sizes[d], sizes[d]);
    if (!mpj_mul_count(elements, local_sizes ? local_sizes[d] : sizes[d], &elements))
      return mpj_error(MPJ_ERR_OVERFLOW,
                       "the local array exceeds 64 bits with axes[%d], of which this rank has "
                       "%" PRId64 " indices",
                       d, local_sizes ? local_sizes[d] : sizes[d]);
  }
  if (!mpj_mul_aint(elements, a->extent, &bytes))
    return mpj_error(MPJ_ERR_OVERFLOW,
                     "the local array of %" PRId64 " elements of %" PRIdPTR
                     " bytes exceeds 64 bits",
                     elements, a->extent);
  if (local_sizes) {
    a->padding = mpj_alloc_array((size_t)a->ndims, sizeof *a->padding);
    if (!a->padding) return no_memory();
    memcpy(a->padding, local_sizes, (size_t)a->ndims * sizeof *local_sizes);
  }
  mpj_array_shape(a, true, coords, sizes, strides);
  return MPJ_SUCCESS;
}

static int check_dims(int ndims, const MPJ_Axis axes[], int grid_ndims, const int grid[], int order)
{
  if (ndims < 1 || ndims > MPJ_ARRAY_DIMS_MAX)
    return mpj_error(MPJ_ERR_ARG, "ndims is %d, must be 1 to %d", ndims, MPJ_ARRAY_DIMS_MAX);
  if (grid_ndims < 0 || grid_ndims > MPJ_ARRAY_DIMS_MAX)
    return mpj_error(MPJ_ERR_ARG, "grid_ndims is %d, must be 0 to %d", grid_ndims,
                     MPJ_ARRAY_DIMS_MAX);
  if (order != MPJ_ORDER_C && order != MPJ_ORDER_FORTRAN)
    return mpj_error(MPJ_ERR_ARG, "order is %d, must be MPJ_ORDER_C or MPJ_ORDER_FORTRAN", order);
  const int status = mpj_need(axes, "axes");
  return status || grid_ndims == 0 ? status : mpj_need(grid, "grid");
}

static int fill(struct mpj_grid_array *a, const MPJ_Axis axes[], const int grid[],
                const int ranks[], const MPJ_Count local_sizes[], MPJ_Datatype element)
{
  MPJ_Aint lb;
  a->axes = mpj_alloc_array((size_t)a->ndims, sizeof *a->axes);
  a->grid = mpj_alloc_array((size_t)a->grid_ndims, sizeof *a->grid);
  a->axis_of = mpj_alloc_array((size_t)a->grid_ndims, sizeof *a->axis_of);
  if (!a->axes || !a->grid || !a->axis_of) return no_memory();
  struct mpj_type *known;
  int status = mpj_type_resolve(element, "element", &known);
  if (!status) status = MPJ_Type_get_extent(element, &lb, &a->extent);
  if (!status) status = MPJ_Type_dup(element, &a->element);
  if (!status) status = MPJ_Type_commit(&a->element);
  if (!status) status = check_grid(a, grid, ranks);
  if (!status) status = begin_axes(a, axes);
  return status ? status : check_shape(a, local_sizes);
}

int mpj_array_describe(int ndims, const MPJ_Axis axes[], int grid_ndims, const int grid[],
                       const int ranks[], int order, const MPJ_Count local_sizes[],
                       MPJ_Datatype element, int size, int rank, struct mpj_grid_array **array)
{
  int status = check_dims(ndims, axes, grid_ndims, grid, order);
  if (status) return status;
  struct mpj_grid_array *a = mpj_pool_take(&pool);
  if (!a) return no_memory();
  mpj_refcount_up(&a->references);
  a->ndims = ndims;
  a->grid_ndims = grid_ndims;
  a->order = order;
  a->size = size;
  a->rank = rank;
  status = fill(a, axes, grid, ranks, local_sizes, element);
  if (status)
    mpj_array_release(a);
  else
    *array = a;
  return status;
}

void mpj_array_coords_at(const struct mpj_grid_array *a, int position, int coords[])
{
  for (int k = a->grid_ndims - 1; k >= 0; k--) {
    coords[k] = position % a->grid[k];
    position /= a->grid[k];
  }
}

bool mpj_array_coords(const struct mpj_grid_array *a, int rank, int coords[])
{
  const int position = a->position_of ? a->position_of[rank] : rank;
  if (position < 0 || position >= a->positions) return false;
  mpj_array_coords_at(a, position, coords);
  return true;
}

int mpj_array_rank_at(const struct mpj_grid_array *a, const int coords[])
{
  int position = 0;
  for (int k = 0; k < a->grid_ndims; k++)
    position = position * a->grid[k] + coords[k];
  return a->ranks ? a->ranks[position] : position;
}

bool mpj_array_replicated(const struct mpj_grid_array *a)
{
  for (int k = 0; k < a->grid_ndims; k++)
    if (a->axis_of[k] < 0 && a->grid[k] > 1) return true;
  return false;
}

void mpj_array_shape(const struct mpj_grid_array *a, bool own, const int coords[],
                     MPJ_Count sizes[], MPJ_Count strides[])
{
  MPJ_Count stride = 1;
  for (int i = 0; i < a->ndims; i++) {
    const int d = a->order == MPJ_ORDER_C ? a->ndims - 1 - i : i;
    const struct mpj_axis *axis = &a->axes[d];
    sizes[d] = own && a->padding
                   ? a->padding[d]
                   : mpj_axis_held(axis, mpj_array_coord(a, d, coords)) + axis->low + axis->high;
    strides[d] = stride;
    stride *= sizes[d];
  }
}

/* In checking mode. Aside, so that in other modes the facts' memory is not touched. */
static MPJ_ASIDE int agree_on_facts(const struct mpj_grid_array *a, MPJ_Comm comm, int status,
                                    MPJ_Count *serial)
{
  struct mpj_fact facts[MPJ_ARRAY_FACTS];
  return mpj_array_agree_new(comm, status, a ? mpj_array_facts(a, facts) : 0, facts, serial);
}

int MPJ_Array_create_on(int ndims, const MPJ_Axis axes[], int grid_ndims, const int grid[],
                        const int ranks[], int order, const MPJ_Count local_sizes[],
                        MPJ_Datatype element, MPJ_Comm comm, MPJ_Array *array)
{
  MPJ_ENTRY;
  int size, rank;
  struct mpj_grid_array *a = NULL;
  int status = MPJ_Comm_size(comm, &size);
  if (!status) status = MPJ_Comm_rank(comm, &rank);
  if (status) return status;
  status = mpj_need(array, "array");
  if (!status)
    status = mpj_array_describe(ndims, axes, grid_ndims, grid, ranks, order, local_sizes, element,
                                size, rank, &a);
  MPJ_Count serial;
  status = mpj_config()->check ? agree_on_facts(a, comm, status, &serial)
                               : mpj_array_agree_new(comm, status, 0, NULL, &serial);
  if (status) {
    mpj_array_release(a);
    return status;
  }
  a->comm = comm;
  a->serial = serial;
  *array = a;
  return MPJ_SUCCESS;
}

int MPJ_Array_create(int ndims, const MPJ_Axis axes[], int grid_ndims, const int grid[], int order,
                     MPJ_Datatype element, MPJ_Comm comm, MPJ_Array *array)
{
  MPJ_ENTRY;
  return MPJ_Array_create_on(ndims, axes, grid_ndims, grid, NULL, order, NULL, element, comm,
                             array);
}

int MPJ_Array_free(MPJ_Array *array)
{
  MPJ_ENTRY;
  struct mpj_grid_array *a;
  int status = mpj_need(array, "array");
  if (!status) status = mpj_array_resolve(*array, "array", &a);
  if (status) return status;
  a->freed = true;
  *array = MPJ_ARRAY_NULL;
  mpj_array_release(a);
  return MPJ_SUCCESS;
}
