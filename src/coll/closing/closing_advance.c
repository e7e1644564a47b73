/* This file compares what the members of a communicator have called, when they end it. */
#include "coll/closing/closing_advance.h"

#include "base/memory.h"
#include "coll/comm/context.h"
#include "coll/failure/difference.h"
#include "coll/failure/difference_report.h"

struct mpj_closing *mpj_closing_make(void)
{
  struct mpj_closing *c = mpj_alloc_array(1, sizeof *c);
  if (c) c->least = UINT64_MAX;
  return c;
}

void mpj_closing_free(struct mpj_closing *c)
{
  if (c) mpj_free(c->of);
  mpj_free(c);
}

/* Something has come of a pair, or is to be sent. False: there is no memory. A record that cannot
 * be noted is as good as lost: its sender settles with this one, and is then seen to be gone. */
static bool have_pairs(const struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  if (!c->of) c->of = mpj_alloc_array((size_t)comm->size, sizeof *c->of);
  return c->of != NULL;
}

static void settle(struct mpj_closing *c, struct mpj_ending *e)
{
  if (e->settled) return;
  e->settled = true;
  c->open--;
}

/* The first difference that is found, if possible one that has a number. */
static void note(struct mpj_comm *comm, const struct mpj_cause *cause)
{
  struct mpj_closing *c = comm->closing;
  if (c->told || mpj_cause_has_difference(&c->cause)) return;
  if (c->cause.code != 0 && !mpj_cause_has_difference(cause)) return;
  c->cause = *cause;
  c->cause.code = MPJ_ERR_COMM; /* who called MPJ_Finalize is no lost peer to itself */
}

/* A difference that this rank has been told by no call. That of a persistent request breaks its
 * user, too, where it is told. */
static void note_broken(struct mpj_comm *comm, const struct mpj_cause *cause)
{
  if (!comm->user && !comm->reported && mpj_cause_has_difference(cause)) note(comm, cause);
}

void mpj_closing_look(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  struct mpj_context *context = comm->context;
  if (!c->listed || c->has_news) return;
  c->has_news = true;
  c->next_news = context->closing_news;
  if (!c->next_news) context->last_news = comm;
  context->closing_news = comm;
}

/* The same where there was no room: after all others. */
static void look_later(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  struct mpj_context *context = comm->context;
  if (!context->closing_news) {
    mpj_closing_look(comm);
    return;
  }
  if (!c->listed || c->has_news) return;
  c->has_news = true;
  c->next_news = NULL;
  context->last_news->closing->next_news = comm;
  context->last_news = comm;
}

void mpj_closings_look(struct mpj_context *context)
{
  for (struct mpj_comm *comm = context->closings; comm; comm = comm->closing->next)
    mpj_closing_look(comm);
}

static void list(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  if (c->listed) return;
  c->listed = true;
  c->next = comm->context->closings;
  c->link = &comm->context->closings;
  if (c->next) c->next->closing->link = &c->next;
  comm->context->closings = comm;
}

static void unlist(struct mpj_closing *c)
{
  c->listed = false;
  *c->link = c->next;
  if (c->next) c->next->closing->link = c->link;
}

static void has_news(struct mpj_comm *comm)
{
  list(comm);
  mpj_closing_look(comm);
}

void mpj_closing_begin(struct mpj_comm *comm, enum mpj_operation operation)
{
  struct mpj_closing *c = comm->closing;
  if (!c || mpj_closing_has_begun(comm)) return;
  c->operation = (uint8_t)operation;
  c->says = comm->undone ? MPJ_ENDING_NOTHING : comm->unsure ? MPJ_ENDING_COUNT : MPJ_ENDING_ALL;
  c->open = comm->size - 1;
  has_news(comm);
  mpj_difference_of_stray(comm);
  const struct mpj_slot *next = mpj_comm_slot(comm, comm->started);
  if (next->poison.code != 0 && next->poison_heard && next->poison_broken)
    mpj_closing_broken(comm, &next->poison); /* it was kept for a call that will not come */
}

/* Sending */

static bool send(struct mpj_comm *comm, int rank, struct mpj_arrival_message *m, unsigned bytes)
{
  m->comm = mpj_comm_id_at(comm, rank);
  return mpj_net_short(comm->net, mpj_comm_member(comm, rank), MPJ_AM_COLLECTIVE, m, bytes) ==
         MPJ_SUCCESS;
}

/* A record says how many operations, and as its root the serial before these. */
static const uint64_t OPERATIONS = (UINT64_C(1) << MPJ_SERIAL_SHIFT) - 1;
static_assert((int)MPJ_SERIAL_SHIFT <= (int)MPJ_SAID_BITS, "a record says how many operations");

