/* This file runs operations: it starts them, walks through their steps or lists them, and finishes
 * them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/wtime.h"
#include "coll/closing/closing.h"
#include "coll/comm/context.h"
#include "coll/control/messages.h"
#include "coll/failure/difference.h"
#include "coll/failure/failure.h"
#include "coll/failure/one_sided.h"
#include "coll/plan/plans.h"
#include "coll/run/early.h"
#include "coll/run/engine.h"
#include "coll/run/tally.h"
#include "coll/steps/posts.h"
#include "coll/steps/step_dispatch.h"
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

static bool can_meet(struct mpj_comm *comm)
{
  if (!comm->met) comm->met = mpj_alloc_array(mpj_comm_slots(comm), sizeof *comm->met);
  return comm->met;
}

/* The slot of the next operation, which is active from now on; nothing of it has been done. NULL:
 * there is no memory. */
static struct mpj_slot *begin(struct mpj_comm *comm, struct mpj_schedule *schedule,
                              struct mpj_plan *plan, const struct mpj_call *call)
{
  const bool failed = schedule->operation == MPJ_OPERATION_NONE;
  struct mpj_slot *slot = mpj_comm_open_slot(comm, comm->started, failed);
  assert(comm->started < comm->completed + mpj_comm_slots(comm) && !(slot && slot->active));
  if (!slot || (schedule->meets && !can_meet(comm)) || !mpj_slot_take_memory(slot, schedule))
    return NULL;
  slot->active = true;
  slot->posted = false;
  if (comm->closing && comm->started >= comm->closing->least) slot->look_again = true;
  slot->sequence = comm->started++;
  mpj_called_note(comm, slot->sequence, schedule->called);
  slot->schedule = schedule;
  slot->plan = plan;
  if (plan) plan->users++;
  slot->call = call;
  for (unsigned t = 0; t < schedule->ntemporaries; t++)
    slot->temporaries[t] = NULL;
  return slot;
}

/* List the steps, and give them what has come. */
static MPJ_ASIDE void list(struct mpj_comm *comm, struct mpj_slot *slot, bool pending)
{
  mpj_slot_list(comm, slot, pending);
  if (slot->noted) mpj_tally_listed(slot);
  if (slot->early && slot->schedule->operation != MPJ_OPERATION_NONE)
    mpj_early_route(comm, slot); /* a failed call's are dropped at its end */
}

int mpj_engine_start(struct mpj_comm *comm, struct mpj_schedule *schedule,
                     const struct mpj_call *call, struct mpj_slot **started)
{
  struct mpj_plan *plan = call->plan;
  int status = MPJ_SUCCESS;
  if (!plan && schedule->nsteps > 0) status = mpj_plan_for(comm, schedule, call, &plan);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_slot *slot = begin(comm, schedule, plan, call);
  if (!slot)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for an operation of %u steps", schedule->nsteps);
  if (comm->context->tally) mpj_tally_open(comm, slot);
  if (slot->poison.code != 0)
    start_poisoned(comm, slot);
  else if (schedule->judges || (slot->early && !mpj_early_fit(comm, slot)))
    list(comm, slot, false);
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
  const struct mpj_cause cause = {.code = status, .culprit = mpj_failed_by(comm, status)};
  if (!slot->abandoned) mpj_operation_abandon(comm, slot, &cause, false);
  return slot;
}

/* Walking */

/* TURNS_MOST: how often a step that waits is looked at before the operation is listed; AT_ONCE
 * times before anything else, as ranks in step with each other are a few ns apart. PATIENCE: idle
 * turns for which a step is waited for, some 10 us where ranks spin; where they share cores with
 * others, too, each may take ms, so LONGEST_WAIT_NS are enough; among strangers none, as a rank
 * that sleeps is to look at everything when it wakes. Each LOOK_ROUND'th one looks at all peers,
 * the others where the step's news must come from: where ranks share a core each turn begins with
 * cold caches; where they spin a turn is some 10 ns, and news may come while all are looked at. */
