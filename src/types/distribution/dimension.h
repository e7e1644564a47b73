/* This header declares one dimension of a distribution: which indices of the
 * global array each coordinate of the process grid owns.
 *
 * Blocks of `block` indices are dealt to the coordinates in turn (a block
 * distribution is one in which nobody gets a second), so coordinate c owns
 *   c * block + b * block * psize + j,   0 <= j < block, b = 0, 1, ...
 * as far as these are below gsize. With W = gsize / block whole blocks and
 * R = gsize % block indices in a last, short one, there are at most three
 * shapes of share, each held by a range of coordinates:
 *   W / psize + 1 whole blocks        the first W % psize coordinates
 *   W / psize blocks and the short    the next one, if R > 0
 *   W / psize blocks                  the rest
 * A general dimension gives each coordinate one block of a length of its own;
 * there the shapes of share are the runs of neighbours with equal lengths. */
#ifndef MPJ_SRC_TYPES_DISTRIBUTION_DIMENSION_H
#define MPJ_SRC_TYPES_DISTRIBUTION_DIMENSION_H

#include "types/layout/layout.h"

struct mpj_share {
  MPJ_Count first, coords; /* the coordinates that have it; coords >= 1 */
  MPJ_Count start;         /* the first index of coordinate `first` */
  MPJ_Count block;         /* indices in a whole block, and from one coordinate's first
                            * index to the next one's */
  MPJ_Count blocks, rest;  /* whole blocks, and indices in the short one */
};

enum { MPJ_SHARES_MAX = 3 };

struct mpj_dimension {
  MPJ_Count gsize, psize;
  int distrib; /* as given, and darg too (0 where general) */
  MPJ_Count darg;
  MPJ_Aint stride; /* bytes between neighbours in the global array */
  MPJ_Count nshares;
  struct mpj_share regular[MPJ_SHARES_MAX];
  struct mpj_share *runs; /* [nshares], owned: the shares of a general dimension, else NULL */
};

static inline const struct mpj_share *mpj_dimension_shares(const struct mpj_dimension *dim)
{
  return dim->runs ? dim->runs : dim->regular;
}

/* Set up dimension number d (for messages) from the user's arguments; stride
 * stays 0. Errors: MPJ_ERR_ARG. */
int mpj_dimension_init(struct mpj_dimension *dim, int d, MPJ_Count gsize, int distrib,
                       MPJ_Count darg, int psize);

/* The same for a general dimension: coordinate c gets blocks[c] indices.
 * Errors: also MPJ_ERR_NO_MEM. */
int mpj_dimension_init_general(struct mpj_dimension *dim, int d, MPJ_Count gsize,
                               const MPJ_Count blocks[], int psize);

/* Free what the dimension owns. */
void mpj_dimension_clear(struct mpj_dimension *dim);

/* The share of coordinate c, 0 <= c < psize. */
MPJ_Count mpj_dimension_share(const struct mpj_dimension *dim, MPJ_Count c);

/* The first index of coordinate c, if its share is not empty. */
MPJ_Count mpj_dimension_first(const struct mpj_dimension *dim, MPJ_Count c);

/* Indices in a share. */
static inline MPJ_Count mpj_share_size(const struct mpj_dimension *dim, MPJ_Count share)
{
  const struct mpj_share *s = mpj_dimension_shares(dim) + share;
  return s->blocks * s->block + s->rest;
}

/* Lay `inner` (borrowed) at every index of coordinate 0's share of this shape,
 * in increasing order. Errors: as for layouts. */
int mpj_dimension_lay(const struct mpj_dimension *dim, MPJ_Count share, struct mpj_piece inner,
                      struct mpj_piece *out);

#endif
