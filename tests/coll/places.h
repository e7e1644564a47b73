/* This header declares places: one rank's membership of random communicators,
 * overlapping ones, that all ranks of a test make together. */
#ifndef MPJ_TESTS_COLL_PLACES_H
#define MPJ_TESTS_COLL_PLACES_H

#include <mpj/mpj.h>

#include "types/random_type.h"

struct place {
  MPJ_Comm comm; /* MPJ_COMM_NULL: not a member */
  int rank, size;
};

/* Make n of them: WORLD, then in turn a dup, a split by random colors and keys, one
 * of a random list of ranks, one split once more, SELF's dup. `shared` is in the same
 * state on all ranks. Each is compared with what it must be. 0, or 1 after a line
 * on stderr. */
int places_make(struct mpj_random shared, int n, struct place *places);

/* Free them, in another order on each rank. */
int places_free(int n, struct place *places);

#endif
