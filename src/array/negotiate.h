/* This header declares how the owners of elements learn who wants which of them. */
#ifndef MPJ_SRC_ARRAY_NEGOTIATE_H
#define MPJ_SRC_ARRAY_NEGOTIATE_H

#include "array/describe/grid_array.h"

/* Requests to one rank, or from it. */
struct mpj_asked {
  int rank;
  MPJ_Count n;
  MPJ_Count *offsets; /* [n] among those of all, or, of what a rank wants of itself, where it has
                       * listed that */
};

struct mpj_requests_of {
  size_t npeers;
  struct mpj_asked *peers; /* [npeers] owned, rising */
  MPJ_Count *offsets;      /* owned */
};

/* Collective: hand each rank the offsets that it is asked for. wanted is what this rank asks for;
 * owed is set to what it is asked for; what this rank asks itself for is wanted's own list. First
 * the numbers travel, each to the rank that it is for in at most log2(p) hops, then the offsets,
 * straight. Memory and messages grow with the peers and the offsets. Errors: those of Alltoall, on
 * the ranks that it says; MPJ_ERR_NO_MEM. Then owed owns nothing. */
int mpj_negotiate(MPJ_Comm comm, const struct mpj_requests_of *wanted,
                  struct mpj_requests_of *owed);

/* Collective: the peers' offsets in `wanted`, whatever they mean, arrive in `owed`, but those of
 * rank `except`, or -1; both sides' peers are there. Errors as above. */
int mpj_exchange_numbers(MPJ_Comm comm, int size, int except, const struct mpj_requests_of *wanted,
                         struct mpj_requests_of *owed);
void mpj_requests_end(struct mpj_requests_of *requests);

#endif
