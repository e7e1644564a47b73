/* This file is MPJ itself: arrays and schedules of <mpj/array.h>. */
#include <mpj/array.h>

#include "array_mpj_world.h"

static struct array_data *data;
static bool back;
static MPJ_Schedule schedule;

/* All but what the library at hand does not have yet (workers.cmake). */
static bool serves(const struct array_case *c)
{
  switch (c->kind) {
  case ARRAY_HALO:
    return ARRAY_HAS_HALO;
  case ARRAY_GATHER:
  case ARRAY_SCATTER:
    return ARRAY_HAS_SUBSCRIPT;
  default:
    return true;
  }
}

static void create_remap(const struct array_case *c)
{
  MPJ_Array arrays[2];
  for (int k = 0; k < 2; k++) {
    const struct array_layout l = array_layout_of(c, k, array_peer.size);
    const int grid[2] = {l.prow, l.pcol};
    MPJ_Axis axes[2] = {{.size = c->n, .darg = l.nb, .distribute = MPJ_DISTRIBUTE_CYCLIC},
                        {.size = c->n, .darg = l.nb, .distribute = MPJ_DISTRIBUTE_CYCLIC}};
    axes[1].grid_dim = 1;
    must(MPJ_Array_create(2, axes, 2, grid, MPJ_ORDER_FORTRAN, MPJ_DOUBLE, MPJ_COMM_WORLD,
                          &arrays[k]));
  }
  must(MPJ_Remap_create(arrays[0], NULL, arrays[1], NULL, NULL, &schedule));
  for (int k = 0; k < 2; k++)
    must(MPJ_Array_free(&arrays[k]));
}

static void create_transpose(const struct array_case *c)
{
  static const int turned[2] = {1, 0};
  const MPJ_Axis axes[2] = {{.size = c->n, .distribute = MPJ_DISTRIBUTE_BLOCK}, {.size = c->n}};
  MPJ_Datatype element;
  MPJ_Array array;
  must(MPJ_Type_contiguous(c->width, MPJ_DOUBLE, &element));
  must(MPJ_Type_commit(&element));
  must(
      MPJ_Array_create(2, axes, 1, &array_peer.size, MPJ_ORDER_C, element, MPJ_COMM_WORLD, &array));
  must(MPJ_Remap_create(array, NULL, array, NULL, turned, &schedule));
  must(MPJ_Array_free(&array));
  must(MPJ_Type_free(&element));
}

#if ARRAY_HAS_HALO
static void create_halo(const struct array_case *c)
{
  MPJ_Array arrays[2];
  int grid[3];
  array_grid(array_peer.size, grid);
  for (int ghosts = 0; ghosts < 2; ghosts++) {
    MPJ_Axis axes[3];
    for (int d = 0; d < 3; d++)
      axes[d] = (MPJ_Axis){.size = c->n,
                           .ghost_low = ghosts * c->width,
                           .ghost_high = ghosts * c->width,
                           .distribute = MPJ_DISTRIBUTE_BLOCK,
                           .grid_dim = d,
                           .periodic = 1};
    must(MPJ_Array_create(3, axes, 3, grid, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD,
                          &arrays[ghosts]));
  }
  must(MPJ_Halo_create(arrays[0], arrays[1], NULL, NULL, c->corners, &schedule));
  for (int k = 0; k < 2; k++)
    must(MPJ_Array_free(&arrays[k]));
}
#endif

#if ARRAY_HAS_SUBSCRIPT
static void create_subscript(const struct array_case *c)
{
  const MPJ_Axis axis = {.size = 10 * c->n, .distribute = MPJ_DISTRIBUTE_BLOCK};
  MPJ_Array array;
  must(MPJ_Array_create(1, &axis, 1, &array_peer.size, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD,
                        &array));
  must(MPJ_Subscript_create(array, (MPJ_Count)data->to_count, data->wanted, NULL, &schedule));
  must(MPJ_Array_free(&array));
}
#endif

static void create(const struct array_case *c, struct array_data *d)
{
  data = d;
  back = c->kind == ARRAY_SCATTER;
  if (c->kind == ARRAY_REMAP) create_remap(c);
  if (c->kind == ARRAY_TRANSPOSE) create_transpose(c);
#if ARRAY_HAS_HALO
  if (c->kind == ARRAY_HALO) create_halo(c);
#endif
#if ARRAY_HAS_SUBSCRIPT
  if (c->kind >= ARRAY_GATHER) create_subscript(c);
#endif
}

static void run(void)
{
  must(back ? MPJ_Schedule_backward(schedule, data->from, data->to, MPJ_SUM)
            : MPJ_Schedule_forward(schedule, data->from, data->to));
}

static void destroy(void)
{
  must(MPJ_Schedule_free(&schedule));
}

struct array_peer array_peer = {.name = "mpj",
                                .serves = serves,
                                .create = create,
                                .run = run,
                                .destroy = destroy,
                                ARRAY_MPJ_WORLD};
