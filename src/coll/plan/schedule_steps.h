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
const struct mpj_part_list *mpj_schedule_list(const struct mpj_schedule_builder *b, int k);
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
/* n things of `size` bytes, zeros, that last until the schedule is finished. NULL: there is no
 * memory, which has been remembered. */
void *mpj_schedule_room(struct mpj_schedule_builder *b, int n, size_t size);
/* Let the operation not wait for ever for verdicts of others. */
void mpj_schedule_gives_up(struct mpj_schedule_builder *b);
/* Let the send laid down last, of what `post` posts, do nothing if that was possible. */
void mpj_schedule_unless_posted(struct mpj_schedule_builder *b, int send, int post);
/* Let the recv laid down last look for what its peer may have posted. */
void mpj_schedule_may_be_posted(struct mpj_schedule_builder *b, int recv);
/* Let `step`, the one laid down last, also depend on `before`. */
void mpj_schedule_after(struct mpj_schedule_builder *b, int step, int before);
/* A new temporary, sized and signed like an operand that is not one itself. */
struct mpj_operand mpj_schedule_temporary(struct mpj_schedule_builder *b, struct mpj_operand like);
/* A new bundle: data of any sizes, each piece under a tag, that travels as one
 * message, so that a rank can pass on what it does not know the sizes of.
 *   copy  from a buffer to mpj_operand_records(bundle, tag, 1): adds a record
 *   copy  from records of a bundle to another bundle: adds them
 *   copy  from a bundle's record to a buffer: the signatures are compared
 *   send, recv  the whole bundle */
struct mpj_operand mpj_schedule_bundle(struct mpj_schedule_builder *b);
/* A new verdict: yes or no, that judge steps set, and messages bring. */
struct mpj_operand mpj_schedule_verdict(struct mpj_schedule_builder *b);
/* Make the building fail with this code (its detail has been set). */
void mpj_schedule_fail(struct mpj_schedule_builder *b, int status);

/* End the building; the builder is gone. On MPJ_SUCCESS *schedule is the
 * caller's (mpj_schedule_free). Errors: MPJ_ERR_NO_MEM, MPJ_ERR_UNSUPPORTED
 * (more than MPJ_STEPS_MAX steps, or a bit beyond MPJ_ARRIVALS_MOST). */
int mpj_schedule_finish(struct mpj_schedule_builder *b, struct mpj_schedule **schedule);
void mpj_schedule_drop(struct mpj_schedule *schedule); /* one that nobody shares, without plans */

#endif