static bool tell(struct mpj_comm *comm, int rank)
{
  const struct mpj_closing *c = comm->closing;
  struct mpj_arrival_message m = {.sequence = (uint32_t)comm->started,
                                  .kind = MPJ_ARRIVAL_ENDED,
                                  .operation = c->operation & 0x1fu,
                                  .bit = c->says,
                                  .root = (int32_t)(comm->started >> MPJ_SERIAL_SHIFT),
                                  .bytes = comm->started & OPERATIONS,
                                  .digest = comm->history};
  const bool broken = c->says == MPJ_ENDING_BROKEN;
  return send(comm, rank, &m, broken ? mpj_cause_tell(&comm->broken, &m) : MPJ_ARRIVAL_HEADER);
}

/* Show one operation, or the end. */
static bool show(struct mpj_comm *comm, int rank, uint64_t sequence)
{
  struct mpj_called called = {.operation = comm->closing->operation, .root = -1};
  if (sequence < comm->started) mpj_called_before(comm, (uint32_t)sequence, &called);
  struct mpj_arrival_message m = mpj_called_shown(sequence, called);
  return send(comm, rank, &m, MPJ_ARRIVAL_HEADER);
}

static bool show_more(struct mpj_comm *comm, int rank)
{
  struct mpj_ending *e = &comm->closing->of[rank];
  bool moved = false;
  while (e->next <= comm->started && show(comm, rank, e->next)) {
    e->next++;
    moved = true;
  }
  return moved;
}

/* Comparing */

static bool agree(const struct mpj_comm *comm, const struct mpj_ending *e)
{
  const unsigned says = comm->closing->says > e->says ? comm->closing->says : e->says;
  if (says >= MPJ_ENDING_NOTHING) return true;
  return comm->started == e->count && (says == MPJ_ENDING_COUNT || comm->history == e->history);
}

static uint64_t first_kept(const struct mpj_comm *comm)
{
  const uint64_t first = comm->serial << MPJ_SERIAL_SHIFT;
  return comm->started - first <= comm->called_room ? first : comm->started - comm->called_room;
}

/* Both records are known. */
static void compare(struct mpj_comm *comm, int rank)
{
  struct mpj_ending *e = &comm->closing->of[rank];
  if (agree(comm, e)) {
    settle(comm->closing, e);
  } else if (comm->places) {
    note(comm, &(struct mpj_cause){.code = MPJ_ERR_COMM, .culprit = rank});
    settle(comm->closing, e);
  } else if (!e->showing) {
    e->showing = true;
    e->next = first_kept(comm);
  }
}

/* Whether the member has been sent this rank's records of all communicators but WORLD: that of
 * WORLD says that no other one will come. */
static bool has_been_told_all(const struct mpj_context *context, int world)
{
  for (const struct mpj_comm *comm = context->closings; comm; comm = comm->closing->next) {
    const int rank = comm->id == MPJ_WORLD_ID ? -1 : mpj_comm_rank_of(comm, world);
    const struct mpj_ending *e =
        rank < 0 || rank == comm->rank ? NULL : mpj_closing_pair(comm->closing, rank);
    if (e && !e->told && !e->settled) return false;
  }
  return true;
}

/* Whether the member has ended WORLD, so that it sends no other record any more. */
static bool has_ended_all(const struct mpj_comm *comm, int rank)
{
  const struct mpj_closing *world = comm->context->world->closing;
  return world && mpj_closing_pair(world, mpj_comm_world(comm, rank))->heard;
}

static bool advance_pair(struct mpj_comm *comm, int rank)
{
  struct mpj_ending *e = &comm->closing->of[rank];
  bool moved = false;
  if (comm->id == MPJ_WORLD_ID && !has_been_told_all(comm->context, rank)) return false;
  if (!e->told) moved = e->told = tell(comm, rank);
  if (!e->told) return false;
  if (comm->closing->says >= MPJ_ENDING_NOTHING) settle(comm->closing, e);
  if (!e->heard && has_ended_all(comm, rank)) settle(comm->closing, e); /* it never joined it */
  if (e->heard && !e->settled) compare(comm, rank);
  if (e->showing) moved |= show_more(comm, rank);
  if (e->showing && e->next > comm->started && e->seen_end) settle(comm->closing, e);
  if (!e->settled && e->showing && e->next <= comm->started) look_later(comm);
  return moved || e->settled;
}

bool mpj_closing_advance(struct mpj_comm *comm)
{
  bool moved = false;
  if (comm->closing->open == 0) return false;
  if (comm->broken.code != 0) {
    note_broken(comm, &comm->broken);
    comm->closing->says = MPJ_ENDING_BROKEN;
  }
  const enum mpj_count count = mpj_closing_count(comm);
  const bool can = count == MPJ_COUNT_FAILS && have_pairs(comm);
  if (count == MPJ_COUNT_AGREES || (count == MPJ_COUNT_FAILS && !can && comm->context->alone)) {
    comm->closing->open = 0; /* without memory the others will see it gone */
    return true;
  }
  if (!can) {
    look_later(comm);
    return false;
  }
  for (int rank = 0; rank < comm->size; rank++) {
    struct mpj_ending *e = &comm->closing->of[rank];
    if (rank == comm->rank || e->settled) continue;
    moved |= advance_pair(comm, rank);
    if (!e->told) look_later(comm);
  }
  return moved;
}

