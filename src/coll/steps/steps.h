#ifndef MPJ_SRC_COLL_STEPS_STEPS_H
#define MPJ_SRC_COLL_STEPS_STEPS_H
/* What the files that run a schedule's steps share (coll/run/control.h has what others call).
 *
 * Of the functions that return an int, MPJ_AM_AGAIN says that there was no room, or that the
 * step has still to wait: run it again; MPJ_AM_PENDING that it will complete by a callback;
 * anything else is its outcome. All are called by the thread that holds the context. */
#include "coll/run/control.h"

/* step_send.c */
int mpj_step_run_signal(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);
int mpj_step_run_meet(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);
int mpj_step_run_send(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i);
/* Pack a bound view of `bytes` bytes to memory. Errors: MPJ_ERR_NO_MEM. */
int mpj_bound_pack(const struct mpj_bound *bound, void *out, MPJ_Count bytes);

/* Count in once, then look: *counted says whether this rank has counted in, and is cleared when
 * the meeting is over. */
enum mpj_meeting { MPJ_MEETING_WAITS, MPJ_MEETING_OVER, MPJ_MEETING_DISAGREES };
MPJ_HOT enum mpj_meeting mpj_meet(struct mpj_comm *comm, const struct mpj_schedule *schedule,
                                  uint64_t sequence, int home, bool *counted);

/* step_local.c */
int mpj_step_run_copy(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);
int mpj_step_run_reduce(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);
/* dst := packed (op) dst. */
int mpj_step_reduce_into(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand dst,
                         const void *packed);

/* step_take.c: whether a recv step combines what comes with what is there. */
bool mpj_step_combines(const struct mpj_schedule *s, const struct mpj_step *step);

/* transfers.c: leave step i's data where it is and tell its peer, who pulls when it gets there. */
int mpj_transfer_advertise(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i,
                           const struct mpj_bound *bound, struct mpj_arrival_message *m);
/* Queue the pull of what `source` has advertised to step i; mpj_transfers_advance begins it. */
int mpj_transfer_queue_pull(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                            const struct mpj_arrival_message *m, const struct mpj_bound *bound);

#endif
