/* This file takes arrivals: the header handler of the collectives' messages,
 * and what is done with those that are ahead of this rank. */
#include <string.h>

#include "base/status.h"
#include "coll/closing/closing.h"
#include "coll/closing/closing_advance.h"
#include "coll/closing/closing_show.h"
#include "coll/comm/context_ids.h"
#include "coll/failure/circle.h"
#include "coll/failure/difference.h"
#include "coll/failure/difference_report.h"
#include "coll/failure/failure.h"
#include "coll/failure/one_sided.h"
#include "coll/run/early.h"
#include "coll/run/relay.h"
#include "coll/steps/steps.h"
#include "coll/steps/verdict.h"

static bool is_code(int64_t code)
{
  return code > MPJ_SUCCESS && code <= MPJ_ERR_INTERNAL;
}

static bool parse(const struct mpj_am_arrival *arrival, struct mpj_arrival_message *m)
{
  memset(m, 0, sizeof *m);
  if (arrival->header_bytes < MPJ_ARRIVAL_HEADER || arrival->header_bytes > sizeof *m) return false;
  memcpy(m, arrival->header, arrival->header_bytes);
  const size_t data = arrival->header_bytes - MPJ_ARRIVAL_HEADER;
  switch (m->kind) {
  case MPJ_ARRIVAL_INLINE:
    return mpj_message_bytes(m) == (int64_t)data;
  case MPJ_ARRIVAL_EAGER:
    return arrival->has_payload && mpj_message_bytes(m) == arrival->kept.bytes;
  case MPJ_ARRIVAL_ADVERT:
    return data == sizeof(struct mpj_am_remote);
  case MPJ_ARRIVAL_COMPARE:
    return true;
  case MPJ_ARRIVAL_CIRCLE:
    return data == MPJ_DIFFERENCE_DATA;
  case MPJ_ARRIVAL_ENDED:
    if (m->bit != MPJ_ENDING_BROKEN)
      return m->bit < MPJ_ENDING_BROKEN && data == sizeof(struct mpj_ending);
    /* fallthrough */
  case MPJ_ARRIVAL_POISON_OPERATION:
    return (data == 0 || data == MPJ_DIFFERENCE_DATA) && is_code(mpj_cause_told_code(m));
  case MPJ_ARRIVAL_POISON:
    return is_code((int64_t)m->digest);
  default:
    return false;
  }
}

/* Another rank says that an operation has failed. If the communicator broke by it,
 * ranks may never come to the earlier operations that this one is in or comes to. */
static void poisoned(struct mpj_comm *comm, uint64_t sequence, const struct mpj_arrival_message *m)
{
  struct mpj_slot *slot = mpj_comm_slot(comm, sequence);
  const struct mpj_cause cause = mpj_cause_told(comm, m);
  const bool broken_there = m->bit != 0;
  if (!slot->active) {
    const bool is_next = comm->completed == comm->started && m->sequence == (uint32_t)comm->started;
    const bool at_once = !is_next || comm->persistent || mpj_closing_has_begun(comm);
    if (broken_there && at_once) mpj_comm_broken_elsewhere(comm, &cause);
    slot = mpj_comm_open_slot(comm, sequence, true);
    if (!slot) {
      mpj_comm_broken_elsewhere(comm, &cause);
      return;
    }
    slot->poison = cause;
    slot->poison_heard = true;
    slot->poison_broken = broken_there;
    return;
  }
  if (!slot->abandoned) mpj_operation_poisoned(comm, slot, &cause, broken_there);
}

/* Why a message cannot be kept beside what has been kept for its place, or for want of memory has
 * not. */
static struct mpj_cause cause_of_two(const struct mpj_comm *comm, const struct mpj_slot *slot,
                                     const struct mpj_arrival_message *m, int source)
{
  const struct mpj_early *e = slot->early;
  while (e && e->message.bit != m->bit)
    e = e->next;
  if (!e) return mpj_cause_of_own(comm, m->sequence, source, mpj_called_by(m));
  return mpj_cause_of_calls(comm, m->sequence, e->source, mpj_called_by(&e->message), source,
                            mpj_called_by(m));
}