enum {
  TURNS_MOST = 4096,
  AT_ONCE = 4,
  PATIENCE = 512,
  LOOK_ROUND_CROWDED = 4,
  LOOK_ROUND = 16,
  WINDOW_LOOK = 16,
  TESTS_MOST = 512,
  OPERATIONS_LOOK = 32,
  LONGEST_WAIT_NS = 50000000
};
static_assert((int)OPERATIONS_LOOK < (int)MPJ_CALLED_KEPT,
              "what comes too late finds what it is late for");

bool mpj_engine_has_others(const struct mpj_comm *comm)
{
  const struct mpj_context *context = comm->context;
  if (comm->started - comm->completed > 1 || comm->queued || context->closing_news) return true;
  for (const struct mpj_comm *c = context->busy; c; c = c->next)
    if (c != comm && (c->completed < c->started || c->queued || c->relaying)) return true;
  return false;
}

/* Whether something has happened that a walk takes no notice of. */
static bool is_disturbed(const struct mpj_comm *comm, const struct mpj_slot *slot)
{
  return slot->abandoned || slot->look_again || slot->disagrees || comm->broken.code != 0 ||
         (comm->net && mpj_net_changes(comm->net) != 0);
}

static bool has_waited_long(int64_t *since)
{
  const int64_t now = mpj_clock_ns();
  if (*since == 0) *since = now;
  return now - *since >= LONGEST_WAIT_NS;
}

/* One of the turns of a step that has nothing to do but wait; false: no more of them. */
static MPJ_HOT bool wait_a_turn(struct mpj_comm *comm, const struct mpj_slot *slot, unsigned turn,
                                unsigned *idle, int64_t *since)
{
  const unsigned round = comm->facts.oversubscribed ? LOOK_ROUND_CROWDED : LOOK_ROUND;
  if (turn % round == round - 1) {
    if (is_disturbed(comm, slot)) return false;
    if (mpj_net_poll(comm->net)) return !slot->abandoned;
    if (comm->facts.oversubscribed && has_waited_long(since)) return false;
  }
  if (*idle >= PATIENCE || comm->net->asleep > 0) return false;
  mpj_net_idle(comm->net, idle);
  return true;
}

/* Whether a rank that is a whole window ahead of a peer has to stay away still: until half of it is
 * open, as each look at how far the peer has come takes the line from it that it writes with every
 * call. Where ranks share cores the peer has come far when this one has its turn again. */
static bool stays_away(struct mpj_comm *comm, const struct mpj_slot *slot, unsigned turn)
{
  const struct mpj_plan_step *step = &slot->plan->steps[slot->done];
  if (step->kind != MPJ_STEP_SEND && step->kind != MPJ_STEP_SIGNAL) return false;
  if (comm->facts.oversubscribed) return false;
  return turn % WINDOW_LOOK != WINDOW_LOOK - 1 ||
         !mpj_window_look(comm, slot->sequence, mpj_step_window(comm, step) / 2,
                          mpj_comm_peer(comm, step->peer));
}

/* Look for what the next step waits for, unless others of the rank, or other threads, are to have
 * their turns. */
static MPJ_ASIDE int wait_for_step(struct mpj_comm *comm, struct mpj_slot *slot)
{
  unsigned idle = 0;
  int64_t since = 0;
  for (unsigned turn = 0; turn < TURNS_MOST && !slot->abandoned; turn++) {
    if (turn == AT_ONCE &&
        (comm->context->lock.closed || is_disturbed(comm, slot) || mpj_engine_has_others(comm)))
      break;
    if (turn >= AT_ONCE && !wait_a_turn(comm, slot, turn, &idle, &since)) break;
    if (stays_away(comm, slot, turn)) continue;
    const int status = mpj_step_run(comm, slot, slot->done);
    if (status != MPJ_AM_AGAIN) return status;
  }
  return MPJ_AM_AGAIN;
}

/* Run steps until one cannot end now, and returns what it says. */
static MPJ_HOT int walk(struct mpj_comm *comm, struct mpj_slot *slot, bool wait)
{
  const unsigned n = slot->schedule->nsteps;
  for (unsigned i = slot->done; i < n && !slot->abandoned && slot->status == MPJ_SUCCESS;) {
    int status = mpj_step_run(comm, slot, i);
    if (status == MPJ_AM_AGAIN && wait) status = wait_for_step(comm, slot);
    if (status != MPJ_SUCCESS) return status;
    if (slot->noted) mpj_tally_step(slot, i);
    slot->done = ++i;
  }
  return MPJ_SUCCESS;
}

