/* This header declares the shape of a torus: how ranks and coordinates correspond. Ranks count in
 * row-major order, the last dimension the fastest. */
#ifndef MPJ_SRC_COLL_TORUS_SHAPE_H
#define MPJ_SRC_COLL_TORUS_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpj/comm.h>

struct mpj_torus {
  int ndims;
  int dims[MPJ_TORUS_DIMS_MAX];     /* each at least 1; their product is the number of ranks */
  int periodic[MPJ_TORUS_DIMS_MAX]; /* 0 or 1: the dimension wraps around */
};

/* Set up a shape of `size` ranks; periodic NULL: every dimension wraps around.
 * Errors: MPJ_ERR_ARG. */
int mpj_torus_begin(struct mpj_torus *torus, int ndims, const int dims[], const int periodic[],
                    int size);
/* The same as a block that the caller owns, for `from` too (NULL: none). NULL also when out of
 * memory. */
struct mpj_torus *mpj_torus_copy(const struct mpj_torus *from);

/* coords[ndims] of a rank; and the rank at coordinates, which wrap where the dimension does.
 * Errors: MPJ_ERR_ARG (outside). */
void mpj_torus_coords(const struct mpj_torus *torus, int rank, int coords[]);
int mpj_torus_rank(const struct mpj_torus *torus, const int coords[], int *rank);

/* A number that differs where shapes differ (mostly); at least 0. */
int64_t mpj_torus_digest(const struct mpj_torus *torus);
/* "{4, 2} with periodic {1, 0}", cut to fit. */
void mpj_torus_text(const struct mpj_torus *torus, char *text, size_t size);

#endif
