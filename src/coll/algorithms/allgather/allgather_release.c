/* This file lays down the allgather over shared memory: each rank posts its block, and takes those
 * of all others from there.
 *
 * Cost: alpha + n beta to give, (p - 1)(alpha + n beta) to take. Wins where ranks share memory. */
#include "coll/algorithms/shapes/release.h"
#include "coll/select/algorithms.h"

void mpj_allgather_release(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned parts = mpj_flow_phase(f, p - 1);
  const bool in_place = f->variant & MPJ_VARIANT_IN_PLACE;
  const struct mpj_operand place = mpj_operand_part(MPJ_BUFFER_RECV, me);
  const struct mpj_operand mine = in_place ? place : mpj_operand_whole(MPJ_BUFFER_SEND);
  mpj_release_to_all(f, parts, mine);
  for (int k = 1; k < p; k++) {
    const int from = (me + k) % p;
    mpj_flow_may_be_posted(f, mpj_flow_recv(f, from, mpj_name_between(f, parts, from, me),
                                            mpj_operand_part(MPJ_BUFFER_RECV, from)));
  }
  if (!in_place) mpj_flow_copy(f, mine, place);
}
