/* This file lays down the allgather around a ring of ranks: what came from the one
 * neighbour goes on to the other. Parts of any layout move straight from the one's
 * receive buffer to the other's.
 *
 * Cost: (p - 1)(alpha + n / p beta), with neighbours alone; n of all ranks together.
 * Source: Thakur, Rabenseifner, Gropp 2005. */
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

int mpj_allgather_ring(const struct mpj_comm *comm, int root, unsigned variant,
                       struct mpj_schedule_builder *b)
{
  (void)root;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  const int p = comm->size, me = comm->rank;
  const bool in_place = variant & MPJ_VARIANT_IN_PLACE;
  const struct mpj_operand place = mpj_operand_part(MPJ_BUFFER_RECV, me);
  const struct mpj_operand mine = in_place ? place : mpj_operand_whole(MPJ_BUFFER_SEND);
  for (int t = 0; t < p - 1; t++) {
    const struct mpj_operand out = mpj_operand_part(MPJ_BUFFER_RECV, (me - t + p) % p);
    mpj_flow_send(&f, (me + 1) % p, 1 + (unsigned)t, t == 0 ? mine : out);
    mpj_flow_recv(&f, (me - 1 + p) % p, 1 + (unsigned)t,
                  mpj_operand_part(MPJ_BUFFER_RECV, (me - t - 1 + p) % p));
  }
  if (!in_place) mpj_flow_copy(&f, mine, place);
  return mpj_flow_end(&f);
}
