/* This file drives a schedule: start, run what is ready, wait, finish. */
#include <assert.h>
#include <string.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/wtime.h"
#include "coll/comm/closing.h"
#include "coll/comm/context.h"
#include "coll/run/difference.h"
#include "coll/run/tally.h"

/* Slot memory: one block for all arrays of an operation, the slot's own for short
 * ones, else from the scratch store, given back at the end, so that repeated
 * operations work in the same lines. */

void mpj_slot_release(struct mpj_slot *slot)
{
  for (int k = 0; k < 2; k++) {
    mpj_scratch_give(slot->scratch, slot->offsets[k].at);
    slot->offsets[k].at = NULL;
  }
  if (slot->memory != slot->small) mpj_scratch_give(slot->scratch, slot->memory);
  slot->memory = NULL;
  mpj_free(slot->noted); /* of an operation that nobody ends */
  slot->noted = NULL;
}

size_t mpj_slot_bytes(const struct mpj_schedule *s)
{
  const struct mpj_slot *slot = NULL;
  return s->ntemporaries * sizeof *slot->temporaries +
         s->nsteps * (3 * sizeof *slot->waits + 2 * sizeof *slot->complete);
}

static bool take_memory(struct mpj_slot *slot, const struct mpj_schedule *s)
{
  const size_t n = s->nsteps, t = s->ntemporaries, bytes = mpj_slot_bytes(s);
  slot->memory = bytes <= MPJ_SLOT_SMALL ? slot->small : mpj_scratch_take(slot->scratch, bytes);
  if (!slot->memory) return false;
  slot->temporaries = slot->memory;
  slot->waits = (uint16_t *)(void *)(slot->temporaries + t);
  slot->ready = slot->waits + n;
  slot->blocked = slot->ready + n;
  slot->complete = (unsigned char *)(slot->blocked + n);
  slot->forwarded = slot->complete + n;
  return true;
}

/* Starting */

static void list_ready(struct mpj_slot *slot)
{
  slot->nready = 0;
  for (uint16_t i = 0; i < slot->schedule->nsteps; i++)
    if (slot->waits[i] == 0 && !slot->complete[i]) slot->ready[slot->nready++] = i;
}

static void load_schedule(struct mpj_slot *slot)
{
  const struct mpj_schedule *s = slot->schedule;
  slot->left = s->nsteps;
  slot->nblocked = 0;
  slot->looked = 0;
  slot->posted = false;
  slot->nready = 0;
  for (unsigned t = 0; t < s->ntemporaries; t++)
    slot->temporaries[t] = NULL;
  if (s->nsteps == 0) return;
  memcpy(slot->waits, s->waits, s->nsteps * sizeof *slot->waits);
  memset(slot->complete, 0, s->nsteps);
  list_ready(slot);
}

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

/* The first half: the slot is active, and nothing has been done. NULL: there is no memory. */
static struct mpj_slot *begin(struct mpj_comm *comm, struct mpj_schedule *schedule,
                              const struct mpj_call *call)
{
  struct mpj_slot *slot = mpj_comm_slot(comm, comm->started);
  assert(comm->started < comm->completed + mpj_comm_slots(comm) && !slot->active);
  slot->scratch = &comm->context->scratch;
  slot->noted = NULL;
  if (!take_memory(slot, schedule)) return NULL;
  mpj_comm_is_busy(comm);
  slot->active = true;
  slot->sequence = comm->started++;
  mpj_called_note(comm, slot->sequence, schedule->called);
  slot->schedule = schedule;
  slot->call = *call;
  slot->status = MPJ_SUCCESS;
  slot->abandoned = slot->relayed = false;
  slot->look_again = comm->closing && comm->closing->heard > 0;
  slot->untold = 0;
  slot->cur_val = 0;
  slot->counted = slot->disagrees = false;
  slot->offsets[0].known = slot->offsets[1].known = false;
  mpj_bits_set(&slot->seen, 0);
  schedule->users++;
  load_schedule(slot);
  return slot;
}

/* The second half: what others have said before this rank called. */
static void hear(struct mpj_comm *comm, struct mpj_slot *slot)
{
  if (slot->poison.code != 0) {
    start_poisoned(comm, slot);
  } else if (slot->early && slot->schedule->operation != MPJ_OPERATION_NONE) {
    mpj_early_route(comm, slot); /* a failed call's are dropped at its end */
  }
}

int mpj_engine_start(struct mpj_comm *comm, struct mpj_schedule *schedule,
                     const struct mpj_call *call, struct mpj_slot **started)
{
  struct mpj_slot *slot = begin(comm, schedule, call);
  if (!slot)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for an operation of %d steps", schedule->nsteps);
  if (comm->context->tally) {
    const int64_t now = mpj_clock_ns();
    mpj_tally_open(comm, slot, MPJ_RAN_ENGINE, now, now);
  }
  hear(comm, slot);
  *started = slot;
  return MPJ_SUCCESS;
}

/* A step that has been done, after those that it depends on. Its arrival is in `seen`. */
static void pass_step(struct mpj_slot *slot, uint16_t i)
{
  slot->waits[i] = 0;
  mpj_step_complete(slot, i);
}

