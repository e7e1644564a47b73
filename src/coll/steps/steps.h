/* This header declares how the steps of a plan are run, and what messages they send.
 *
 * Of the functions that return an int, MPJ_AM_AGAIN says that there was no room, or that the
 * step has still to wait: run it again; MPJ_AM_PENDING that it will complete by a callback;
 * anything else is its outcome. All are called by the thread that holds the context. */
#ifndef MPJ_SRC_COLL_STEPS_STEPS_H
#define MPJ_SRC_COLL_STEPS_STEPS_H

#include "coll/comm/comm.h"
#include "coll/plan/binding.h"
#include "coll/plan/plan.h"
#include "coll/run/control.h"
#include "coll/steps/ends.h"

/* The number of a step in its plan. */
static inline unsigned mpj_step_number(const struct mpj_slot *slot,
                                       const struct mpj_plan_step *step)
{
  return (unsigned)(step - slot->plan->steps);
}

/* step_send.c */
MPJ_HOT MPJ_ASIDE int mpj_step_run_signal(struct mpj_comm *comm, struct mpj_slot *slot,
                                          const struct mpj_plan_step *step);
MPJ_HOT MPJ_ASIDE int mpj_step_run_send(struct mpj_comm *comm, struct mpj_slot *slot,
                                        const struct mpj_plan_step *step);

/* message.c: what the message of step i says, to a rank where the communicator has this id. */
static_assert((int)MPJ_AM_MARK == (int)MPJ_ARRIVAL_HEADER, "messages are known by their headers");
/* What begins it: communicator and sequence. */
static inline uint64_t mpj_step_first_word(const struct mpj_slot *slot, uint32_t id)
{
  const uint64_t comm = id, sequence = (uint32_t)slot->sequence;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return comm | sequence << 32;
#else
  return comm << 32 | sequence;
#endif
}
static inline struct mpj_am_mark mpj_step_mark(const struct mpj_slot *slot,
                                               const struct mpj_plan_step *step, uint32_t id)
{
  return (struct mpj_am_mark){mpj_step_first_word(slot, id), step->rest};
}
static inline void mpj_step_message(const struct mpj_slot *slot, const struct mpj_plan_step *step,
                                    uint32_t id, struct mpj_arrival_message *m)
{
  const uint64_t first = mpj_step_first_word(slot, id);
  memcpy(m, &first, sizeof first);
  memcpy((char *)m + sizeof first, step->rest, sizeof step->rest);
}
/* Let the sender of what is not wanted know, if it keeps data for this rank. */
void mpj_arrival_decline(struct mpj_comm *comm, int source,
                         const struct mpj_arrival_message *message);

/* reach.c */
/* By how many operations a rank may be ahead of a peer to which it sends by this step: as many as
 * have slots in its window; with data beside the message, as many as there are slots for that, as
 * what finds none is advertised, and waits to be pulled. */
static inline unsigned mpj_step_window(const struct mpj_comm *comm,
                                       const struct mpj_plan_step *step)
{
  const unsigned slots = mpj_comm_slots(comm);
  return step->way == MPJ_ARRIVAL_EAGER && slots > MPJ_EAGER_WINDOW ? MPJ_EAGER_WINDOW : slots;
}
/* Whether the peer is less than `window` operations behind `sequence`, as far as is known; or once
 * it has been looked at. */
static inline bool mpj_window_was_open(const struct mpj_comm *comm, uint64_t sequence,
                                       unsigned window, int peer)
{
  return sequence < mpj_comm_known_done(comm, peer) + window;
}
MPJ_HOT MPJ_ASIDE bool mpj_window_look(struct mpj_comm *comm, uint64_t sequence, unsigned window,
                                       int peer);
static inline bool mpj_window_is_open(struct mpj_comm *comm, uint64_t sequence, unsigned window,
                                      int peer)
{
  return mpj_window_was_open(comm, sequence, window, peer) ||
         mpj_window_look(comm, sequence, window, peer);
}
/* Whether the member has taken its window: nobody counts in at it before. */
MPJ_HOT bool mpj_member_has_joined(struct mpj_comm *comm, int rank);

