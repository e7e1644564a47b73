/* This file lays down the exchange and combination of segments. */
#include "coll/algorithms/shapes/segments.h"
#include "coll/plan/schedule_steps.h"

/* The input as something dense, and the step after which it is (-1: at once). */
static struct mpj_operand dense_input(unsigned variant, struct mpj_schedule_builder *b, int *step)
{
  const bool in_place = variant & MPJ_VARIANT_IN_PLACE;
  const unsigned dense = in_place ? MPJ_VARIANT_RECV_DENSE : MPJ_VARIANT_SEND_DENSE;
  const struct mpj_operand input = mpj_operand_whole(in_place ? MPJ_BUFFER_RECV : MPJ_BUFFER_SEND);
  *step = -1;
  if (variant & dense) return input;
  const struct mpj_operand packed = mpj_schedule_temporary(b, input);
  *step = mpj_schedule_copy(b, input, packed, 0, NULL);
  return packed;
}

struct mpj_operand mpj_segments_own(const struct mpj_comm *comm, const struct mpj_segments *s)
{
  return s->result_is_segment ? s->result : mpj_operand_segment(s->result, comm->rank, comm->size);
}

bool mpj_segments_lay(const struct mpj_comm *comm, unsigned variant, struct mpj_schedule_builder *b,
                      struct mpj_segments *s)
{
  const int p = comm->size, me = comm->rank;
  const bool in_place = variant & MPJ_VARIANT_IN_PLACE;
  int input_step;
  s->sent = mpj_schedule_room(b, p, sizeof *s->sent);
  if (!s->sent) return false;
  const struct mpj_operand input = dense_input(variant, b, &input_step);
  const struct mpj_operand like =
      mpj_operand_segment(mpj_operand_whole(in_place ? MPJ_BUFFER_RECV : MPJ_BUFFER_SEND), me, p);
  struct mpj_chain chain = {.high = p - 1,
                            .dst = mpj_segments_own(comm, s),
                            .own = mpj_operand_segment(input, me, p),
                            .own_step = input_step,
                            .like = like};
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    s->sent[to] =
        mpj_schedule_send(b, to, mpj_distance_bit(me, to, p), mpj_operand_segment(input, to, p),
                          input_step >= 0, &input_step);
  }
  int aside = -1;
  if (s->aliased && me == p - 1) {
    chain.own_in_dst = true;
  } else if (s->aliased) { /* the result will lie over the own contribution */
    const struct mpj_operand packed = mpj_schedule_temporary(b, like);
    aside = mpj_schedule_copy(b, chain.own, packed, input_step >= 0, &input_step);
    chain.own = packed;
    chain.own_step = aside;
    chain.nguards = 1;
    chain.guards = &aside;
  }
  s->reduced = mpj_chain_lay(comm, b, &chain);
  return true;
}
