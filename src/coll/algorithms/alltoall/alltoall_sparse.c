/* This file lays down the alltoall of sparse types: a message for each part that has data, and
 * nothing for the others, of which both ends know that they are empty. Each rank begins with
 * the ranks behind it.
 *
 * In place, what comes from j waits in a temporary until what goes to j, which
 * lies where it belongs, has left.
 * Cost: k (alpha + n / k beta) for k parts of n bytes in all, one message deep; the schedule takes
 * O(k), whatever p is. */
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

/* What a list's algorithm goes by. */
struct side {
  const struct mpj_part_list *list;
  MPJ_Count first; /* of those at or behind this rank, or 0 */
  bool own;        /* this rank is among them */
};

static struct side side_of(const struct mpj_part_list *list, int me)
{
  struct side s = {.list = list};
  if (list->n == 0 || mpj_sequence_at(list->numbers, 0) > me) return s;
  s.first = mpj_sequence_find(list->numbers, me);
  s.own = mpj_sequence_at(list->numbers, s.first) == me;
  s.first = (s.first + 1) % list->n;
  return s;
}

/* The k'th peer in this rank's order; it may be this rank itself. */
static int peer_at(const struct side *s, MPJ_Count k)
{
  return (int)mpj_sequence_at(s->list->numbers, (s->first + k) % s->list->n);
}

static void lay_sends(struct mpj_flow *f, const struct side *out)
{
  const int me = f->comm->rank;
  for (MPJ_Count k = 0; k < out->list->n; k++) {
    const int to = peer_at(out, k);
    if (to != me)
      mpj_flow_send(f, to, mpj_name_between(f, MPJ_FIRST_PHASE, me, to),
                    mpj_operand_part(MPJ_BUFFER_SEND, to));
  }
}

static void lay_receives(struct mpj_flow *f, const struct side *in)
{
  const int me = f->comm->rank;
  for (MPJ_Count k = in->list->n; k-- > 0;) {
    const int from = peer_at(in, k);
    if (from != me)
      mpj_flow_recv(f, from, mpj_name_between(f, MPJ_FIRST_PHASE, from, me),
                    mpj_operand_part(MPJ_BUFFER_RECV, from));
  }
}

static void lay_in_place(struct mpj_flow *f, const struct side *both)
{
  const int me = f->comm->rank;
  for (MPJ_Count k = 0; k < both->list->n; k++) {
    const int peer = peer_at(both, k);
    if (peer == me) continue;
    const struct mpj_operand part = mpj_operand_part(MPJ_BUFFER_RECV, peer);
    const struct mpj_operand came = mpj_flow_temporary(f, part);
    mpj_flow_send(f, peer, mpj_name_between(f, MPJ_FIRST_PHASE, me, peer), part);
    mpj_flow_recv(f, peer, mpj_name_between(f, MPJ_FIRST_PHASE, peer, me), came);
    mpj_flow_copy(f, came, part);
  }
}

void mpj_alltoall_sparse(struct mpj_flow *f, int root)
{
  const int me = f->comm->rank;
  const struct side in = side_of(mpj_flow_list(f, 0), me);
  const struct side out = side_of(mpj_flow_list(f, 1), me);
  (void)root;
  mpj_flow_phase(f, f->comm->size - 1);
  if (f->variant & MPJ_VARIANT_IN_PLACE) {
    lay_in_place(f, &in);
    return;
  }
  lay_sends(f, &out);
  if (in.own || out.own) /* with one of them empty, the copy is refused */
    mpj_flow_copy(f, mpj_operand_part(MPJ_BUFFER_SEND, me), mpj_operand_part(MPJ_BUFFER_RECV, me));
  lay_receives(f, &in);
}
