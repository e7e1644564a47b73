/* This file moves an operation's long data: what is advertised stays where it is until the
 * peer, or this rank, has pulled it. */
#include <string.h>

#include "base/least.h"
#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/run/comm_records.h"
#include "coll/steps/ends.h"
#include "coll/steps/steps.h"

static struct mpj_transfer *new_transfer(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  struct mpj_transfer *t = mpj_comm_new_transfer(comm);
  if (!t) return NULL;
  t->comm = comm;
  t->slot = slot;
  t->step = i;
  t->next = slot->transfers;
  slot->transfers = t;
  return t;
}

static void end_transfer(struct mpj_transfer *t)
{
  struct mpj_transfer **link = &t->slot->transfers;
  while (*link != t)
    link = &(*link)->next;
  *link = t->next;
  if (t->has_cursor) mpj_cursor_end(&t->cursor);
  if (t->copying) {
    mpj_cursor_end(&t->from);
    t->comm->net->copies--;
  }
  mpj_comm_drop_transfer(t->comm, t);
}

static void on_sent(void *arg, int status)
{
  struct mpj_transfer *t = arg;
  struct mpj_slot *slot = t->slot;
  const unsigned i = t->step;
  end_transfer(t);
  mpj_step_ended(slot, i, status);
}

static int no_memory_for_transfer(const struct mpj_slot *slot)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for a transfer of %s",
                   mpj_schedule_name(slot->schedule));
}

int mpj_transfer_advertise(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i,
                           const struct mpj_plan_step *step, bool put)
{
  struct mpj_arrival_message m;
  const int peer = mpj_comm_peer(comm, step->peer);
  const struct mpj_view view = mpj_end_view(comm, slot, &step->from, step->bytes);
  struct mpj_transfer *t = new_transfer(comm, slot, i);
  const unsigned pulls = put && comm->net->puts ? MPJ_PULLS_PUT : 1;
  if (!t) return no_memory_for_transfer(slot);
  t->sending = true;
  mpj_step_message(slot, step, mpj_comm_id_at(comm, peer), &m);
  m.kind = MPJ_ARRIVAL_ADVERT; /* perhaps for want of room */
  int status = mpj_net_expose(comm->net, &view, mpj_end_base(slot, &step->from), pulls, on_sent, t,
                              &t->remote);
  if (status == MPJ_SUCCESS) {
    memcpy(m.data, &t->remote, sizeof t->remote);
    status = mpj_net_short(comm->net, mpj_comm_world(comm, peer), MPJ_AM_COLLECTIVE, &m,
                           MPJ_ARRIVAL_HEADER + sizeof t->remote);
    if (status == MPJ_SUCCESS) return MPJ_AM_PENDING;
    mpj_net_withdraw(comm->net, &t->remote, false);
  }
  end_transfer(t);
  return status;
}

/* Whether what the recv step brings is combined with something right afterwards. */
static bool is_read_next(const struct mpj_schedule *s, const struct mpj_step *step)
{
  if (mpj_step_combines(s, step)) return true;
  const unsigned end = mpj_step_next_end(s, (unsigned)(step - s->steps));
  for (unsigned k = step->first_next; k < end; k++) {
    const struct mpj_step *next = &s->steps[s->next[k]];
    if (next->kind == MPJ_STEP_REDUCE ||
        (next->kind == MPJ_STEP_RECV && mpj_step_combines(s, next)))
      return true;
  }
  return false;
}

/* Whether all ranks give and take. */
static bool gives_as_much(unsigned operation)
{
  return operation == MPJ_OPERATION_ALLGATHER || operation == MPJ_OPERATION_ALLTOALL ||
         operation == MPJ_OPERATION_ALLREDUCE || operation == MPJ_OPERATION_REDUCE_SCATTER;
}

/* Whether pieces that are cut between elements can be combined one by one: where a predefined
 * operation meets elements of one basic type. */
static bool takes_pieces(const struct mpj_call *call)
{
  enum { CUT = 4096 };
  return call->reduce > 0 && call->temp && CUT % call->unit == 0;
}

/* Combine a piece of what comes for a step, in order. */
static void take_piece(void *arg, const void *data, MPJ_Count bytes)
{
  struct mpj_transfer *t = arg;
  const struct mpj_plan_step *step = &t->slot->plan->steps[t->step];
  const MPJ_Count at = t->combined;
  t->combined += bytes;
  if (t->slot->status != MPJ_SUCCESS) return;
  const int status = mpj_step_combine(t->comm, t->slot, step, data, at, bytes);
  if (status != MPJ_SUCCESS) mpj_operation_note_error(t->slot, status);
}

