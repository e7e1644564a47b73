/* This file lets ranks that have ended a communicator show each other what they have called. */
#include "coll/closing/closing_show.h"

#include "coll/closing/closing_tree.h"
#include "coll/failure/difference.h"

/* The first difference that is found, if possible one that has a number. */
static void note(struct mpj_comm *comm, const struct mpj_cause *cause)
{
  struct mpj_closing *c = comm->closing;
  if (c->reported || mpj_cause_has_difference(&c->cause)) return;
  if (c->cause.code != 0 && !mpj_cause_has_difference(cause)) return;
  c->cause = *cause;
  c->cause.code = MPJ_ERR_COMM; /* who called MPJ_Finalize is no lost peer to itself */
}

/* What this rank called as operation `sequence`, modulo 2^32, its end being the last; false: it is
 * not known. */
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

/* A difference of two other ranks, with this one in the place of the first whose call was the same
 * as here. */
static struct mpj_cause seen_from_here(const struct mpj_comm *comm, const struct mpj_cause *cause)
{
  const struct mpj_difference *d = &cause->difference;
  struct mpj_called here;
  if (d->made_by != 0 || d->rank[0] == comm->rank || d->rank[1] == comm->rank ||
      !called_here(comm, d->sequence, &here))
    return *cause;
  for (int i = 1; i >= 0; i--)
    if (!differ(here, d->called[1 - i]) && differ(here, d->called[i]))
      return mpj_cause_of_calls(comm, d->sequence, comm->rank, here, d->rank[i], d->called[i]);
  return *cause;
}

/* That of a persistent request breaks its user, too, where it is told. */
void mpj_closing_note_broken(struct mpj_comm *comm)
{
  if (comm->user || comm->reported || !mpj_cause_has_difference(&comm->broken)) return;
  const struct mpj_cause cause = seen_from_here(comm, &comm->broken);
  note(comm, &cause);
}

static uint64_t first_kept(const struct mpj_comm *comm)
{
  const uint64_t first = comm->serial << MPJ_SERIAL_SHIFT;
  return comm->started - first <= comm->called_room ? first : comm->started - comm->called_room;
}

void mpj_closing_show(struct mpj_comm *comm, int rank)
{
  struct mpj_closing *c = comm->closing;
  c->showing = true;
  c->show_to = rank;
  c->next_shown = first_kept(comm);
}

/* Show one operation, or the end. */
static bool show(struct mpj_comm *comm, int rank, uint64_t sequence)
{
  struct mpj_called called = {.operation = comm->closing->operation, .root = -1};
  if (sequence < comm->started) mpj_called_before(comm, (uint32_t)sequence, &called);
  struct mpj_arrival_message m = mpj_called_shown(sequence, called);
  m.comm = mpj_comm_id_at(comm, rank);
  m.bit = MPJ_COMPARE_SHOWS;
  return mpj_net_short(comm->net, mpj_comm_member(comm, rank), MPJ_AM_COLLECTIVE, &m,
                       MPJ_ARRIVAL_HEADER) == MPJ_SUCCESS;
}

bool mpj_closing_show_more(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  bool moved = false;
  while (c->next_shown <= comm->started && show(comm, c->show_to, c->next_shown)) {
    c->next_shown++;
    moved = true;
  }
  c->showing = c->next_shown <= comm->started;
  return moved;
}

void mpj_closing_differ(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  const struct mpj_ending own = mpj_ending_own(comm);
  c->verdict = MPJ_ENDING_DIFFER;
  c->partner = mpj_ending_agree(&own, &c->one) ? c->other : c->one;
  note(comm, &(struct mpj_cause){.code = MPJ_ERR_COMM, .culprit = c->partner.rank});
}

/* A rank has shown all that it knows. */
static void conclude(struct mpj_comm *comm, int source)
{
  struct mpj_closing *c = comm->closing;
  if (c->verdict != MPJ_ENDING_SUMMARY) return;
  if (mpj_cause_has_difference(&c->cause)) {
    comm->broken = c->cause;
    c->verdict = MPJ_ENDING_BROKEN;
    return;
  }
  c->one = mpj_ending_own(comm);
  c->other = (struct mpj_ending){.rank = source, .count = c->one.count + 1};
  mpj_closing_differ(comm);
}

void mpj_closing_shown(struct mpj_comm *comm, int source, const struct mpj_arrival_message *m)
{
  const struct mpj_called there = mpj_called_by(m);
  struct mpj_called here = {0};
  if (comm->broken.code != 0) return; /* and who asks has been told */
  const bool differs = there.operation != MPJ_OPERATION_NONE &&
                       called_here(comm, m->sequence, &here) && differ(here, there);
  if (differs) {
    const struct mpj_cause cause =
        mpj_cause_of_calls(comm, m->sequence, comm->rank, here, source, there);
    note(comm, &cause);
  }
  if (m->bit == MPJ_COMPARE_SHOWS) {
    if (mpj_operation_is_end(m->operation)) conclude(comm, source);
  } else if (m->bit != MPJ_COMPARE_ANSWERS) { /* it waits, or another that waits is its own */
    mpj_called_answer(comm, source, m->sequence, differs ? here : (struct mpj_called){0});
  }
}