/* The next step's outcome ends the walk. */
static MPJ_ASIDE void end_walk(struct mpj_comm *comm, struct mpj_slot *slot, int status)
{
  if (status > MPJ_SUCCESS) {
    mpj_operation_note_error(slot, status);
    slot->done++;
  }
  if (!slot->abandoned) list(comm, slot, status == MPJ_AM_PENDING);
}

/* Signals that have come and are not counted among what the operation has seen. */
static uint64_t fresh_signals(const struct mpj_comm *comm, struct mpj_slot *slot, unsigned w)
{
  const struct mpj_control_slot *c = &comm->window->slot[mpj_slot_number(comm, slot->sequence)];
  return mpj_atomic_bits_load(&c->arrived, w) & ~mpj_bits_words(&slot->seen)[w];
}

static bool has_strange_signals(const struct mpj_comm *comm, struct mpj_slot *slot)
{
  uint64_t fresh = 0;
  for (unsigned w = 0; w < slot->schedule->await_words; w++)
    fresh |= fresh_signals(comm, slot, w);
  return fresh != 0;
}

/* Now and then a walk that has nothing to wait for looks at all peers, too: what belongs to none of
 * its steps is noticed while it is known what was called. A rank of a Bcast of 8 bytes that is
 * behind its root took half of the messages in ahead of their time by that, and 1.3 to 1.6 times as
 * long (Zen 3, p = 2), before these looks were glances. */
bool mpj_engine_walk(struct mpj_comm *comm, struct mpj_slot *slot, bool wait)
{
  slot->walking = true;
  if (slot->sequence % OPERATIONS_LOOK == OPERATIONS_LOOK - 1 && comm->net)
    mpj_net_glance(comm->net);
  const int status = walk(comm, slot, wait);
  if (status == MPJ_SUCCESS && (comm->looks | mpj_called_sparse(slot->schedule->called)))
    mpj_one_sided_look(comm, slot);
  slot->walking = false;
  if (status == MPJ_SUCCESS && mpj_engine_is_finished(slot) &&
      (slot->schedule->await_words == 0 || !has_strange_signals(comm, slot)))
    return true;
  if (wait || status != MPJ_AM_AGAIN) end_walk(comm, slot, status);
  return false;
}

/* Advancing */

/* A bit that a peer has set in the control window. One that the schedule does not await says that
 * the peer is in another operation; which one it tells when asked. */
static void signal_arrived(struct mpj_slot *slot, unsigned bit)
{
  const unsigned i = mpj_schedule_step_of(slot->schedule, bit);
  mpj_bits_set(&slot->seen, bit);
  if (i == MPJ_NO_STEP || slot->schedule->steps[i].kind != MPJ_STEP_AWAIT) {
    slot->disagrees = true;
    return;
  }
  if (--slot->waits[i] == 0) slot->ready[slot->nready++] = i;
}

static bool collect_signals(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = false;
  for (unsigned w = 0; w < slot->schedule->await_words; w++) {
    uint64_t fresh = fresh_signals(comm, slot, w);
    for (; fresh; fresh &= fresh - 1) {
      signal_arrived(slot, 64 * w + (unsigned)__builtin_ctzll(fresh));
      moved = true;
    }
  }
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
    const unsigned i = slot->ready[k];
    if (slot->noted) mpj_tally_try(slot, i);
    const int status = mpj_step_run(comm, slot, i);
    if (status == MPJ_AM_AGAIN) {
      slot->blocked[slot->nblocked++] = i;
      continue;
    }
    moved = true;
    mpj_step_ended(slot, i, status);
  }
  slot->nready = 0;
  return moved;
}

