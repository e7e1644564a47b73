/* This header declares how a schedule is built, step by step. */
#ifndef MPJ_SRC_COLL_PLAN_SCHEDULE_STEPS_H
#define MPJ_SRC_COLL_PLAN_SCHEDULE_STEPS_H

#include "coll/plan/schedule.h"

int mpj_schedule_begin(enum mpj_operation operation, unsigned algorithm, int root, unsigned variant,
                       struct mpj_schedule_builder **builder);
/* Let the schedule be one of these part lists, of the receive and the send type (NULL: in place);
 * and what they are. */
void mpj_schedule_of_lists(struct mpj_schedule_builder *b,
                           const struct mpj_part_list *const lists[2]);
int mpj_schedule_signal(struct mpj_schedule_builder *b, int peer, unsigned bit, int ndeps,
                        const int deps[]);
int mpj_schedule_await(struct mpj_schedule_builder *b, int peer, unsigned bit, int ndeps,
                       const int deps[]);
/* home: the rank at which all count, the same for all meetings of a communicator.
 * A schedule's meetings depend on one another: one is under way at a time. */
int mpj_schedule_meet(struct mpj_schedule_builder *b, int home, int ndeps, const int deps[]);
int mpj_schedule_post(struct mpj_schedule_builder *b, struct mpj_operand src, int ndeps,
                      const int deps[]);
int mpj_schedule_send(struct mpj_schedule_builder *b, int peer, unsigned bit,
                      struct mpj_operand src, int ndeps, const int deps[]);
int mpj_schedule_recv(struct mpj_schedule_builder *b, int peer, unsigned bit,
                      struct mpj_operand dst, int ndeps, const int deps[]);
/* Combine what arrives with dst; `aside`, a temporary, has room for it. */
int mpj_schedule_recv_reduce(struct mpj_schedule_builder *b, int peer, unsigned bit,
                             struct mpj_operand aside, struct mpj_operand dst, int ndeps,
                             const int deps[]);
int mpj_schedule_copy(struct mpj_schedule_builder *b, struct mpj_operand src,
                      struct mpj_operand dst, int ndeps, const int deps[]);
int mpj_schedule_reduce(struct mpj_schedule_builder *b, struct mpj_operand src,
                        struct mpj_operand dst, int ndeps, const int deps[]);
/* Move it as the verdict says. */
int mpj_schedule_send_by(struct mpj_schedule_builder *b, int peer, unsigned bit,
                         struct mpj_operand src, struct mpj_operand verdict);
/* src: a buffer, a verdict, or none. */
int mpj_schedule_judge(struct mpj_schedule_builder *b, struct mpj_operand src,
                       struct mpj_operand verdict);
/* Let the send laid down last, of what `post` posts, do nothing if that was possible. */
void mpj_schedule_unless_posted(struct mpj_schedule_builder *b, int send, int post);

/* End the building; the builder is gone. On MPJ_SUCCESS *schedule is the
 * caller's (mpj_schedule_free). Errors: MPJ_ERR_NO_MEM, MPJ_ERR_UNSUPPORTED
 * (more than MPJ_STEPS_MAX steps, or a bit beyond MPJ_ARRIVALS_MOST). */
int mpj_schedule_finish(struct mpj_schedule_builder *b, struct mpj_schedule **schedule);
void mpj_schedule_drop(struct mpj_schedule *schedule); /* one that nobody shares, without plans */

#endif
