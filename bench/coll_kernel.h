/* This header declares the timing protocol, one and the same for every engine.
 *
 * One call is made and forgotten (first touch, connections). Then batches of 1,
 * 10, 100 ... calls are timed until one lasts an eighth of the time wanted; its
 * pace gives the number of calls for the batch that counts. Each batch begins
 * with a barrier; its time is the longest of any rank, and rank 0 tells all of
 * them the next batch's size. At the end every rank checks its data. */
#ifndef MPJ_BENCH_COLL_KERNEL_H
#define MPJ_BENCH_COLL_KERNEL_H

#include "coll_case.h"

/* What the ranks agree through: a double each, by the engine's own bcast and
 * gather. */
struct coll_agreement {
  struct shim_types *types;
  int rank, nranks;
  double *all; /* [nranks] */
};

int coll_agreement_open(struct coll_agreement *a);
void coll_agreement_close(struct coll_agreement *a);

/* *x := rank 0's, on every rank; *x := the largest, on every rank.
 * Return 0, or 1 where the engine failed. */
int coll_agree(struct coll_agreement *a, double *x);
int coll_agree_max(struct coll_agreement *a, double *x);

/* Time case c for about `seconds` (or one call, if that takes longer).
 *   us     microseconds a call
 *   calls  in the batch that counts
 * Returns 0; or 1 where the engine failed or any rank holds wrong data. */
int coll_measure(struct coll_case *c, struct coll_agreement *a, double seconds, double *us,
                 long *calls);

/* Seconds of this machine's steady clock. */
double coll_now(void);

#endif
