/* This file drives a schedule: start, run what is ready, wait, finish. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "coll/comm/closing.h"
#include "coll/comm/context.h"
#include "coll/failure/difference.h"
#include "coll/failure/failure.h"
#include "coll/run/early.h"
#include "coll/run/engine.h"
#include "coll/run/in_order.h"
#include "coll/run/tally.h"
#include "coll/steps/posts.h"
#include "coll/steps/steps.h"
#include "coll/steps/verdict.h"

/* Starting */

/* The operation had failed before this rank called it. */
static void start_poisoned(struct mpj_comm *comm, struct mpj_slot *slot)
{
  if (slot->poison_heard) {
    mpj_operation_poisoned(comm, slot, &slot->poison, slot->poison_broken);
    return;
  }
  mpj_cause_complete(comm, slot->schedule->called, &slot->poison);
  mpj_error_elsewhere(comm, slot, &slot->poison);
  mpj_operation_abandon(comm, slot, &slot->poison, false);
}

/* The slot of the next operation, which is active from now on; nothing of it has been done. NULL:
 * there is no memory. */
static struct mpj_slot *begin(struct mpj_comm *comm, struct mpj_schedule *schedule,
                              const struct mpj_call *call)
{
  const bool failed = schedule->operation == MPJ_OPERATION_NONE;
  struct mpj_slot *slot = mpj_comm_open_slot(comm, comm->started, failed);
  assert(comm->started < comm->completed + mpj_comm_slots(comm) && !(slot && slot->active));
  if (!slot) return NULL;
  if (!schedule->plan && !mpj_slot_take_memory(slot, schedule)) return NULL;
  slot->active = true;
  slot->posted = false;
  slot->look_again = comm->closing && comm->started >= comm->closing->least;
  slot->sequence = comm->started++;
  mpj_called_note(comm, slot->sequence, schedule->called);
  slot->schedule = schedule;
  slot->call = call;
  for (unsigned t = 0; t < schedule->ntemporaries; t++)
    slot->temporaries[t] = NULL;
  return slot;
}

/* The second half of what does not begin in order: others may have said something before. */
static MPJ_ASIDE void start_spread(struct mpj_comm *comm, struct mpj_slot *slot)
{
  const struct mpj_schedule *s = slot->schedule;
  mpj_slot_load(comm, slot);
  mpj_slot_list_ready(slot);
  if (slot->poison.code != 0)
    start_poisoned(comm, slot);
  else if (slot->early && s->operation != MPJ_OPERATION_NONE)
    mpj_early_route(comm, slot); /* a failed call's are dropped at its end */
  if (s->plan) mpj_plan_learn(comm, slot);
}

int mpj_engine_start(struct mpj_comm *comm, struct mpj_schedule *schedule,
                     const struct mpj_call *call, struct mpj_slot **started)
{
  mpj_in_order_interrupt(comm->context);
  const bool in_order = mpj_in_order_fits(comm, schedule, call);
  struct mpj_slot *slot = begin(comm, schedule, call);
  if (!slot)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for an operation of %d steps", schedule->nsteps);
  slot->in_order = in_order && mpj_in_order_begin(comm, slot);
  if (comm->context->tally)
    mpj_tally_open(comm, slot, slot->in_order ? MPJ_RAN_IN_ORDER : MPJ_RAN_SPREAD);
  if (!slot->in_order) start_spread(comm, slot);
  *started = slot;
  return MPJ_SUCCESS;
}

struct mpj_slot *mpj_engine_start_failed(struct mpj_comm *comm, int status)
{
  static const struct mpj_call nothing = {0};
  struct mpj_slot *slot = NULL;
  comm->unsure = true;
  if (mpj_engine_start(comm, &comm->schedules->no_steps, &nothing, &slot) != MPJ_SUCCESS) {
    mpj_warn("rank %d has no memory to note that operations have failed", comm->context->rank);
    abort(); /* the others see it die */
  }
  const struct mpj_cause cause = {.code = status, .culprit = comm->rank};
  if (!slot->abandoned) mpj_operation_abandon(comm, slot, &cause, false);
  return slot;
}

/* Advancing */

/* A bit that a peer has set in the control window. One that the schedule does not await says that
 * the peer is in another operation; which one it tells when asked. */
static void signal_arrived(struct mpj_slot *slot, unsigned bit)
{
  const uint16_t i = slot->schedule->step_of_bit[bit];
  mpj_bits_set(&slot->seen, bit);
  if (i == MPJ_NO_STEP || slot->schedule->steps[i].kind != MPJ_STEP_AWAIT) {
    slot->disagrees = true;
    return;
  }
  if (--slot->waits[i] == 0) slot->ready[slot->nready++] = i;
}

static bool collect_signals(struct mpj_comm *comm, struct mpj_slot *slot)
{
  const struct mpj_control_slot *c = &comm->window->slot[mpj_slot_number(comm, slot->sequence)];
  bool moved = false;
  for (unsigned w = 0; w < slot->schedule->await_words; w++) {
    uint64_t fresh = mpj_atomic_bits_load(&c->arrived, w) & ~mpj_bits_words(&slot->seen)[w];
    for (; fresh; fresh &= fresh - 1) {
      signal_arrived(slot, 64 * w + (unsigned)__builtin_ctzll(fresh));
      moved = true;
    }
  }
  if (moved) slot->cur_val = mpj_bits_next_clear(&slot->seen, slot->cur_val);
  return moved;
}

