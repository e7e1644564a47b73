/* This header declares the ranks of a distributed array's grid, and the array's life. */
#ifndef MPJ_SRC_ARRAY_DESCRIBE_GRID_RANKS_H
#define MPJ_SRC_ARRAY_DESCRIBE_GRID_RANKS_H

#include "array/describe/grid_array.h"

/* MPJ_ERR_ARG naming the argument unless the handle is live. */
int mpj_array_resolve(MPJ_Array handle, const char *argument, struct mpj_grid_array **array);
struct mpj_grid_array *mpj_array_retain(struct mpj_grid_array *array);
void mpj_array_release(struct mpj_grid_array *array);

/* Check and make a description for `rank` of `size` ranks; comm stays null. MPJ_Array_create_on's
 * arguments and errors. */
int mpj_array_describe(int ndims, const MPJ_Axis axes[], int grid_ndims, const int grid[],
                       const int ranks[], int order, const MPJ_Count local_sizes[],
                       MPJ_Datatype element, int size, int rank, struct mpj_grid_array **array);

/* The coordinates at a position, and of a rank (false: it is outside the grid); the rank at
 * coordinates. */
void mpj_array_coords_at(const struct mpj_grid_array *array, int position, int coords[]);
bool mpj_array_coords(const struct mpj_grid_array *array, int rank, int coords[]);
int mpj_array_rank_at(const struct mpj_grid_array *array, const int coords[]);

/* Whether grid dimensions of more than one coordinate have no axis. */
bool mpj_array_replicated(const struct mpj_grid_array *array);

/* The sizes and strides of the local array at coords, in elements; this rank's with its padding. */
void mpj_array_shape(const struct mpj_grid_array *array, bool own, const int coords[],
                     MPJ_Count sizes[], MPJ_Count strides[]);

#endif
