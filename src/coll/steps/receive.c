/* This file receives: it looks for what a step waits for, and takes what has come of it. */
#include <string.h>

#include "base/status.h"
#include "coll/comm/context.h"
#include "coll/run/early.h"
#include "coll/steps/ends.h"
#include "coll/steps/posts.h"
#include "coll/steps/steps.h"

/* What the rank looks for just now: the handler of messages compares, and has the data put. */
struct mpj_awaited {
  struct mpj_arrival_message message; /* its header */
  struct mpj_comm *comm;
  struct mpj_slot *slot;
  const struct mpj_plan_step *step;
  int source; /* in WORLD */
  bool here;
  int status; /* of putting it */
};

/* Marks are sent by operations before which all others of their rank have ended. */
static void know_done(struct mpj_comm *comm, const struct mpj_slot *slot, int peer)
{
  struct mpj_map_entry *e = mpj_map_find_recent(&comm->known_done, (uint32_t)peer);
  if (!e)
    mpj_comm_note_done(comm, peer, slot->sequence);
  else if (e->number < slot->sequence)
    e->number = slot->sequence;
}

/* ready: there is a place for it. */
static inline int look_for(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_plan_step *step,
                           int source, bool ready)
{
  struct mpj_awaited awaited;
  awaited.here = false;
  if (ready) {
    mpj_step_message(slot, step, comm->id, &awaited.message);
    awaited.comm = comm;
    awaited.slot = slot;
    awaited.step = step;
    awaited.source = source;
    comm->context->awaited = &awaited;
  }
  mpj_net_poll_from(comm->net, source);
  comm->context->awaited = NULL;
  comm->net->enough = false;
  if (awaited.here) return awaited.status;
  if (slot->abandoned || !mpj_bits_test(&slot->seen, step->bit)) return MPJ_AM_AGAIN;
  return mpj_early_take(comm, slot, step);
}

/* It is here, or is to be looked for among all that comes. */
static MPJ_ASIDE int receive_otherwise(struct mpj_comm *comm, struct mpj_slot *slot,
                                       struct mpj_plan_step *step, bool ready)
{
  if (mpj_bits_test(&slot->seen, step->bit)) return mpj_early_take(comm, slot, step);
  const bool had = ready;
  ready = mpj_step_have_place(slot, step, step->way) == MPJ_SUCCESS;
  if (!ready) mpj_error_drop(); /* who takes it, once it is here, says so */
  if (ready && !had && step->way != MPJ_ARRIVAL_ADVERT && mpj_net_can_take(comm->net))
    return mpj_step_run_receive(comm, slot, step);
  return look_for(comm, slot, step, mpj_comm_world(comm, mpj_comm_peer(comm, step->peer)), ready);
}

/* The message of a step, with its data in it or aside, may be the next one of its source. */
int mpj_step_run_receive(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_plan_step *step)
{
  _Alignas(16) unsigned char aside[MPJ_INLINE_MAX];
  const bool combines = step->combines, eager = step->way == MPJ_ARRIVAL_EAGER;
  const bool there = combines ? !eager || step->had_place : mpj_end_is_there(slot, &step->to);
  const bool ready = there && step->way != MPJ_ARRIVAL_ADVERT;
  if (!ready || step->to.buffer == MPJ_BUFFER_BUNDLE || mpj_bits_test(&slot->seen, step->bit) ||
      !mpj_net_can_take(comm->net))
    return receive_otherwise(comm, slot, step, ready);
  const bool direct = !eager && step->to.dense && !combines && step->bytes > 0;
  const int peer = mpj_comm_peer(comm, step->peer);
  struct mpj_am_kept kept;
  const enum mpj_taken taken = mpj_net_take(
      comm->net, mpj_comm_world(comm, peer), MPJ_AM_COLLECTIVE, mpj_step_mark(slot, step, comm->id),
      direct ? mpj_end_address(slot, &step->to) : (char *)aside, (unsigned)step->bytes,
      eager ? &kept : NULL);
  if (taken == MPJ_NOT_HERE) return MPJ_AM_AGAIN;
  if (taken == MPJ_ANOTHER_HERE) return receive_otherwise(comm, slot, step, ready);
  if (taken == MPJ_TAKEN_MARKED) know_done(comm, slot, peer);
  mpj_bits_set(&slot->seen, step->bit);
  if (direct) return MPJ_SUCCESS;
  const int status = mpj_step_put(comm, slot, step, eager ? kept.payload : aside, step->bytes);
  if (eager) mpj_net_release(comm->net, &kept);
  return status;
}

bool mpj_expected_take(struct mpj_context *context, const struct mpj_am_arrival *arrival)
{
  struct mpj_awaited *a = context->awaited;
  if (!a || arrival->source != a->source || arrival->header_bytes < MPJ_ARRIVAL_HEADER ||
      memcmp(arrival->header, &a->message, MPJ_ARRIVAL_HEADER) != 0)
    return false;
  const bool eager = a->message.kind == MPJ_ARRIVAL_EAGER;
  const MPJ_Count data = eager ? 0 : a->step->bytes;
  if (a->message.kind == MPJ_ARRIVAL_ADVERT || arrival->has_payload != eager ||
      arrival->header_bytes != MPJ_ARRIVAL_HEADER + data ||
      (eager && arrival->kept.bytes != a->step->bytes))
    return false;
  _Alignas(16) unsigned char aligned[MPJ_INLINE_MAX];
  const char *inlined = (const char *)arrival->header + MPJ_ARRIVAL_HEADER;
  a->status = mpj_step_put(a->comm, a->slot, a->step,
                           eager ? arrival->kept.payload : memcpy(aligned, inlined, (size_t)data),
                           a->step->bytes);
  mpj_bits_set(&a->slot->seen, a->message.bit);
  a->here = context->net->enough = true;
  context->awaited = NULL; /* another one like it is a stranger */
  return true;
}
