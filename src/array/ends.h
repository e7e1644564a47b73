/* This header declares the two ends of a schedule: sections of arrays whose positions are each
 * other's, dimension by dimension, the slowest in the order of the elements first. */
#ifndef MPJ_SRC_ARRAY_ENDS_H
#define MPJ_SRC_ARRAY_ENDS_H

#include "array/array_schedule.h"

struct mpj_end {
  struct mpj_grid_array *array;
  const char *name;
  int n;
  int axis[2 * MPJ_ARRAY_DIMS_MAX]; /* -1: none, there is one position */
  MPJ_Range range[2 * MPJ_ARRAY_DIMS_MAX];
};

/* An array as one end, whole, with its axes in the order of `order`. */
struct mpj_end mpj_end_whole(struct mpj_grid_array *array, int order);

/* The sides[mine->n] of a box at this rank's coordinates in mine. */
void mpj_sides(const struct mpj_end *mine, const struct mpj_end *theirs, const int coords[],
               struct mpj_side sides[]);

/* What a rank holds of an end, as one committed type. Errors: those of the constructors. */
int mpj_held_part(const struct mpj_end *end, int rank, MPJ_Datatype *type);

/* An axis of which one coordinate has all indices that there can be. */
struct mpj_axis mpj_axis_of_one(int coord);

/* Set the coordinates, in the dimensions that no axis uses, of the copy that sends to a receiver.
 */
void mpj_nearest_copy(const struct mpj_grid_array *from, int receiver, int coords[]);

/* A mpj_peer_fn for exchanges within one copy of an array. */
struct mpj_in_copy {
  const struct mpj_grid_array *array;
  const int *own; /* this rank's coordinates */
};
int mpj_peer_in_copy(void *ctx, int coords[]);

#endif
