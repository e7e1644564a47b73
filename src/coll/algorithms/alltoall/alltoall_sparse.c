/* This file lays down the alltoall of sparse types: a message for each part that has data, and
 * nothing for the others, of which both ends know that they are empty. Each rank begins with
 * the ranks behind it.
 *
 * In place, what comes from j waits in a temporary until what goes to j, which
 * lies where it belongs, has left.
 * Cost: k (alpha + n / k beta) for k parts of n bytes in all, one message deep; the schedule takes
 * O(k), whatever p is. */
#include "coll/plan/schedule_steps.h"
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

static void lay_sends(const struct mpj_comm *comm, const struct side *out,
                      struct mpj_schedule_builder *b)
{
  const int p = comm->size, me = comm->rank;
  for (MPJ_Count k = 0; k < out->list->n; k++) {
    const int to = peer_at(out, k);
    if (to != me)
      mpj_schedule_send(b, to, mpj_distance_bit(me, to, p), mpj_operand_part(MPJ_BUFFER_SEND, to),
                        0, NULL);
  }
}

static void lay_receives(const struct mpj_comm *comm, const struct side *in,
                         struct mpj_schedule_builder *b)
{
  const int p = comm->size, me = comm->rank;
  for (MPJ_Count k = in->list->n; k-- > 0;) {
    const int from = peer_at(in, k);
    if (from != me)
      mpj_schedule_recv(b, from, mpj_distance_bit(from, me, p),
                        mpj_operand_part(MPJ_BUFFER_RECV, from), 0, NULL);
  }
}

static void lay_in_place(const struct mpj_comm *comm, const struct side *both,
                         struct mpj_schedule_builder *b)
{
  const int p = comm->size, me = comm->rank;
  for (MPJ_Count k = 0; k < both->list->n; k++) {
    const int peer = peer_at(both, k);
    if (peer == me) continue;
    const struct mpj_operand part = mpj_operand_part(MPJ_BUFFER_RECV, peer);
    const struct mpj_operand came = mpj_schedule_temporary(b, part);
    const int steps[2] = {mpj_schedule_send(b, peer, mpj_distance_bit(me, peer, p), part, 0, NULL),
                          mpj_schedule_recv(b, peer, mpj_distance_bit(peer, me, p), came, 0, NULL)};
    mpj_schedule_copy(b, came, part, 2, steps);
  }
}

int mpj_alltoall_sparse(const struct mpj_comm *comm, int root, unsigned variant,
                        struct mpj_schedule_builder *b)
{
  const int me = comm->rank;
  const struct side in = side_of(mpj_schedule_list(b, 0), me);
  const struct side out = side_of(mpj_schedule_list(b, 1), me);
  (void)root;
  if (variant & MPJ_VARIANT_IN_PLACE) {
    lay_in_place(comm, &in, b);
    return MPJ_SUCCESS;
  }
  lay_sends(comm, &out, b);
  if (in.own || out.own) /* with one of them empty, the copy is refused */
    mpj_schedule_copy(b, mpj_operand_part(MPJ_BUFFER_SEND, me),
                      mpj_operand_part(MPJ_BUFFER_RECV, me), 0, NULL);
  lay_receives(comm, &in, b);
  return MPJ_SUCCESS;
}
