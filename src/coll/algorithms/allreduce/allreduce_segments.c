/* This file lays down the allreduce of long data: rank k combines segment k of
 * all ranks' data and sends the result to all.
 *
 * Cost: 2 (p - 1)(alpha + n / p beta) + (p - 1) n / p gamma, two messages deep:
 * the least data moved. Same bits everywhere: each element is combined once.
 * Source: Rabenseifner 2004, with a flat exchange in both phases. */
#include "coll/algorithms/shapes/segments.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

static void exchange_results(const struct mpj_comm *comm, struct mpj_schedule_builder *b,
                             const struct mpj_segments *s, int arrived[])
{
  const int p = comm->size, me = comm->rank;
  const unsigned phase = (unsigned)p - 1; /* second bits lie above the first */
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    mpj_schedule_send(b, to, phase + mpj_distance_bit(me, to, p), mpj_segments_own(comm, s),
                      s->reduced >= 0, &s->reduced);
  }
  for (int k = 1; k < p; k++) {
    const int from = (me + k) % p;
    arrived[k - 1] =
        mpj_schedule_recv(b, from, phase + mpj_distance_bit(from, me, p),
                          mpj_operand_segment(s->result, from, p), s->aliased, &s->sent[from]);
  }
}

int mpj_allreduce_segments(const struct mpj_comm *comm, int root, unsigned variant,
                           struct mpj_schedule_builder *b)
{
  (void)root;
  const struct mpj_operand out = mpj_operand_whole(MPJ_BUFFER_RECV);
  const bool dense = variant & MPJ_VARIANT_RECV_DENSE;
  int *arrived = mpj_schedule_room(b, comm->size, sizeof *arrived);
  struct mpj_segments s = {.result = dense ? out : mpj_schedule_temporary(b, out),
                           .aliased = dense && (variant & MPJ_VARIANT_IN_PLACE)};
  if (!arrived || !mpj_segments_lay(comm, variant, b, &s)) return MPJ_SUCCESS;
  exchange_results(comm, b, &s, arrived);
  if (dense) return MPJ_SUCCESS;
  arrived[comm->size - 1] = s.reduced;
  mpj_schedule_copy(b, s.result, out, comm->size, arrived);
  return MPJ_SUCCESS;
}