struct mpj_slot *mpj_engine_resume(struct mpj_comm *comm, struct mpj_schedule *schedule,
                                   const struct mpj_call *call, const struct mpj_resumed *rest)
{
  struct mpj_slot *slot = begin(comm, schedule, call);
  for (unsigned k = 0; k < rest->ndone; k++)
    pass_step(slot, rest->done[k]);
  list_ready(slot);
  for (unsigned k = 0; k < rest->ntemporaries; k++)
    slot->temporaries[rest->temporaries[k].number] = rest->temporaries[k].memory;
  slot->posted = rest->posted;
  slot->counted = rest->counted;
  if (comm->context->tally)
    mpj_tally_open(comm, slot, MPJ_RAN_HANDED_OVER, rest->begun, rest->last_step);
  hear(comm, slot);
  if (comm->broken.code != 0) mpj_comm_broken_elsewhere(comm, &comm->broken);
  return slot;
}

struct mpj_slot *mpj_engine_start_failed(struct mpj_comm *comm, int status)
{
  const struct mpj_call nothing = {0};
  struct mpj_slot *slot = NULL;
  comm->unsure = true;
  mpj_engine_start(comm, &comm->schedules->no_steps, &nothing,
                   &slot); /* needs no memory: cannot fail */
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
    uint64_t fresh = mpj_atomic_bits_load(&c->arrived, w) & ~slot->seen.word[w];
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
  if (slot->abandoned) return mpj_poison_advance(comm, slot);
  if (slot->schedule->await_words > 0) moved = collect_signals(comm, slot);
  if (slot->nblocked > 0) retry_blocked(slot);
  if (slot->nready > 0) moved |= run_ready(comm, slot);
  while (slot->looked < slot->schedule->nposted && !slot->abandoned && mpj_posts_look(comm, slot)) {
    moved = true; /* what has come may let steps run, and these let others look */
    if (slot->nready > 0) run_ready(comm, slot);
  }
  if (slot->transfers && !slot->abandoned) moved |= mpj_transfers_advance(comm, slot);
  return moved;
}

bool mpj_engine_is_finished(const struct mpj_comm *comm, const struct mpj_slot *slot)
{
  (void)comm;
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

void mpj_engine_pass(struct mpj_comm *comm, const struct mpj_schedule *schedule)
{
  struct mpj_slot *slot = mpj_comm_slot(comm, comm->started);
  slot->sequence = comm->started++;
  mpj_called_note(comm, slot->sequence, schedule->called);
  if (schedule->await_words > 0) clear_window(comm, slot);
  slot->seen = (struct mpj_bits){{0}};
  comm->completed = comm->started;
  atomic_store_explicit(&comm->window->done, comm->completed, memory_order_release);
}

static void free_temporaries(struct mpj_slot *slot)
{
  for (unsigned t = 0; t < slot->schedule->ntemporaries; t++) {
    mpj_scratch_give(slot->scratch, slot->temporaries[t]);
    slot->temporaries[t] = NULL;
  }
}

int mpj_engine_finish(struct mpj_comm *comm, struct mpj_slot *slot)
{
  assert(mpj_engine_is_finished(comm, slot));
  if (slot->noted) mpj_tally_close(slot);
  if (slot->abandoned) {
    mpj_early_drop_all(comm, slot);
    comm->abandoned_end = slot->sequence + 1;
  }
  if (slot->schedule->await_words > 0) clear_window(comm, slot);
  free_temporaries(slot);
  mpj_slot_release(slot);
  slot->schedule->users--;
  slot->schedule = NULL;
  slot->seen = (struct mpj_bits){{0}};
  slot->poison.code = 0;
  slot->active = false;
  publish_progress(comm);
  return slot->status == MPJ_SUCCESS ? MPJ_SUCCESS : mpj_error(slot->status, "%s", slot->why);
}

/* Waiting */

enum { WATCH_EVERY = 32 }; /* misses; a sleep is one */

/* Whether more is under way than the operation that the caller waits for: others
 * may wait for it, and come to this one only then. */
static bool has_others(const struct mpj_comm *comm)
{
  return comm->started - comm->completed > 1 || comm->context->busy != comm || comm->next ||
         comm->context->closing_news;
}

/* What has moved may be what another thread of the rank waits for. */
static void share_news(struct mpj_context *context)
{
  context->gate.news = true;
  mpj_gate_pass(context);
}

static void wait_for(struct mpj_comm *comm, struct mpj_slot *slot)
{
  unsigned idle = 0;
  uint32_t changes = 0;
  while (!mpj_engine_is_finished(comm, slot)) {
    if (mpj_engine_advance(comm, slot) ||
        (has_others(comm) && mpj_engine_advance_others(comm->context, slot)) ||
        mpj_net_poll(comm->net)) {
      idle = 0;
      if (comm->context->gate.closed) share_news(comm->context);
      continue;
    }
    if (mpj_net_changes(comm->net) != changes || slot->look_again) {
      changes = mpj_net_changes(comm->net);
      mpj_notice_failures(comm, slot);
      continue;
    }
    mpj_net_idle(comm->net, &idle);
    if (idle % WATCH_EVERY != 0) continue;
    if (has_others(comm))
      mpj_engine_watch(comm->context);
    else
      mpj_watch(comm, slot);
  }
}

int mpj_engine_complete(struct mpj_comm *comm, struct mpj_slot *slot)
{
  mpj_engine_advance(comm, slot);
  do { /* what comes while it settles may be for this operation: a stranger, say */
    if (!mpj_engine_is_finished(comm, slot)) wait_for(comm, slot);
    if (comm->net) mpj_gate_settle(comm->context);
  } while (!mpj_engine_is_finished(comm, slot));
  return mpj_comm_reported(comm, mpj_engine_finish(comm, slot));
}
