/* This header declares how an operation ends that cannot be completed, how its ranks hear of it,
 * and how ranks that wait find out that they wait in vain. */
#ifndef MPJ_SRC_COLL_FAILURE_FAILURE_H
#define MPJ_SRC_COLL_FAILURE_FAILURE_H

#include "coll/run/control.h"

/* needs.c: whether a step that is not complete needs something that `rank` has not done. */
bool mpj_operation_needs(const struct mpj_comm *comm, const struct mpj_slot *slot, int rank);

/* failure.c: end the operation on this rank because of `cause`; tell the others unless
 * they know (told = true). The thread's error detail says why. Where the ranks
 * can then no longer be in step, the communicator is broken for all of them. */
void mpj_operation_abandon(struct mpj_comm *comm, struct mpj_slot *slot,
                           const struct mpj_cause *cause, bool told);
/* Make the error of an operation that another rank ended: the thread's detail
 * says how two ranks' calls differ; or who failed, and how it died if it did. Returns the code. */
int mpj_error_elsewhere(struct mpj_comm *comm, const struct mpj_slot *slot,
                        const struct mpj_cause *cause);
/* Another rank has told us that it failed in this operation: end it here. Where
 * that breaks the communicator here but did not there (broken_there), tell the
 * others. */
void mpj_operation_poisoned(struct mpj_comm *comm, struct mpj_slot *slot,
                            const struct mpj_cause *cause, bool broken_there);
/* Another rank has told us that `comm` is broken: end whatever is under way. */
void mpj_comm_broken_elsewhere(struct mpj_comm *comm, const struct mpj_cause *cause);
/* This rank can use it no more: end whatever is under way, and tell the others. The thread's error
 * detail says why. */
void mpj_comm_break_here(struct mpj_comm *comm, int code);
/* End an operation that has not ended, now or when this rank calls it; nobody else knows yet. The
 * thread's error detail says why. */
void mpj_operation_fail(struct mpj_comm *comm, uint64_t sequence, const struct mpj_cause *cause);
/* Who is to blame for a call that this rank refuses with `code`: with MPJ_ERR_PEER, which it has
 * met elsewhere, a rank of this communicator that has died or left, or by which another one broke;
 * else itself. */
int mpj_failed_by(struct mpj_comm *comm, int code);
/* A communicator and its persistent requests can no longer be used, as their ranks are not in step
 * any more. The thread's error detail says why. */
void mpj_comm_break(struct mpj_comm *comm, const struct mpj_cause *cause);
/* renounce.c: break `comm`, with which nothing is under way here, and tell all its ranks. Waits
 * until they can be told. Returns MPJ_ERR_COMM. */
int mpj_comm_renounce(struct mpj_comm *comm);
/* Send poison to those who have not been told; whether anything moved. Where the communicator is
 * broken, those who take nothing in for a while are left to ask. */
bool mpj_poison_advance(struct mpj_comm *comm, struct mpj_slot *slot);
/* A member asks about a communicator that is broken here: tell it, if there is room. */
void mpj_poison_answer(struct mpj_comm *comm, int rank);
/* If `rank` died or left: abandon the operation, which needs it, and say true. */
bool mpj_operation_lost_peer(struct mpj_comm *comm, struct mpj_slot *slot, int rank);
/* notice.c: look for ranks that died or left and that this operation still needs. */
void mpj_notice_failures(struct mpj_comm *comm, struct mpj_slot *slot);
/* Something that does not fit the operation under way has come from `source` (-1: it is not known
 * from where); message: if it was one. */
void mpj_operation_stranger(struct mpj_comm *comm, struct mpj_slot *slot, int source,
                            const struct mpj_arrival_message *message);

/* watch.c: look after an operation that waits: report it (MPJ_STALL_REPORT_S),
 * and find out whether the others are in another one. Cheap; call it often. */
void mpj_watch(struct mpj_comm *comm, struct mpj_slot *slot);
/* A rank that waits for this one says what operation it is in. */
void mpj_watch_compare(struct mpj_comm *comm, struct mpj_slot *slot, int source,
                       const struct mpj_arrival_message *message);

#endif
