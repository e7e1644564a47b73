/* This header declares the algorithms, each in a file of its own that says its
 * steps, its cost and when it wins, and the rules that choose among them.
 *
 * Costs: alpha = time of a message, beta = time of a byte, n = bytes of one
 * rank's data, p = ranks. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_H
#define MPJ_SRC_COLL_ALGORITHMS_H

#include "coll/comm.h"

mpj_algorithm_fn mpj_barrier_dissemination, mpj_barrier_flat;
mpj_algorithm_fn mpj_bcast_flat, mpj_bcast_binomial;
mpj_algorithm_fn mpj_gather_flat, mpj_scatter_flat;

/* The schedule that this operation runs here: chosen by rules over what all
 * ranks of the communicator know, then taken from the cache. root -1 where the
 * operation has none. */
int mpj_select_schedule(struct mpj_comm *comm, enum mpj_operation operation, int root,
                        struct mpj_schedule **schedule);

#endif
