/* This file lays down the allgather around a ring of ranks: what came from the one
 * neighbour goes on to the other. Parts of any layout move straight from the one's
 * receive buffer to the other's.
 *
 * Cost: (p - 1)(alpha + n / p beta), with neighbours alone; n of all ranks together.
 * Source: Thakur, Rabenseifner, Gropp 2005. */
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

void mpj_allgather_ring(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned round = mpj_flow_phase(f, p - 1);
  const bool in_place = f->variant & MPJ_VARIANT_IN_PLACE;
  const struct mpj_operand place = mpj_operand_part(MPJ_BUFFER_RECV, me);
  const struct mpj_operand mine = in_place ? place : mpj_operand_whole(MPJ_BUFFER_SEND);
  for (int t = 0; t < p - 1; t++) {
    const struct mpj_operand out = mpj_operand_part(MPJ_BUFFER_RECV, (me - t + p) % p);
    mpj_flow_send(f, (me + 1) % p, mpj_name(round, 1 + t), t == 0 ? mine : out);
    mpj_flow_recv(f, (me - 1 + p) % p, mpj_name(round, 1 + t),
                  mpj_operand_part(MPJ_BUFFER_RECV, (me - t - 1 + p) % p));
  }
  if (!in_place) mpj_flow_copy(f, mine, place);
}