/* meet.c */
MPJ_HOT MPJ_ASIDE int mpj_step_run_meet(struct mpj_comm *comm, struct mpj_slot *slot,
                                        const struct mpj_plan_step *step);

/* receive.c: take what has come for the step, or look for it. */
MPJ_HOT MPJ_ASIDE int mpj_step_run_receive(struct mpj_comm *comm, struct mpj_slot *slot,
                                           struct mpj_plan_step *step);
/* Whether the message is what the rank looks for just now; then it has been taken. */
MPJ_HOT bool mpj_expected_take(struct mpj_context *context, const struct mpj_am_arrival *arrival);

/* Whether a step takes data of so many bytes with this digest. */
static inline bool mpj_step_takes(const struct mpj_slot *slot, const struct mpj_plan_step *step,
                                  MPJ_Count bytes, uint64_t digest)
{
  return mpj_operation_takes(slot->schedule->operation, step->bytes, step->rest[2], bytes, digest);
}

/* Have the place of what comes for a step in a message of this kind, if it needs one. What combines
 * needs its temporary only for what is pulled; it has it the first time all the same, so that the
 * first call has allocated all that later ones may need. Errors: MPJ_ERR_NO_MEM. */
static inline int mpj_step_have_place(struct mpj_slot *slot, struct mpj_plan_step *step,
                                      unsigned kind)
{
  if (!step->combines) return mpj_end_have(slot, &step->to);
  if (kind == MPJ_ARRIVAL_INLINE || (kind == MPJ_ARRIVAL_EAGER && step->had_place))
    return MPJ_SUCCESS;
  step->had_place = true;
  return mpj_end_have(slot, &step->from);
}

/* step_take.c */
/* Take the arrival of step i, for which nothing else is missing (eager payloads are read here), or
 * queue the pull. Runs no other step. */
int mpj_step_take(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, int source,
                  const struct mpj_arrival_message *message, const void *payload);
/* Data of a step's signature to its place, or combine it with what is there; it is aligned. */
MPJ_HOT int mpj_step_put(struct mpj_comm *comm, struct mpj_slot *slot,
                         const struct mpj_plan_step *step, const void *data, MPJ_Count bytes);

/* step_reduce.c */
MPJ_HOT MPJ_ASIDE int mpj_step_run_copy(struct mpj_comm *comm, struct mpj_slot *slot,
                                        const struct mpj_plan_step *step);
MPJ_HOT MPJ_ASIDE int mpj_step_run_reduce(struct mpj_comm *comm, struct mpj_slot *slot,
                                          const struct mpj_plan_step *step);
/* The bytes [at, at + bytes) of what the step goes to := packed (op) what is there. */
MPJ_HOT int mpj_step_combine(struct mpj_comm *comm, struct mpj_slot *slot,
                             const struct mpj_plan_step *step, const void *packed, MPJ_Count at,
                             MPJ_Count bytes);

/* transfers.c: leave a step's data where it is and tell its peer, who pulls when it gets there.
 * step: step i of the plan, or one made for what a bundle holds. put: the peer has said that it is
 * there, so the data may go along. */
int mpj_transfer_advertise(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i,
                           const struct mpj_plan_step *step, bool put);
/* Queue the pull of what `source` has advertised to `end` of step i; mpj_transfers_advance begins
 * it. */
int mpj_transfer_queue_pull(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, int source,
                            const struct mpj_arrival_message *m, const struct mpj_end *end);
/* Let the copy of step i go on by and by while what is under way moves. */
int mpj_transfer_copy(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i,
                      const struct mpj_cursor *to, const struct mpj_cursor *from);
/* Move pulls and copies on; whether anything moved. */
bool mpj_transfers_advance(struct mpj_comm *comm, struct mpj_slot *slot);
/* Abandon what can be abandoned at once: exposures and pulls not begun. */
void mpj_transfers_abandon(struct mpj_comm *comm, struct mpj_slot *slot);

#endif
