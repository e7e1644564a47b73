/* This header declares how the steps of a schedule are run while it is spread, and what messages
 * they send.
 *
 * Of the functions that return an int, MPJ_AM_AGAIN says that there was no room, or that the
 * step has still to wait: run it again; MPJ_AM_PENDING that it will complete by a callback;
 * anything else is its outcome. All are called by the thread that holds the context. */
#ifndef MPJ_SRC_COLL_STEPS_STEPS_H
#define MPJ_SRC_COLL_STEPS_STEPS_H

#include "coll/plan/binding.h"
#include "coll/run/control.h"

/* steps.c: run step i, whose dependencies are complete. MPJ_AM_AGAIN: it found no room;
 * MPJ_AM_PENDING: it will complete by a callback; else it is complete. */
int mpj_step_run(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i);

/* step_send.c */
int mpj_step_run_signal(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);
int mpj_step_run_send(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i);

/* message.c */
/* The header of what this step sends. */
struct mpj_arrival_message mpj_step_message(const struct mpj_comm *comm,
                                            const struct mpj_schedule *schedule, uint64_t sequence,
                                            const struct mpj_step *step);
/* Let the sender of what is not wanted know, if it keeps data for this rank. */
void mpj_arrival_decline(struct mpj_comm *comm, int source,
                         const struct mpj_arrival_message *message);

/* reach.c */
/* Whether the peer has room for operation `sequence` in its window. */
MPJ_HOT bool mpj_window_is_open(struct mpj_comm *comm, uint64_t sequence, int peer);
/* Whether the member has taken its window: nobody counts in at it before. */
MPJ_HOT bool mpj_member_has_joined(struct mpj_comm *comm, int rank);

/* meet.c */
int mpj_step_run_meet(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);
/* Count in once, then look: *counted says whether this rank has counted in, and is cleared when
 * the meeting is over. */
enum mpj_meeting { MPJ_MEETING_WAITS, MPJ_MEETING_OVER, MPJ_MEETING_DISAGREES };
MPJ_HOT enum mpj_meeting mpj_meet(struct mpj_comm *comm, const struct mpj_schedule *schedule,
                                  uint64_t sequence, int home, bool *counted);

/* step_take.c */
/* The arrival of step i is here and nothing else is missing: take the data
 * (eager payloads are read here), or queue the pull. Runs no other step. */
void mpj_step_take(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                   const struct mpj_arrival_message *message, const void *payload);

/* step_local.c */
int mpj_step_run_copy(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);
int mpj_step_run_reduce(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);
/* dst := packed (op) dst for the bytes [at, at + bytes) of the step's dst. */
int mpj_step_reduce_piece(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step,
                          const void *packed, MPJ_Count at, MPJ_Count bytes);
/* dst := packed (op) dst. */
int mpj_step_reduce_into(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand dst,
                         const void *packed);

/* transfers.c: leave step i's data where it is and tell its peer, who pulls when it gets there.
 * put: the peer has said that it is there, so the data may go along. */
int mpj_transfer_advertise(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i,
                           const struct mpj_bound *bound, struct mpj_arrival_message *m, bool put);
/* Queue the pull of what `source` has advertised to step i; mpj_transfers_advance begins it. */
int mpj_transfer_queue_pull(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                            const struct mpj_arrival_message *m, const struct mpj_bound *bound);
/* Move pulls on; whether anything moved. */
bool mpj_transfers_advance(struct mpj_comm *comm, struct mpj_slot *slot);
/* Abandon what can be abandoned at once: exposures and pulls not begun. */
void mpj_transfers_abandon(struct mpj_comm *comm, struct mpj_slot *slot);

#endif