static enum mpj_am_verdict for_future(struct mpj_comm *comm, uint64_t sequence,
                                      const struct mpj_arrival_message *m,
                                      const struct mpj_am_arrival *arrival)
{
  struct mpj_slot *slot = mpj_comm_open_slot(comm, sequence, false);
  if (!slot || !mpj_bits_reach(&slot->seen, m->bit + 1u))
    return mpj_early_refuse(comm, sequence, m, arrival);
  if (mpj_bits_test(&slot->seen, m->bit)) { /* two for one place: neither can be trusted */
    mpj_arrival_decline(comm, arrival->source, m);
    const struct mpj_cause cause = cause_of_two(comm, slot, m, arrival->source);
    mpj_error_elsewhere(comm, NULL, &cause);
    mpj_operation_fail(comm, sequence, &cause);
    return MPJ_AM_DONE;
  }
  mpj_bits_set(&slot->seen, m->bit);
  const struct mpj_early *before = slot->early;
  const enum mpj_am_verdict verdict = mpj_early_keep(comm, slot, sequence, m, arrival);
  if (slot->early != before) mpj_relay_consider(comm, slot->early);
  return verdict;
}

/* A message of an operation that this rank has ended. If it ended in good order
 * all that it was sent had arrived: whoever sends more is in another one. So is who asks about it
 * by another name than this rank's. */
static void too_late(struct mpj_comm *comm, int source, const struct mpj_arrival_message *m)
{
  struct mpj_called mine;
  mpj_arrival_decline(comm, source, m);
  char title[MPJ_TITLE_BYTES];
  if (m->kind == MPJ_ARRIVAL_POISON_OPERATION) {
    const struct mpj_cause cause = mpj_cause_told(comm, m);
    if (m->bit != 0) mpj_comm_broken_elsewhere(comm, &cause);
    return;
  }
  if (m->kind == MPJ_ARRIVAL_COMPARE && m->bit == MPJ_COMPARE_ANSWERS &&
      m->operation == MPJ_OPERATION_NONE)
    return; /* an answer, of one that does not know */
  const bool failed = (int32_t)(m->sequence - (uint32_t)comm->abandoned_end) < 0;
  const bool known = !failed && mpj_called_before(comm, m->sequence, &mine);
  if (m->kind == MPJ_ARRIVAL_COMPARE && m->bit != MPJ_COMPARE_ANSWERS)
    mpj_called_answer(comm, source, m->sequence, known ? mine : (struct mpj_called){0});
  if (failed) return;
  if (known && mpj_called_alike(mine, mpj_called_by(m)) && mpj_verdict_is_late(m)) return;
  if (m->kind == MPJ_ARRIVAL_COMPARE && (!known || mpj_called_alike(mine, mpj_called_by(m))))
    return;
  if (known && mpj_one_sided_late(comm, source, mine, m)) return;
  /* A rank with other data than this one's may run another algorithm, and send to one
   * that has done its part. Somebody waits for it, hears of it, and tells. */
  if (known && mpj_called_with_other_data(mine, mpj_called_by(m))) return;
  struct mpj_cause cause = {.code = MPJ_ERR_COMM, .culprit = source};
  if (known)
    cause = mpj_cause_of_calls(comm, m->sequence, comm->rank, mine, source, mpj_called_by(m));
  if (mpj_cause_has_difference(&cause))
    mpj_cause_error(comm, &cause);
  else
    mpj_error(MPJ_ERR_COMM, "%s was %s on rank %d, and another one on rank %d, which had ended it",
              mpj_operation_title(comm, m->sequence, title), mpj_call_name(m->operation, m->root),
              source, comm->rank);
  mpj_operation_fail(comm, comm->completed, &cause);
}

/* Whether the message says that the communicator is broken, and why: who has heard that from one
 * rank may end it before another one hears of it, so it repeats the reason. */
