/* This file finds circles of ranks that wait for each other. */
#include "coll/failure/circle.h"

#include <string.h>

#include "base/memory.h"
#include "base/wtime.h"
#include "coll/failure/difference.h"
#include "coll/failure/failure.h"

/* Between the first time that a question came back and the one that is believed: less for who waits
 * for a start, whose sentence says more. */
static const double start_patience_s = 2, patience_s = 5;
/* Then it is asked twice a second, as one may be lost, so many times: what has not come back by
 * then was a circle for a moment, and is forgotten. */
static const double again_s = 0.5;
enum { AGAIN_MOST = 16 };
/* Whoever looks after an operation that waits may ask, and there may be many: the rank asks once in
 * such a time. A question that overtakes an earlier one ends it. */
static const double between_s = 0.4;

static bool is_blocked(const struct mpj_context *context)
{
  return context->circle.comm && context->thread_level != MPJ_THREAD_MULTIPLE;
}

/* What the rank is blocked in; NULL: it has just ended. */
static struct mpj_slot *blocked_slot(const struct mpj_circle *c)
{
  struct mpj_slot *slot = mpj_comm_slot(c->comm, c->sequence);
  return slot->active && !slot->abandoned && slot->sequence == c->sequence ? slot : NULL;
}

/* A full ring is no harm: there is a next time. */
static void ask_those_needed(struct mpj_comm *comm, const struct mpj_slot *slot,
                             struct mpj_arrival_message *m)
{
  m->sequence = (uint32_t)slot->sequence;
  for (int rank = 0; rank < comm->size; rank++) {
    if (rank == comm->rank || !mpj_operation_needs(comm, slot, rank)) continue;
    m->comm = mpj_comm_id_at(comm, rank);
    (void)mpj_net_short(comm->net, mpj_comm_world(comm, rank), MPJ_AM_COLLECTIVE, m,
                        MPJ_ARRIVAL_HEADER + MPJ_DIFFERENCE_DATA);
  }
}

/* A question goes through all ranks, and from each to those whom it needs: of many ranks that wait
 * only a few ask at a time, in turn, so that they have time for what they wait for. Every circle
 * leads from one communicator to another, and back: where it does is a rank that another one awaits
 * there, whose turn comes soon. */
static bool is_its_turn(const struct mpj_context *context)
{
  const struct mpj_circle *c = &context->circle;
  const uint64_t size = (uint64_t)context->size,
                 turns = 1 + (c->crossed ? size / 64 : size * size / 256);
  return c->since != 0 || (c->stamp + (uint64_t)context->rank) % turns == 0;
}

static void note_asked(struct mpj_circle *c, double now)
{
  c->asked_at = now;
  if (c->since == 0 || now < c->ask_at) return;
  c->ask_at = now + again_s;
  if (c->again++ == AGAIN_MOST) c->since = 0;
}

void mpj_circle_ask(struct mpj_context *context)
{
  struct mpj_circle *c = &context->circle;
  const double now = MPJ_Wtime();
  if (!is_blocked(context) || now - c->asked_at < between_s) return;
  struct mpj_slot *slot = blocked_slot(c);
  if (!slot) return;
  note_asked(c, now);
  ++c->stamp;
  if (!is_its_turn(context)) return;
  const struct mpj_difference d = {.sequence = (uint32_t)c->sequence,
                                   .rank = {c->comm->rank, c->comm->rank},
                                   .called = {mpj_slot_called(c->comm, slot)},
                                   .made_by = mpj_comm_made_by(c->comm)};
  struct mpj_arrival_message m = {.kind = MPJ_ARRIVAL_CIRCLE, .root = (int32_t)c->stamp};
  mpj_message_say(&m, context->rank, 0);
  mpj_difference_say(&d, &m);
  ask_those_needed(c->comm, slot, &m);
}

/* Whether the question is new at this place, an operation or what the rank is blocked in, where the
 * last one of each rank is noted; from now on neither it nor an earlier one is. */
static bool is_new(const struct mpj_context *context, const struct mpj_arrival_message *m,
                   uint32_t **noted)
{
  const uint32_t stamp = (uint32_t)m->root;
  const int64_t rank = mpj_message_bytes(m);
  if (rank >= context->size) return false;
  if (!*noted) *noted = mpj_alloc_array((size_t)context->size, sizeof **noted);
  if (!*noted || (int32_t)(stamp - (*noted)[rank]) <= 0) return false;
  (*noted)[rank] = stamp;
  return true;
}

/* This rank's question has come back: whether it is not the first time, and why it fails. */
static bool has_come_back(struct mpj_context *context, const struct mpj_arrival_message *m,
                          struct mpj_cause *cause)
{
  struct mpj_circle *c = &context->circle;
  const uint32_t stamp = (uint32_t)m->root;
  const double patience = c->comm->user ? start_patience_s : patience_s;
  if ((int32_t)(stamp - c->first) < 0) return false;
  if (c->since == 0) {
    c->since = MPJ_Wtime();
    c->ask_at = c->since + patience;
    c->again = 0;
    c->first = stamp + 1;
    return false;
  }
  *cause = mpj_cause_told(c->comm, m);
  cause->code = MPJ_ERR_COMM;
  cause->culprit = cause->difference.rank[1];
  return MPJ_Wtime() - c->since >= patience && mpj_cause_has_difference(cause) &&
         cause->difference.sequence == (uint32_t)c->sequence;
}

/* The first rank that has not begun the operation says what it is blocked in, unless that is an
 * earlier one of the communicator: it will come to the operation then. */
static void say_where(const struct mpj_comm *comm, const struct mpj_circle *c,
                      const struct mpj_slot *slot, struct mpj_arrival_message *m)
{
  struct mpj_difference d = mpj_difference_said(m);
  if (d.called[1].operation != MPJ_OPERATION_NONE || c->comm == comm) return;
  d.rank[1] = comm->rank;
  d.called[1] = mpj_slot_called(c->comm, slot);
  if (c->comm != comm->user) d.called[1].segments = MPJ_SEGMENTS_ELSEWHERE;
  mpj_difference_say(&d, m);
}

struct mpj_slot *mpj_circle_asked(struct mpj_comm *comm, uint64_t sequence,
                                  const struct mpj_arrival_message *message,
                                  struct mpj_cause *cause)
{
  struct mpj_context *context = comm->context;
  struct mpj_circle *c = &context->circle;
  struct mpj_arrival_message m = *message;
  struct mpj_slot *slot = mpj_comm_slot(comm, sequence);
  const bool own = mpj_message_bytes(&m) == context->rank;
  if (slot->active && slot->sequence == sequence) {
    if (!own && !slot->abandoned && !slot->schedule->meets && is_new(context, &m, &slot->asked))
      ask_those_needed(comm, slot, &m);
    return NULL;
  }
  slot = is_blocked(context) ? blocked_slot(c) : NULL;
  if (slot && own) return has_come_back(context, &m, cause) ? slot : NULL;
  if (!slot || !is_new(context, &m, &c->passed)) return NULL;
  say_where(comm, c, slot, &m);
  ask_those_needed(c->comm, slot, &m);
  return NULL;
}