static bool advance_listed(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = false;
  if (slot->data_came) moved = mpj_early_came(comm, slot);
  if (slot->schedule->await_words > 0) moved |= collect_signals(comm, slot);
  if (slot->nblocked > 0) retry_blocked(slot);
  if (slot->give_up_ns != 0) mpj_verdicts_give_up(slot);
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

bool mpj_engine_advance(struct mpj_comm *comm, struct mpj_slot *slot)
{
  if (slot->walking) return false; /* and this is a handler's call */
  if (slot->abandoned) return mpj_poison_advance(comm, slot);
  if (slot->listed) return advance_listed(comm, slot);
  const unsigned done = slot->done;
  if (mpj_engine_walk(comm, slot, false)) return slot->done != done;
  const bool moved = slot->done != done;
  if (!moved && !slot->listed && !slot->abandoned &&
      (++slot->tests > TESTS_MOST || is_disturbed(comm, slot) || mpj_engine_has_others(comm)))
    list(comm, slot, false);
  /* What is listed may begin pulls now. */
  return (slot->listed && advance_listed(comm, slot)) || moved;
}

bool mpj_engine_is_finished(const struct mpj_slot *slot)
{
  if (!slot->abandoned) return mpj_slot_left(slot) == 0 && !slot->disagrees;
  return !slot->transfers && slot->untold == 0;
}

bool mpj_engine_is_over(struct mpj_comm *comm, struct mpj_slot *slot)
{
  if (!mpj_engine_is_finished(slot)) return false;
  if (!(comm->looks | mpj_called_sparse(slot->schedule->called))) return true;
  mpj_one_sided_look(comm, slot);
  return mpj_engine_is_finished(slot);
}

/* Finishing */

static void clear_window(struct mpj_comm *comm, const struct mpj_slot *slot)
{
  struct mpj_control_slot *c = &comm->window->slot[mpj_slot_number(comm, slot->sequence)];
  mpj_atomic_bits_clear(&c->arrived);
}

/* Raise `completed` over every operation that has ended, and publish it. */
static void publish_progress(struct mpj_comm *comm, uint64_t ended)
{
  if (comm->completed == ended) comm->completed++;
  while (comm->completed < comm->started && !mpj_comm_slot(comm, comm->completed)->active)
    comm->completed++;
  if (comm->net) mpj_control_has_done(comm->windows, comm->window, comm->control, comm->completed);
}

static void free_temporaries(struct mpj_slot *slot)
{
  for (unsigned t = 0; t < slot->schedule->ntemporaries; t++)
    if (slot->temporaries[t]) mpj_scratch_give(slot->scratch, slot->temporaries[t]);
}

/* What an operation leaves that did not end as a walk, or was long. */
static MPJ_ASIDE void clear_more(struct mpj_comm *comm, struct mpj_slot *slot)
{
  if (slot->abandoned) {
    mpj_early_drop_all(comm, slot);
    if (comm->abandoned_end <= slot->sequence) comm->abandoned_end = slot->sequence + 1;
  }
  if (slot->listed || slot->abandoned) slot->poison.code = 0;
  mpj_slot_release(slot);
}

static void clear(struct mpj_slot *slot)
{
  slot->active = slot->listed = slot->tells = slot->counted = false;
  slot->disagrees = slot->abandoned = slot->relayed = slot->look_again = slot->data_came = false;
  slot->done = slot->tests = slot->changes_seen = 0;
  slot->status = MPJ_SUCCESS;
  mpj_bits_clear(&slot->seen);
  slot->ended = NULL;
  if (slot->plan) slot->plan->users--;
}

int mpj_engine_finish(struct mpj_comm *comm, struct mpj_slot *slot)
{
  if (comm->looks) mpj_one_sided_tell(comm, slot);
  const int status = slot->status;
  const uint64_t sequence = slot->sequence;
  assert(mpj_engine_is_finished(slot));
  if (slot->noted) mpj_tally_close(slot);
  if (slot->schedule->await_words > 0) clear_window(comm, slot);
  free_temporaries(slot);
  if (slot->listed || slot->abandoned || slot->asked || slot->seen.more ||
      slot->temporaries != (void **)(void *)slot->small)
    clear_more(comm, slot);
  clear(slot);
  publish_progress(comm, sequence);
  if (status != MPJ_SUCCESS) {
    mpj_error(status, "%s", mpj_error_stored(slot->why));
    mpj_error_forget(&slot->why);
  }
  mpj_comm_close_slot(comm, sequence);
  return status;
}
