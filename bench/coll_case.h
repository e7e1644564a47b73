/* This header declares one case of the benchmark: an operation on a shape, with
 * its buffers, stepped one collective call at a time, and checkable at the end.
 *
 * Before each call whoever sends writes a stamp into its data, so that every
 * call carries news and the check at the end sees the last call, not the first:
 *
 *   back_to_back  first double of each block sent := number of the call, counted
 *                 from 1; root is 0
 *   dependent     root moves on by one rank a call, and the first double that the
 *                 next root needs is what the last root received, plus 1: no
 *                 root can start before the call ahead of it has ended there.
 *                 Without a root, what each rank sends is made from what it has
 *                 received (the lowest rank of a scan receives from itself alone)
 *   rewritten     as back_to_back, and the stamp goes into every cache line sent,
 *                 inside the time that is measured
 *   separate      as back_to_back, with a barrier before each call, which is not timed */
#ifndef MPJ_BENCH_COLL_CASE_H
#define MPJ_BENCH_COLL_CASE_H

#include "coll_shape.h"
#include "shim.h"

enum coll_op {
  COLL_BARRIER,
  COLL_BCAST,
  COLL_GATHER,
  COLL_SCATTER,
  COLL_ALLGATHER,
  COLL_ALLTOALL, /* of a transpose's shape: the transpose by column types; of groups: among each */
  COLL_REDUCE,   /* from here on sums */
  COLL_ALLREDUCE,
  COLL_REDUCE_SCATTER,
  COLL_SCAN,
  COLL_EXSCAN,
  COLL_NOPS
};
enum coll_timing {
  COLL_BACK_TO_BACK,
  COLL_DEPENDENT,
  COLL_REWRITTEN,
  COLL_SEPARATE,
  COLL_NTIMINGS
};

struct coll_case {
  enum coll_op op;
  enum coll_timing timing;
  struct coll_shape shape;
  struct shim_types *types;
  int rank, nranks;
  int first_peer, npeers; /* ranks that exchange data with this one, itself among them */
  int root;               /* of the next call */
  long calls;             /* made so far */
  double *block;          /* this rank's, dense; NULL for barrier */
  double *whole;  /* all ranks' blocks: where this rank is ever the root of a gather or scatter,
                     what allgather brings, what alltoall and reduce_scatter send */
  double *result; /* of alltoall, a whole; of the sums, a block */
};

/* What an operation sends from, and where its outcome lies. */
enum coll_place { COLL_NOWHERE, COLL_BLOCK, COLL_WHOLE, COLL_RESULT };
struct coll_places {
  enum coll_place from, to;
  bool has_root, whole_everywhere, long_result; /* result is a whole */
};
extern const struct coll_places coll_places_of[COLL_NOPS];

static inline bool coll_is_sum(enum coll_op op)
{
  return op >= COLL_REDUCE;
}

const char *coll_timing_name(enum coll_timing timing);

/* Bytes of buffers that such a case takes on all ranks together. */
double coll_case_memory(enum coll_op op, enum coll_timing timing, const struct coll_shape *shape);

/* Set up *c and fill its buffers: data to be sent with values that tell owner,
 * block and place, room to receive with NaN.
 * Returns 0, or 1 after a sentence on stderr; then nothing is owned. */
int coll_case_open(struct coll_case *c, enum coll_op op, enum coll_timing timing,
                   const struct coll_shape *shape);
void coll_case_close(struct coll_case *c);

/* Make the next call. Returns 0, or 1 where the engine failed. */
int coll_case_step(struct coll_case *c);

/* Does this rank hold exactly what the calls so far must have brought? If not,
 * one sentence on stderr says where. */
bool coll_case_check(const struct coll_case *c);

#endif