/* What is found is for MPJ_Finalize to return. Where a ring is full there may be thousands that
 * find no room in it: a few are tried at a time, in turn. */
bool mpj_closings_advance(struct mpj_context *context)
{
  enum { IN_VAIN = 16 };
  bool moved = false;
  for (int in_vain = 0; context->closing_news && in_vain < IN_VAIN;) {
    struct mpj_comm *comm = context->closing_news;
    struct mpj_closing *c = comm->closing;
    context->closing_news = c->next_news;
    c->has_news = false;
    moved |= mpj_closing_advance(comm);
    mpj_difference_report(comm);
    if (c->has_news)
      in_vain++;
    else if (c->open == 0)
      unlist(c);
  }
  return moved;
}

/* What comes */

/* Operations of this rank that may need the member have to look. */
static void look_again(struct mpj_comm *comm, uint64_t count)
{
  for (uint64_t n = comm->completed > count ? comm->completed : count; n < comm->started; n++)
    if (mpj_comm_slot(comm, n)->active) mpj_comm_slot(comm, n)->look_again = true;
}

void mpj_closing_heard(struct mpj_comm *comm, int source, const struct mpj_arrival_message *m)
{
  struct mpj_closing *c = comm->closing;
  if (!mpj_operation_is_end(m->operation) || !have_pairs(comm)) return;
  struct mpj_ending *e = &c->of[source];
  if (e->heard) return;
  e->heard = true;
  e->operation = m->operation;
  e->says = m->bit <= MPJ_ENDING_BROKEN ? (uint8_t)m->bit : MPJ_ENDING_NOTHING;
  e->count = (uint64_t)(uint32_t)m->root << MPJ_SERIAL_SHIFT | (m->bytes & OPERATIONS);
  e->history = m->digest;
  if (e->count < c->least) c->least = e->count;
  c->by_messages = true;
  if (comm->id == MPJ_WORLD_ID) {
    mpj_net_note_leaving(comm->net, source);
    mpj_closings_look(comm->context); /* of pairs with it that wait for more */
  }
  if (mpj_closing_has_begun(comm))
    has_news(comm);
  else
    look_again(comm, e->count);
}

/* What this rank called as operation `sequence`, modulo 2^32; false: it is not known. */
static bool called_here(const struct mpj_comm *comm, uint32_t sequence, struct mpj_called *called)
{
  if ((int32_t)(sequence - (uint32_t)comm->started) < 0)
    return mpj_called_before(comm, sequence, called);
  *called = (struct mpj_called){.operation = comm->closing->operation, .root = -1};
  return true;
}

static bool differ(struct mpj_called a, struct mpj_called b)
{
  const bool ends = mpj_operation_is_end(a.operation) && mpj_operation_is_end(b.operation);
  return !ends && !mpj_called_alike(a, b);
}

void mpj_closing_shown(struct mpj_comm *comm, int source, const struct mpj_arrival_message *m)
{
  const struct mpj_called there = mpj_called_by(m);
  struct mpj_called here;
  if (comm->broken.code != 0 || !have_pairs(comm)) return; /* and who asks has been told */
  struct mpj_ending *e = &comm->closing->of[source];
  const bool differs = there.operation != MPJ_OPERATION_NONE &&
                       called_here(comm, m->sequence, &here) && differ(here, there);
  if (differs) {
    const struct mpj_cause cause =
        mpj_cause_of_calls(comm, m->sequence, comm->rank, here, source, there);
    note(comm, &cause);
  }
  if (mpj_operation_is_end(m->operation)) {
    e->seen_end = true;
    note(comm, &(struct mpj_cause){.code = MPJ_ERR_COMM, .culprit = source});
  } else if (differs && !e->heard && !e->showing) { /* it waits, and shows nothing itself */
    e->showing = true;
    e->next = comm->started - ((uint32_t)comm->started - m->sequence);
  } else if (!differs && !e->heard && m->bit != MPJ_COMPARE_ANSWERS) { /* it waits, too */
    mpj_called_answer(comm, source, m->sequence, (struct mpj_called){0});
  }
  has_news(comm);
}

void mpj_closing_broken(struct mpj_comm *comm, const struct mpj_cause *cause)
{
  if (comm->broken.code != 0) return;
  comm->broken = *cause;
  has_news(comm);
}

void mpj_closing_settle_gone(struct mpj_comm *comm)
{
  if (!have_pairs(comm)) return;
  for (int rank = 0; rank < comm->size; rank++) {
    struct mpj_ending *e = &comm->closing->of[rank];
    if (rank == comm->rank || e->settled) continue;
    if (mpj_net_peer_state(comm->net, mpj_comm_member(comm, rank), NULL) >= MPJ_RANK_FINALIZED)
      settle(comm->closing, e);
  }
}
