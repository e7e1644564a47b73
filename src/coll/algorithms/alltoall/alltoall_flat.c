/* This file lays down the flat alltoall: part j of each rank's data goes
 * straight to rank j.
 *
 * In place, what comes from j waits in a temporary until what goes to j, which
 * lies where it belongs, has left.
 * Cost: (p - 1)(alpha + n / p beta), one message deep. */
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

static void exchange(struct mpj_flow *f, int peer, unsigned parts, bool in_place)
{
  const int me = f->comm->rank;
  const struct mpj_operand place = mpj_operand_part(MPJ_BUFFER_RECV, peer);
  const struct mpj_operand came = in_place ? mpj_flow_temporary(f, place) : place;
  mpj_flow_send(f, peer, mpj_name_between(f, parts, me, peer),
                in_place ? place : mpj_operand_part(MPJ_BUFFER_SEND, peer));
  mpj_flow_recv(f, peer, mpj_name_between(f, parts, peer, me), came);
  if (in_place) mpj_flow_copy(f, came, place);
}

void mpj_alltoall_flat(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned parts = mpj_flow_phase(f, p - 1);
  const bool in_place = f->variant & MPJ_VARIANT_IN_PLACE;
  for (int k = 1; k < p; k++)
    exchange(f, (me + k) % p, parts, in_place);
  if (!in_place)
    mpj_flow_copy(f, mpj_operand_part(MPJ_BUFFER_SEND, me), mpj_operand_part(MPJ_BUFFER_RECV, me));
}
