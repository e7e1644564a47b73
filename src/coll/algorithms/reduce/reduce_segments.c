/* This file lays down the reduce of long data: rank k combines segment k of all
 * ranks' data and sends the result to the root.
 *
 * Cost: (p - 1)(alpha + 2 n / p beta) + (p - 1) n / p gamma, two messages deep:
 * all ranks combine at once. */
#include "coll/algorithms/shapes/segments.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

static void lay_elsewhere(const struct mpj_comm *comm, int root, unsigned variant,
                          struct mpj_schedule_builder *b)
{
  const int p = comm->size, me = comm->rank;
  const struct mpj_operand like = mpj_operand_segment(mpj_operand_whole(MPJ_BUFFER_SEND), me, p);
  struct mpj_segments s = {.result = mpj_schedule_temporary(b, like), .result_is_segment = true};
  if (!mpj_segments_lay(comm, variant, b, &s)) return;
  mpj_schedule_send(b, root, (unsigned)p - 1 + mpj_distance_bit(me, root, p), s.result,
                    s.reduced >= 0, &s.reduced);
}

static void lay_at_root(const struct mpj_comm *comm, unsigned variant,
                        struct mpj_schedule_builder *b)
{
  const int p = comm->size, me = comm->rank;
  const struct mpj_operand out = mpj_operand_whole(MPJ_BUFFER_RECV);
  const bool dense = variant & MPJ_VARIANT_RECV_DENSE;
  int *arrived = mpj_schedule_room(b, p, sizeof *arrived);
  struct mpj_segments s = {.result = dense ? out : mpj_schedule_temporary(b, out),
                           .aliased = dense && (variant & MPJ_VARIANT_IN_PLACE)};
  if (!arrived || !mpj_segments_lay(comm, variant, b, &s)) return;
  for (int k = 1; k < p; k++) {
    const int from = (me + k) % p;
    arrived[k - 1] =
        mpj_schedule_recv(b, from, (unsigned)p - 1 + mpj_distance_bit(from, me, p),
                          mpj_operand_segment(s.result, from, p), s.aliased, &s.sent[from]);
  }
  if (dense) return;
  arrived[p - 1] = s.reduced;
  mpj_schedule_copy(b, s.result, out, p, arrived);
}

int mpj_reduce_segments(const struct mpj_comm *comm, int root, unsigned variant,
                        struct mpj_schedule_builder *b)
{
  if (comm->rank == root)
    lay_at_root(comm, variant, b);
  else
    lay_elsewhere(comm, root, variant, b);
  return MPJ_SUCCESS;
}
