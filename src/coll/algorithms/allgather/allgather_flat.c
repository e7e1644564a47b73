/* This file lays down the flat allgather: everybody sends to everybody.
 *
 * Cost: (p - 1)(alpha + n beta), one message deep; long data is pulled straight from each rank's
 * buffer into its place, so nothing is moved twice. */
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

void mpj_allgather_flat(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned parts = mpj_flow_phase(f, p - 1);
  const bool in_place = f->variant & MPJ_VARIANT_IN_PLACE;
  const struct mpj_operand place = mpj_operand_part(MPJ_BUFFER_RECV, me);
  const struct mpj_operand mine = in_place ? place : mpj_operand_whole(MPJ_BUFFER_SEND);
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    mpj_flow_send(f, to, mpj_name_between(f, parts, me, to), mine);
  }
  for (int k = 1; k < p; k++) {
    const int from = (me + k) % p;
    mpj_flow_recv(f, from, mpj_name_between(f, parts, from, me),
                  mpj_operand_part(MPJ_BUFFER_RECV, from));
  }
  if (!in_place) mpj_flow_copy(f, mine, place);
}