static bool is_broken_there(const struct mpj_arrival_message *m)
{
  return (m->kind == MPJ_ARRIVAL_POISON_OPERATION && m->bit != 0) ||
         (m->kind == MPJ_ARRIVAL_ENDED && m->bit == MPJ_ENDING_BROKEN);
}

/* A rank that waits in an operation asks, and the communicator is broken: it may not have heard. */
static void tell_broken(struct mpj_comm *comm, int source, const struct mpj_arrival_message *m)
{
  if (m->kind == MPJ_ARRIVAL_COMPARE && m->bit == 0 && comm->broken.code != 0)
    mpj_poison_answer(comm, source);
}

/* What is about the end of a communicator, or comes after this rank's. */
static void of_end(struct mpj_comm *comm, int source, const struct mpj_arrival_message *m)
{
  if (!comm->closing) return;
  if (m->kind == MPJ_ARRIVAL_ENDED) {
    mpj_closing_heard(comm, source, m);
  } else if (m->kind == MPJ_ARRIVAL_COMPARE && mpj_closing_has_begun(comm)) {
    mpj_closing_shown(comm, source, m);
    mpj_closing_has_news(comm);
  }
}

/* Whether this rank has called the operation that is `ahead` of the first one that has not ended
 * here, and it has ended: operations may end in any order. */
static bool has_ended(const struct mpj_comm *comm, int32_t ahead)
{
  return ahead < 0 || ((uint64_t)ahead < comm->started - comm->completed &&
                       !mpj_comm_slot(comm, comm->completed + (uint64_t)ahead)->active);
}

/* A rank asks whether the ranks wait for each other. */
static void asked(struct mpj_comm *comm, uint64_t sequence, const struct mpj_arrival_message *m)
{
  struct mpj_cause cause;
  struct mpj_slot *slot = mpj_circle_asked(comm, sequence, m, &cause);
  struct mpj_comm *blocked = comm->context->circle.comm;
  if (!slot) return;
  mpj_cause_error(blocked, &cause);
  mpj_operation_abandon(blocked, slot, &cause, false);
}

/* A message of a communicator of which this rank is. */
static enum mpj_am_verdict take_in(struct mpj_comm *comm, const struct mpj_arrival_message *m,
                                   const struct mpj_am_arrival *arrival)
{
  const int32_t ahead = (int32_t)(m->sequence - (uint32_t)comm->completed);
  tell_broken(comm, arrival->source, m);
  if (m->kind == MPJ_ARRIVAL_ENDED ||
      (m->kind == MPJ_ARRIVAL_COMPARE && mpj_closing_has_begun(comm))) {
    const struct mpj_cause cause = mpj_cause_told(comm, m);
    if (is_broken_there(m) && comm->broken.code == 0) mpj_comm_broken_elsewhere(comm, &cause);
    of_end(comm, arrival->source, m);
    return MPJ_AM_DONE;
  }
  if (m->kind == MPJ_ARRIVAL_CIRCLE) {
    if (!has_ended(comm, ahead)) asked(comm, comm->completed + (uint64_t)ahead, m);
    return MPJ_AM_DONE;
  }
  if (has_ended(comm, ahead)) {
    too_late(comm, arrival->source, m);
    return MPJ_AM_DONE;
  }
  if (ahead >= (int32_t)mpj_comm_slots(comm) && m->kind == MPJ_ARRIVAL_POISON_OPERATION &&
      m->bit != 0) {
    const struct mpj_cause cause = mpj_cause_told(comm, m);
    mpj_comm_broken_elsewhere(comm, &cause);
    return MPJ_AM_DONE;
  }
  if (ahead >= (int32_t)mpj_comm_slots(comm)) {
    if (m->kind != MPJ_ARRIVAL_COMPARE)
      mpj_warn("rank %d sent a message of operation %llu, rank %d is in %llu; dropped",
               arrival->source, (unsigned long long)mpj_operation_number(comm, m->sequence),
               comm->rank, (unsigned long long)mpj_operation_number(comm, comm->completed));
    mpj_arrival_decline(comm, arrival->source, m);
    return MPJ_AM_DONE;
  }
  const uint64_t sequence = comm->completed + (uint64_t)ahead;
  struct mpj_slot *slot = mpj_comm_slot(comm, sequence);
  if (m->kind == MPJ_ARRIVAL_POISON_OPERATION) {
    poisoned(comm, sequence, m);
    return MPJ_AM_DONE;
  }
  if (m->kind == MPJ_ARRIVAL_COMPARE) {
    mpj_watch_compare(comm, slot, arrival->source, m);
    return MPJ_AM_DONE;
  }
  return slot->active ? mpj_early_or_now(comm, slot, m, arrival)
                      : for_future(comm, sequence, m, arrival);
}