int mpj_transfer_queue_pull(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, int source,
                            const struct mpj_arrival_message *m, const struct mpj_end *end)
{
  struct mpj_transfer *t = new_transfer(comm, slot, i);
  if (!t) return no_memory_for_transfer(slot);
  const int status = mpj_end_cursor(comm, slot, end, mpj_message_bytes(m), &t->cursor);
  if (status != MPJ_SUCCESS) {
    end_transfer(t);
    return status;
  }
  t->has_cursor = true;
  mpj_cursor_limit(&t->cursor, mpj_message_bytes(m));
  const struct mpj_step *step = &slot->schedule->steps[i];
  t->how = (struct mpj_pull_how){.read_next = is_read_next(slot->schedule, step),
                                 .giver_busy = slot->schedule->operation == MPJ_OPERATION_SCATTER,
                                 .taker_busy = slot->schedule->operation == MPJ_OPERATION_GATHER,
                                 .both_ways = gives_as_much(slot->schedule->operation),
                                 .turn = (uint32_t)slot->sequence};
  t->combined = 0;
  if (mpj_step_combines(slot->schedule, step) && takes_pieces(slot->call)) {
    t->how.take = take_piece;
    t->how.arg = t;
    t->how.unit = slot->call->unit;
  }
  t->source = source;
  memcpy(&t->remote, m->data, sizeof t->remote);
  comm->net->asks = true; /* so that what this rank gives does not hold up what it gets */
  return MPJ_AM_PENDING;
}

int mpj_transfer_copy(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i,
                      const struct mpj_cursor *to, const struct mpj_cursor *from)
{
  struct mpj_transfer *t = new_transfer(comm, slot, i);
  if (!t) return no_memory_for_transfer(slot);
  t->copying = t->has_cursor = true;
  t->cursor = *to;
  t->from = *from;
  comm->net->copies++;
  return MPJ_AM_PENDING;
}

/* The next bytes of a copy: as many as two pieces of what goes between processes. */
static void copy_some(struct mpj_transfer *t)
{
  enum { BYTES = 1 << 15 };
  struct mpj_slot *slot = t->slot;
  const unsigned i = t->step;
  mpj_cursor_copy(&t->cursor, &t->from, mpj_least(BYTES, mpj_cursor_remaining(&t->cursor)));
  if (mpj_cursor_remaining(&t->cursor) > 0) return;
  end_transfer(t);
  mpj_step_ended(slot, i, MPJ_SUCCESS);
}

/* The source died, or withdrew because the operation has failed: as if the
 * advertisement had never come. Who it was and why is told in other ways. */
static void forget_arrival(struct mpj_slot *slot, unsigned i)
{
  mpj_bits_unset(&slot->seen, slot->schedule->steps[i].bit);
  slot->waits[i] = 1;
  slot->look_again = true;
}

static void on_pulled(void *arg, int status)
{
  struct mpj_transfer *t = arg;
  struct mpj_comm *comm = t->comm;
  struct mpj_slot *slot = t->slot;
  const unsigned i = t->step;
  const bool combined = t->how.take != NULL;
  end_transfer(t);
  if (status == MPJ_ERR_PEER || status == MPJ_ERR_INTERNAL) {
    forget_arrival(slot, i);
    return;
  }
  const struct mpj_step *step = &slot->schedule->steps[i];
  if (status == MPJ_SUCCESS && slot->status == MPJ_SUCCESS && !combined &&
      mpj_step_combines(slot->schedule, step))
    status = mpj_step_run_reduce(comm, slot, &slot->plan->steps[i]);
  mpj_step_ended(slot, i, status);
}

static bool is_listed(const struct mpj_transfer *t)
{
  return mpj_cursor_is_listed(&t->cursor) || mpj_cursor_is_listed(&t->from);
}

/* A dense copy goes on while nothing else can: a peer may wait for that. */
bool mpj_transfers_advance(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = false;
  struct mpj_transfer *next, *copy = NULL;
  comm->net->asks = false;
  for (struct mpj_transfer *t = slot->transfers; t; t = next) {
    next = t->next;
    if (t->sending || t->begun) continue;
    if (t->copying) {
      copy = t;
      continue;
    }
    const int status = mpj_net_pull(comm->net, mpj_comm_world(comm, t->source), &t->remote,
                                    &t->cursor, &t->how, on_pulled, t);
    if (status == MPJ_AM_AGAIN) continue;
    moved = true;
    t->begun = true;
    if (status != MPJ_AM_PENDING) on_pulled(t, status);
  }
  if (!copy || (comm->net->flows && !is_listed(copy))) return moved;
  copy_some(copy);
  return true;
}

void mpj_transfers_abandon(struct mpj_comm *comm, struct mpj_slot *slot)
{
  struct mpj_transfer *next;
  for (struct mpj_transfer *t = slot->transfers; t; t = next) {
    next = t->next;
    if (t->begun) continue; /* ends by its callback */
    if (!t->sending && !t->copying)
      mpj_net_decline(comm->net, mpj_comm_world(comm, t->source), &t->remote);
    else if (t->sending && mpj_net_withdraw(comm->net, &t->remote, true) == MPJ_AM_PENDING)
      continue; /* likewise */
    end_transfer(t);
  }
}
