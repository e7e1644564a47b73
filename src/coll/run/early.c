/* This file keeps arrivals that are ahead of this rank, and gives each to its step in its turn. */
#include "coll/run/early.h"

#include <string.h>

#include "base/status.h"
#include "coll/failure/difference.h"
#include "coll/failure/failure.h"
#include "coll/failure/one_sided.h"
#include "coll/run/comm_records.h"
#include "coll/run/relay.h"
#include "coll/run/relay_data.h"
#include "coll/steps/steps.h"
#include "coll/steps/verdict.h"

enum mpj_am_verdict mpj_early_refuse(struct mpj_comm *comm, uint64_t sequence,
                                     const struct mpj_arrival_message *m,
                                     const struct mpj_am_arrival *arrival)
{
  mpj_error(MPJ_ERR_NO_MEM, "rank %d has no memory to keep what rank %d sent early", comm->rank,
            arrival->source);
  mpj_arrival_decline(comm, arrival->source, m);
  mpj_operation_fail(comm, sequence,
                     &(struct mpj_cause){.code = MPJ_ERR_NO_MEM, .culprit = comm->rank});
  return MPJ_AM_DONE;
}

enum mpj_am_verdict mpj_early_keep(struct mpj_comm *comm, struct mpj_slot *slot, uint64_t sequence,
                                   const struct mpj_arrival_message *m,
                                   const struct mpj_am_arrival *arrival)
{
  struct mpj_early *e = mpj_comm_new_early(comm);
  if (!e) return mpj_early_refuse(comm, sequence, m, arrival);
  e->message = *m;
  e->source = arrival->source;
  e->kept = arrival->kept;
  e->data = NULL;
  e->relays = e->late = false;
  e->relayed = 0;
  e->next = slot->early;
  slot->early = e;
  return m->kind == MPJ_ARRIVAL_EAGER ? MPJ_AM_KEEP : MPJ_AM_DONE;
}

unsigned mpj_early_step_of(const struct mpj_comm *comm, const struct mpj_slot *slot,
                           const struct mpj_arrival_message *m, int source)
{
  const struct mpj_schedule *s = slot->schedule;
  if (!mpj_called_fit(mpj_called_by(m), s->called) || m->radix != mpj_variant_radix(s->variant) ||
      m->segments != mpj_variant_segments(s->variant))
    return MPJ_NO_STEP;
  const unsigned i = mpj_schedule_step_of(s, m->bit);
  if (i == MPJ_NO_STEP || s->steps[i].kind != MPJ_STEP_RECV ||
      mpj_comm_peer(comm, s->steps[i].peer) != source)
    return MPJ_NO_STEP;
  return i;
}

/* An arrival for the operation that this rank is in. */
enum mpj_am_verdict mpj_early_or_now(struct mpj_comm *comm, struct mpj_slot *slot,
                                     const struct mpj_arrival_message *m,
                                     const struct mpj_am_arrival *arrival)
{
  if (slot->abandoned) {
    mpj_arrival_decline(comm, arrival->source, m);
    return MPJ_AM_DONE;
  }
  const unsigned i = mpj_early_step_of(comm, slot, m, arrival->source);
  if (i == MPJ_NO_STEP || mpj_bits_test(&slot->seen, m->bit)) {
    mpj_arrival_decline(comm, arrival->source, m);
    if (i != MPJ_NO_STEP && mpj_verdict_is_late(m)) return MPJ_AM_DONE;
    if (!mpj_one_sided_came(comm, slot, arrival->source, m))
      mpj_operation_stranger(comm, slot, arrival->source, m);
    return MPJ_AM_DONE;
  }
  mpj_bits_set(&slot->seen, m->bit);
  if (slot->listed && --slot->waits[i] == 0) {
    mpj_step_ended(slot, i,
                   mpj_step_take(comm, slot, i, arrival->source, m, arrival->kept.payload));
    return MPJ_AM_DONE;
  }
  return mpj_early_keep(comm, slot, slot->sequence, m, arrival);
}

static void drop(struct mpj_comm *comm, struct mpj_early *e)
{
  if (e->data)
    mpj_relay_data_let_go(e);
  else if (e->message.kind == MPJ_ARRIVAL_EAGER)
    mpj_net_release(comm->net, &e->kept);
  mpj_comm_drop_early(comm, e);
}

/* Give e to its step, which waits for nothing else. */
static int hand_over(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, struct mpj_early *e)
{
  const int status = mpj_step_take(comm, slot, i, e->source, &e->message, e->kept.payload);
  drop(comm, e);
  return status;
}

bool mpj_early_fit(const struct mpj_comm *comm, const struct mpj_slot *slot)
{
  for (const struct mpj_early *e = slot->early; e; e = e->next)
    if (e->relayed > 0 || e->data ||
        mpj_early_step_of(comm, slot, &e->message, e->source) == MPJ_NO_STEP)
      return false;
  return true;
}

/* Give e to step i once that waits for nothing else. */
static void give(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, struct mpj_early *e)
{
  if (--slot->waits[i] == 0) {
    mpj_step_ended(slot, i, hand_over(comm, slot, i, e));
    return;
  }
  e->next = slot->early;
  slot->early = e;
}

void mpj_early_route(struct mpj_comm *comm, struct mpj_slot *slot)
{
  struct mpj_early *e = slot->early, *next;
  slot->early = NULL;
  for (; e; e = next) {
    next = e->next;
    const unsigned i =
        slot->abandoned ? MPJ_NO_STEP : mpj_early_step_of(comm, slot, &e->message, e->source);
    if (i != MPJ_NO_STEP && e->relayed > 0) mpj_relay_pass_over(slot, e);
    if (e->data && e->data->state == MPJ_RELAY_QUEUED) mpj_relay_data_let_go(e);
    if (i == MPJ_NO_STEP) {
      mpj_arrival_decline(comm, e->source, &e->message);
      if (!slot->abandoned && !mpj_one_sided_came(comm, slot, e->source, &e->message))
        mpj_operation_stranger(comm, slot, e->source, &e->message);
      drop(comm, e);
    } else if (e->data && e->data->state == MPJ_RELAY_PULLING) {
      e->late = true;
      e->next = slot->early;
      slot->early = e;
    } else {
      give(comm, slot, i, e);
    }
  }
}

bool mpj_early_came(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = false;
  struct mpj_early **link = &slot->early;
  slot->data_came = false;
  while (*link && !slot->abandoned) {
    struct mpj_early *e = *link;
    if (!e->late || e->data->state != MPJ_RELAY_HERE) {
      link = &e->next;
      continue;
    }
    *link = e->next;
    e->late = false;
    give(comm, slot, mpj_schedule_step_of(slot->schedule, e->message.bit), e);
    moved = true;
    link = &slot->early;
  }
  return moved;
}

int mpj_early_take(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_plan_step *step)
{
  struct mpj_early **link = &slot->early;
  while ((*link)->message.bit != step->bit)
    link = &(*link)->next;
  struct mpj_early *e = *link;
  *link = e->next;
  return hand_over(comm, slot, mpj_step_number(slot, step), e);
}

void mpj_early_drop_all(struct mpj_comm *comm, struct mpj_slot *slot)
{
  while (slot->early) {
    struct mpj_early *e = slot->early;
    slot->early = e->next;
    mpj_arrival_decline(comm, e->source, &e->message);
    drop(comm, e);
  }
  mpj_relay_data_withdraw(comm, slot);
}
