/* This file hands the records of a bundle to the steps that they are for. */
#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/failure/failure.h"
#include "coll/steps/bundle.h"
#include "coll/steps/steps.h"

/* Without some of its records nobody can tell what comes straight and what never will. */
static int give_up(struct mpj_comm *comm, struct mpj_slot *slot, int status)
{
  mpj_operation_abandon(comm, slot, &(struct mpj_cause){.code = status, .culprit = comm->rank},
                        false);
  return MPJ_AM_PENDING;
}

int mpj_bundle_deliver(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  const struct mpj_schedule *s = slot->schedule;
  const struct mpj_operand src = mpj_step_src(s, step);
  const struct mpj_bundle *from = *mpj_bundle_place(slot, src);
  struct mpj_record record;
  if (slot->status != MPJ_SUCCESS && !mpj_bundle_is_whole(slot, src))
    return give_up(comm, slot, mpj_error(slot->status, "%s", slot->why));
  for (size_t at = 0; from && at < from->bytes; at += mpj_record_bytes(record.bytes)) {
    if (!mpj_record_at(from, at, &record))
      return give_up(comm, slot, mpj_bundle_damaged(comm, slot, src.segment));
    if (!mpj_record_is_named(src, record.tag)) continue;
    const unsigned bit = step->bit + record.tag - src.segment;
    const uint16_t i = bit < MPJ_BITS_MAX ? s->step_of_bit[bit] : MPJ_NO_STEP;
    if (i == MPJ_NO_STEP || s->steps[i].kind != MPJ_STEP_RECV_EITHER || slot->waits[i] != 1 ||
        mpj_bits_test(&slot->seen, bit))
      return give_up(comm, slot, mpj_bundle_damaged(comm, slot, record.tag));
    const struct mpj_arrival_message message = {
        .kind = MPJ_ARRIVAL_EAGER, .bytes = record.bytes, .digest = record.digest};
    mpj_bits_set(&slot->seen, bit);
    slot->waits[i] = 0;
    mpj_step_take(comm, slot, i, s->steps[i].peer, &message, from->data + at + sizeof record);
  }
  return MPJ_SUCCESS;
}
