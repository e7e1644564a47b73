/* This file lays down the alltoall in steps: in step t each rank sends to the one t
 * further and receives from the one t before, and sends when what it sent and received k
 * steps earlier is through.
 *
 * Cost: (p - 1)(alpha + n / p beta); at most k exchanges a rank at once, so that long data
 * of many ranks does not meet at one.
 * Source: Thakur, Rabenseifner, Gropp 2005 (long messages). */
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

/* Lay down the exchanges; fills came[t], where what comes in step t goes. */
static void exchange(struct mpj_flow *f, bool in_place, struct mpj_operand came[])
{
  const int p = f->comm->size, me = f->comm->rank, k = mpj_variant_radix(f->variant);
  const enum mpj_buffer buffer = in_place ? MPJ_BUFFER_RECV : MPJ_BUFFER_SEND;
  const unsigned parts = mpj_flow_phase(f, p - 1);
  int *sent = mpj_flow_room(f, p, sizeof *sent);
  int *received = mpj_flow_room(f, p, sizeof *received);
  if (!sent || !received) return;
  for (int t = 1; t < p; t++) {
    const int to = (me + t) % p, from = (me - t + p) % p;
    const struct mpj_operand place = mpj_operand_part(MPJ_BUFFER_RECV, from);
    came[t] = in_place ? mpj_flow_temporary(f, place) : place;
    sent[t] =
        mpj_flow_send(f, to, mpj_name_between(f, parts, me, to), mpj_operand_part(buffer, to));
    if (t > k) {
      mpj_flow_after(f, sent[t], sent[t - k]);
      mpj_flow_after(f, sent[t], received[t - k]);
    }
    received[t] = mpj_flow_recv(f, from, mpj_name_between(f, parts, from, me), came[t]);
  }
}

void mpj_alltoall_pairwise(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank;
  const bool in_place = f->variant & MPJ_VARIANT_IN_PLACE;
  struct mpj_operand *came = mpj_flow_room(f, p, sizeof *came);
  if (!came) return;
  exchange(f, in_place, came);
  for (int t = 1; t < p && in_place; t++) /* now that all has left or is leaving */
    mpj_flow_copy(f, came[t], mpj_operand_part(MPJ_BUFFER_RECV, (me - t + p) % p));
  if (!in_place)
    mpj_flow_copy(f, mpj_operand_part(MPJ_BUFFER_SEND, me), mpj_operand_part(MPJ_BUFFER_RECV, me));
}