static void retry_blocked(struct mpj_slot *slot)
{
  memcpy(slot->ready + slot->nready, slot->blocked, slot->nblocked * sizeof *slot->ready);
  slot->nready += slot->nblocked;
  slot->nblocked = 0;
}

/* Run the ready steps, and those that they release, in the order in which they
 * became ready. Each step is in the list at most once, so the list has room. */
static bool run_ready(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = false;
  for (unsigned k = 0; k < slot->nready && !slot->abandoned; k++) {
    const uint16_t i = slot->ready[k];
    const int status = mpj_step_run(comm, slot, i);
    if (status == MPJ_AM_AGAIN) {
      slot->blocked[slot->nblocked++] = i;
      continue;
    }
    moved = true;
    if (status == MPJ_AM_PENDING) continue;
    if (status != MPJ_SUCCESS) mpj_operation_note_error(slot, status);
    mpj_step_complete(slot, i);
  }
  slot->nready = 0;
  return moved;
}

bool mpj_engine_advance(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = false;
  if (slot->in_order) mpj_in_order_interrupt(comm->context);
  if (slot->in_order) return false; /* it is being run, and this is a handler's call */
  if (slot->abandoned) return mpj_poison_advance(comm, slot);
  if (slot->schedule->await_words > 0) moved = collect_signals(comm, slot);
  if (slot->nblocked > 0) retry_blocked(slot);
  if (slot->give_up_ns != 0) mpj_verdicts_give_up(comm, slot);
  if (slot->schedule->judges && slot->nready > 1) mpj_verdicts_order(slot);
  if (slot->nready > 0) moved |= run_ready(comm, slot);
  while (slot->looked < slot->schedule->nposted && !slot->abandoned && mpj_posts_look(comm, slot)) {
    moved = true; /* what has come may let steps run, and these let others look */
    if (slot->nready > 0) run_ready(comm, slot);
  }
  while (slot->transfers && !slot->abandoned && mpj_transfers_advance(comm, slot)) {
    moved = true; /* what was there at once lets steps run, and these may begin others */
    if (slot->nready == 0) break;
    run_ready(comm, slot);
  }
  if (slot->schedule->gives_up && !slot->abandoned) mpj_verdicts_watch(comm, slot);
  return moved;
}

bool mpj_engine_is_finished(const struct mpj_comm *comm, const struct mpj_slot *slot)
{
  (void)comm;
  if (slot->in_order) return false;
  if (!slot->abandoned) return slot->left == 0 && !slot->disagrees;
  return !slot->transfers && slot->untold == 0;
}

/* Finishing */

static void clear_window(struct mpj_comm *comm, const struct mpj_slot *slot)
{
  struct mpj_control_slot *c = &comm->window->slot[mpj_slot_number(comm, slot->sequence)];
  mpj_atomic_bits_clear(&c->arrived);
}

/* Raise `completed` over every operation that has ended, and publish it. */
static void publish_progress(struct mpj_comm *comm)
{
  while (comm->completed < comm->started && !mpj_comm_slot(comm, comm->completed)->active)
    comm->completed++;
  if (comm->net) atomic_store_explicit(&comm->window->done, comm->completed, memory_order_release);
}

static void free_temporaries(struct mpj_slot *slot)
{
  for (unsigned t = 0; t < slot->schedule->ntemporaries; t++)
    mpj_scratch_give(slot->scratch, slot->temporaries[t]);
}

/* What an operation leaves that has been spread. */
static MPJ_ASIDE void clear_spread(struct mpj_comm *comm, struct mpj_slot *slot)
{
  if (slot->abandoned) {
    mpj_early_drop_all(comm, slot);
    if (comm->abandoned_end <= slot->sequence) comm->abandoned_end = slot->sequence + 1;
  }
  mpj_slot_release(slot);
  slot->schedule->users--;
  slot->poison.code = 0;
}

static void clear(struct mpj_slot *slot)
{
  slot->active = slot->in_order = slot->tells = slot->counted = false;
  slot->disagrees = slot->abandoned = slot->relayed = slot->look_again = false;
  slot->done = 0;
  slot->status = MPJ_SUCCESS;
  mpj_bits_clear(&slot->seen);
}

int mpj_engine_finish(struct mpj_comm *comm, struct mpj_slot *slot)
{
  const int status = slot->status;
  const uint64_t sequence = slot->sequence;
  assert(slot->in_order || mpj_engine_is_finished(comm, slot));
  if (slot->noted) mpj_tally_close(slot);
  if (slot->schedule->await_words > 0) clear_window(comm, slot);
  free_temporaries(slot);
  if (!slot->in_order) clear_spread(comm, slot);
  clear(slot);
  publish_progress(comm);
  if (status != MPJ_SUCCESS) mpj_error(status, "%s", slot->why);
  mpj_comm_close_slot(comm, sequence);
  return status;
}

/* Waiting */

enum { WATCH_EVERY = 32 }; /* misses; a sleep is one */
