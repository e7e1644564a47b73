/* This header declares what preparing a call shares. */
#ifndef MPJ_SRC_MPI_INTERPOSE_ARGUMENTS_PREPARE_H
#define MPJ_SRC_MPI_INTERPOSE_ARGUMENTS_PREPARE_H

#include "mpi/interpose/call.h"

/* Whether MPJ_INTERPOSE leaves the collective to be served. */
bool collective_chosen(enum collective collective);

/* Fill in what all calls have; *size := the communicator's. Returns SERVED or why not. */
enum reason call_begin(struct call *call, enum collective collective, MPI_Comm comm, int *size);

/* Give back what was borrowed so far; returns WRONG_CALL. */
enum reason call_give_up(struct call *call);

/* What `why` says of a prepared call, whose buffers may still be wrong: MPI_IN_PLACE where it is
 * not allowed, or no buffer for what is not at absolute addresses. */
enum reason call_settle(struct call *call, enum reason why);

/* Whether any of the n counts is positive; no counts are none. */
bool lists_have_elements(const struct lists *lists, int n);

static inline bool is_rank(int root, int size)
{
  return root >= 0 && root < size;
}

#endif
