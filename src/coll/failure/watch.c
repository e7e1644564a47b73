/* This file looks after operations that wait for long, in case that the ranks
 * are not in the same one: each may then wait for another, and no message ever
 * tell. A rank that waits compares notes, at growing intervals:
 *
 *   it sees                                          which means
 *   signals that the operation does not await, or    their senders are in another one
 *     a count that not all have made by its name
 *   a rank that has ended this operation without     it was in another one; a failure
 *     what is waited for, for a while                would have been told meanwhile
 *   another operation in a COMPARE message           the two differ; who has ended its own answers
 *
 * Suppose that no rank can go on. Of the ranks in the earliest operation each
 * waits for one that has ended it (seen), for one that calls it another thing
 * (compared), or for one in the same operation, which waits likewise; and the
 * ranks of one and the same operation do not wait for each other in a circle. */
#include <stdio.h>

#include "base/config/config.h"
#include "base/status.h"
#include "coll/failure/circle.h"
#include "coll/failure/difference.h"
#include "coll/failure/failure.h"
#include "coll/failure/one_sided.h"

static const double first_pause_s = 0.1, longest_pause_s = 8, suspected_pause_s = 1, patience_s = 5,
                    circle_pause_s = 0.8;
/* With a rank that has not answered yet: it may call nothing for long. */
static const double longest_patience_s = 60;

static bool has_stray_signals(struct mpj_comm *comm, const struct mpj_slot *slot)
{
  const struct mpj_control_slot *c = &comm->window->slot[mpj_slot_number(comm, slot->sequence)];
  if (slot->schedule->await_words > 0) return false;
  for (unsigned w = 0; w < MPJ_BITS_WORDS; w++)
    if (mpj_atomic_bits_load(&c->arrived, w) != 0) return true;
  return false;
}

/* A rank that has ended the operation, although this one still waits for it; or -1. */
static int ended_without(struct mpj_comm *comm, const struct mpj_slot *slot)
{
  for (int rank = 0; rank < comm->size; rank++)
    if (rank != comm->rank && mpj_operation_needs(comm, slot, rank) &&
        mpj_comm_done_at(comm, rank) > slot->sequence) /* which meets nobody who is not needed */
      return rank;
  return -1;
}

/* Ask those who are waited for, or everybody. */
static void ask(struct mpj_comm *comm, const struct mpj_slot *slot, bool everybody)
{
  struct mpj_arrival_message m = mpj_called_shown(slot->sequence, slot->schedule->called);
  for (int rank = 0; rank < comm->size; rank++) { /* a full ring is no harm: there is a next time */
    if (rank == comm->rank || (!everybody && !mpj_operation_needs(comm, slot, rank))) continue;
    m.comm = mpj_comm_id_at(comm, rank);
    (void)mpj_net_short(comm->net, mpj_comm_world(comm, rank), MPJ_AM_COLLECTIVE, &m,
                        MPJ_ARRIVAL_HEADER);
  }
}

static void compare_notes(struct mpj_comm *comm, struct mpj_slot *slot, double now)
{
  const bool strays = slot->disagrees || has_stray_signals(comm, slot);
  const int rank = ended_without(comm, slot);
  if (rank < 0 && !strays) {
    comm->suspected_since = 0;
  } else if (comm->suspected_since == 0) {
    comm->suspected_since = now;
  } else if (now - comm->suspected_since >=
             (rank < 0 || comm->answered == slot->sequence + 1 ? patience_s : longest_patience_s)) {
    if (!mpj_one_sided_ended(comm, slot)) mpj_operation_stranger(comm, slot, rank, NULL);
    return;
  }
  ask(comm, slot, strays);
  if (comm->compare_pause >= circle_pause_s) mpj_circle_ask(comm->context);
}

void mpj_watch_compare(struct mpj_comm *comm, struct mpj_slot *slot, int source,
                       const struct mpj_arrival_message *m)
{
  if (!slot->active && m->bit != MPJ_COMPARE_ANSWERS) mpj_circle_awaited(comm);
  if (!slot->active || slot->abandoned) return;
  if (m->bit == MPJ_COMPARE_ANSWERS) comm->answered = slot->sequence + 1;
  if (m->bit == MPJ_COMPARE_ANSWERS && m->operation == MPJ_OPERATION_NONE) return;
  if (!mpj_called_fit(mpj_called_by(m), slot->schedule->called))
    mpj_operation_stranger(comm, slot, source, m);
  else if (m->bit == MPJ_COMPARE_ANSWERS)
    mpj_one_sided_answered(comm, slot, source);
  else
    mpj_one_sided_answer(comm, slot, source);
}

static void report_stall(const struct mpj_comm *comm, const struct mpj_slot *slot)
{
  const struct mpj_schedule *s = slot->schedule;
  char waiting[120] = "", title[MPJ_TITLE_BYTES];
  int at = 0;
  for (int rank = 0; rank < comm->size && at < 100; rank++)
    if (mpj_operation_needs(comm, slot, rank))
      at += snprintf(waiting + at, sizeof waiting - (size_t)at, " %d", rank);
  mpj_warn("rank %d is in %s (%s, root %d) at synchronisation point %u with %u steps left, "
           "waiting for ranks%s",
           comm->rank, mpj_slot_name(comm, slot), mpj_operation_title(comm, slot->sequence, title),
           s->root >= 0 ? s->root : -1, mpj_bits_next_clear(&slot->seen, 1), mpj_slot_left(slot),
           waiting);
}

static void begin_watch(struct mpj_comm *comm, const struct mpj_slot *slot, double now)
{
  comm->watched = slot->sequence + 1;
  comm->stall_since = now;
  comm->compare_pause = first_pause_s;
  comm->compare_at = now + first_pause_s;
  comm->suspected_since = 0;
}

void mpj_watch(struct mpj_comm *comm, struct mpj_slot *slot)
{
  const double now = MPJ_Wtime();
  const long report_s = mpj_config()->stall_report_s;
  if (comm->watched != slot->sequence + 1) {
    begin_watch(comm, slot, now);
    return;
  }
  if (report_s > 0 && now - comm->stall_since >= (double)report_s) {
    comm->stall_since = now;
    report_stall(comm, slot);
  }
  if (mpj_circle_is_due(comm->context, now)) mpj_circle_ask(comm->context);
  const bool first = slot->disagrees && comm->suspected_since == 0;
  if (slot->abandoned || (now < comm->compare_at && !first)) return;
  const double pause = comm->compare_pause;
  comm->compare_pause = pause * 2 < longest_pause_s ? pause * 2 : longest_pause_s;
  compare_notes(comm, slot, now);
  const bool suspects = comm->suspected_since != 0 && pause > suspected_pause_s;
  comm->compare_at = now + (suspects ? suspected_pause_s : pause);
}
