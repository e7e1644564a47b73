/* This header declares the naive reference for packing: a view expanded byte by
 * byte; and random views to hold against it. */
#ifndef MPJ_TESTS_PACK_MAPS_H
#define MPJ_TESTS_PACK_MAPS_H

#include <stdint.h>

#include <mpj/datatype.h>

#include "types/parts/view.h"
#include "types/random_type.h"

/* Where every byte of a view's packed stream lies. */
struct byte_map {
  MPJ_Count bytes;
  MPJ_Aint *displs; /* [bytes] from the base address */
  int *basics;      /* [bytes] row of mpj_basics */
  char *begins;     /* [bytes] whether an element begins there */
  MPJ_Aint lb, ub;  /* of all displacements; 0, 0 if there are none */
  bool overlaps;    /* some displacement comes twice */
};

/* Both abort the program when there is no memory. */
void byte_map_make(struct byte_map *map, const struct mpj_view *view);
void byte_map_free(struct byte_map *map);

/* Random bytes. */
void fill_randomly(struct mpj_random *rng, char *at, size_t bytes);

/* A run of a basic type, owned by the caller; and the view of a piece, whose
 * layout it borrows. */
struct mpj_piece run_of(MPJ_Datatype basic, MPJ_Count elements);
struct mpj_view view_of(struct mpj_piece piece);

/* A random layout of at most that depth and about most_bytes of data, owned by
 * the caller; every kind of node comes, overlaps are rare. */
struct mpj_piece random_layout(struct mpj_random *rng, int depth, MPJ_Count most_bytes);

/* A random view of such a layout, now and then (where most_bytes allows) of a
 * deep one: release its layout. */
struct mpj_view random_view(struct mpj_random *rng, MPJ_Count most_bytes);

#endif
