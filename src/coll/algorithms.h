/* This header declares the algorithms, each in a file of its own that says its
 * steps, its cost and when it wins, and the rules that choose among them.
 *
 * Costs: alpha = time of a message, beta = time of a byte, gamma = time to
 * combine a byte, n = bytes of one rank's data, p = ranks. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_H
#define MPJ_SRC_COLL_ALGORITHMS_H

#include "coll/comm.h"

mpj_algorithm_fn mpj_barrier_dissemination, mpj_barrier_flat;
mpj_algorithm_fn mpj_bcast_flat, mpj_bcast_binomial;
mpj_algorithm_fn mpj_gather_flat, mpj_scatter_flat, mpj_allgather_flat, mpj_alltoall_flat;
mpj_algorithm_fn mpj_reduce_flat, mpj_reduce_segments;
mpj_algorithm_fn mpj_allreduce_flat, mpj_allreduce_segments;
mpj_algorithm_fn mpj_reduce_scatter_flat, mpj_scan_flat, mpj_exscan_flat;

/* What the rules go by. All but variant is the same on all ranks. */
struct mpj_choice {
  enum mpj_operation operation;
  int root;         /* -1 where the operation has none */
  MPJ_Count bytes;  /* of data, where all ranks' signatures are equal; else 0 */
  bool cuttable;    /* a packed stream can be cut into segments */
  unsigned variant; /* of this rank's buffers: MPJ_VARIANT_ */
};

/* The schedule that this operation runs here, from the cache. */
int mpj_select_schedule(struct mpj_comm *comm, const struct mpj_choice *choice,
                        struct mpj_schedule **schedule);

#endif
