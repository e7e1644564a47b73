/* This header declares the part table of distributions. */
#ifndef MPJ_SRC_TYPES_DISTRIBUTION_DISTRIBUTION_TABLE_H
#define MPJ_SRC_TYPES_DISTRIBUTION_DISTRIBUTION_TABLE_H

#include "types/distribution/dimension.h"
#include "types/parts/parts.h"

/* Parts are classed by their shares: class number, in mixed radix with
 * dimension 0 highest, is the tuple of share numbers. Parts of one class have
 * one layout, made for coordinates in the first block of every dimension and
 * moved to where the part's own first blocks lie. */
struct mpj_distribution {
  struct mpj_parts head;
  struct mpj_type_spec old; /* owned: one element */
  int ndims, order;
  MPJ_Aint extent; /* bytes, of the whole array */
  MPJ_Count nclasses;
  struct mpj_piece *classes; /* [nclasses], owned */
  struct mpj_dimension dims[];
};

/* Make the table: dims[ndims], whose strides are set here. Moves what the dims
 * own: on failure it has been freed.
 * Errors: MPJ_ERR_OVERFLOW (parts or extent), MPJ_ERR_NO_MEM. */
int mpj_distribution_create(int ndims, struct mpj_dimension dims[], int order,
                            const struct mpj_type_spec *old, struct mpj_distribution **out);

/* The table as a distribution's, or NULL if it is of another kind. */
const struct mpj_distribution *mpj_distribution_of(const struct mpj_parts *parts);

/* The coordinates of part i in the grid. coords[ndims]. */
void mpj_distribution_coords(const struct mpj_distribution *dist, MPJ_Count i, MPJ_Count coords[]);

/* Check the arguments of a distribution, the first dimension's first, and set up
 * dims[ndims]. blocks may be NULL: no dimension is general; blocks[d] is looked at
 * where distribs[d] is MPJ_DISTRIBUTE_GENERAL. On failure dims own nothing.
 * Errors: MPJ_ERR_ARG, MPJ_ERR_NO_MEM. */
int mpj_distribution_dims(int ndims, const MPJ_Count gsizes[], const int distribs[],
                          const MPJ_Count dargs[], const MPJ_Count *const blocks[],
                          const int psizes[], int order, struct mpj_dimension dims[]);

/* The types over dims that were set up so, which are moved: the whole, and the
 * share of process `rank`, where the grid must have `size`. */
int mpj_create_distribution(int ndims, struct mpj_dimension dims[], int order,
                            const struct mpj_type_spec *old, MPJ_Datatype *newtype);
int mpj_create_darray(MPJ_Count size, MPJ_Count rank, int ndims, struct mpj_dimension dims[],
                      int order, const struct mpj_type_spec *old, MPJ_Datatype *newtype);

/* The map of all parts in rank order, in memory that does not depend on the
 * grid's size: per dimension a sequence of loops, one for each share. */
int mpj_distribution_map(const struct mpj_distribution *dist, struct mpj_piece *out);

#endif