/* A message of a communicator that this rank has left, from one of its members. */
static void of_left(struct mpj_comm *comm, int world, const struct mpj_arrival_message *m)
{
  int source = 0;
  while (source < comm->size && mpj_comm_member(comm, source) != world)
    source++;
  if (source == comm->size) return;
  const struct mpj_cause cause = mpj_cause_told(comm, m);
  if (is_broken_there(m)) mpj_closing_broken(comm, &cause);
  tell_broken(comm, source, m);
  of_end(comm, source, m);
  struct mpj_called mine;
  if (m->kind <= MPJ_ARRIVAL_ADVERT && mpj_called_before(comm, m->sequence, &mine))
    mpj_one_sided_late(comm, source, mine, m);
}

/* A message of no communicator of this rank: one that it has left, whose others
 * were told of a failure or compared notes at the end; or nonsense. */
static void of_no_comm(struct mpj_context *context, const struct mpj_am_arrival *arrival,
                       const struct mpj_arrival_message *m)
{
  struct mpj_am_remote remote;
  struct mpj_comm *left = m ? mpj_context_ids_left(context, m->comm) : NULL;
  if (left && left->net) of_left(left, arrival->source, m);
  if (m && m->kind == MPJ_ARRIVAL_POISON_OPERATION && m->bit != 0) {
    mpj_context_ids_renounced(
        context, m->comm,
        &(struct mpj_cause){.code = mpj_cause_told_code(m), .culprit = mpj_cause_told_culprit(m)});
    return;
  }
  if (m && m->kind == MPJ_ARRIVAL_ENDED && m->bit == MPJ_ENDING_ASK && !left) {
    mpj_closing_deny(context, arrival->source, m);
    return;
  }
  const bool persistent = m && (m->comm & MPJ_PERSISTENT_ID) && context->persistent > 0;
  if (m && m->kind == MPJ_ARRIVAL_CIRCLE) return; /* of one that is not there yet, say */
  if (!m || !(persistent || mpj_comm_was_left(context, m->comm))) {
    mpj_warn("rank %d sent a collective message that makes no sense; dropped", arrival->source);
    return;
  }
  if (m->kind != MPJ_ARRIVAL_ADVERT) return;
  memcpy(&remote, m->data, sizeof remote);
  mpj_net_decline(context->net, arrival->source, &remote);
}

enum mpj_am_verdict mpj_on_arrival(void *ctx, const struct mpj_am_arrival *arrival,
                                   struct mpj_am_dest *dest)
{
  (void)dest;
  if (mpj_expected_take(ctx, arrival)) return MPJ_AM_DONE;
  struct mpj_arrival_message m;
  const bool makes_sense = parse(arrival, &m);
  struct mpj_comm *comm = makes_sense ? mpj_context_comm(ctx, m.comm) : NULL;
  struct mpj_am_arrival here = *arrival;
  if (comm) here.source = mpj_comm_rank_of(comm, arrival->source);
  if (!comm || here.source < 0) {
    of_no_comm(ctx, arrival, makes_sense && !comm ? &m : NULL);
    return MPJ_AM_DONE;
  }
  return take_in(comm, &m, &here);
}
