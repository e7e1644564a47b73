/* This header declares flows: schedules laid down as a sequence of sends,
 * receives, copies and reductions, whose dependencies follow from the data. A
 * step depends on the earlier ones that wrote what it reads, and on those that
 * read or wrote what it writes; steps that touch different data are free to run in
 * any order. So an algorithm is written as if it ran one line after another.
 *
 * Two stretches of an operand that is cut alike touch if they overlap; what is cut
 * in different ways counts as touching. Threads: the caller's. */
#ifndef MPJ_SRC_COLL_PLAN_FLOW_H
#define MPJ_SRC_COLL_PLAN_FLOW_H

#include "coll/comm/comm.h"

/* Cost: a step that touches one part, or one temporary, is compared with those that touch the same,
 * and with those that touch more than one part of its buffer; other steps with all of their buffer.
 */
struct mpj_access {
  struct mpj_operand what; /* of no buffer: it is no access any more */
  int step;
  bool writes;
  int next; /* of its chain; -1: none */
};

struct mpj_flow {
  const struct mpj_comm *comm;
  struct mpj_schedule_builder *b;
  unsigned variant;
  unsigned names;              /* those of the phases that have begun */
  int awaited;                 /* the last await or meet; -1: none */
  bool aliased;                /* send and receive buffer share memory: they count as touching */
  struct mpj_access *accesses; /* [room] that a later step may have to wait for */
  int *chains;                 /* [2 room] the first of those whose places have this hash, or -1 */
  int naccesses, room, vacant; /* vacant: chain of those that are none any more */
};

/* Zeroed but for the first three. Nothing fails here: the builder remembers. */
static inline struct mpj_flow mpj_flow_begin(const struct mpj_comm *comm,
                                             struct mpj_schedule_builder *b, unsigned variant)
{
  return (struct mpj_flow){.comm = comm, .b = b, .variant = variant, .awaited = -1};
}
/* Free what the flow keeps; the steps stay laid down. */
void mpj_flow_end(struct mpj_flow *flow);
/* Input and result of a call that is in place touch, whichever buffers name them. */
static inline void mpj_flow_alias(struct mpj_flow *flow)
{
  flow->aliased = flow->variant & MPJ_VARIANT_IN_PLACE;
  flow->variant &= ~(unsigned)MPJ_VARIANT_IN_PLACE;
}

/* Begin a phase: a group of messages, each rank of which receives `most` at most. All ranks begin
 * the same phases in the same order, each with the same `most`, which follows from what all know;
 * so a phase that has no room any more (MPJ_ARRIVALS_MOST names in all) has none on any rank, and
 * another algorithm runs. */
unsigned mpj_flow_phase(struct mpj_flow *flow, int64_t most);
/* The same of signals, for which there are fewer names (MPJ_BITS_MAX). */
unsigned mpj_flow_signals(struct mpj_flow *flow, int64_t most);
/* The phase that is begun first. */
enum { MPJ_FIRST_PHASE = 0 };

/* The name of message `index` of a phase, 1 .. most: sender and receiver call it with the same
 * arguments, and a receiver's messages of one phase differ in `index`. */
static inline unsigned mpj_name(unsigned phase, int index)
{
  return phase + (unsigned)index;
}
/* Where one comes from each rank: the index is the distance, 1 .. size - 1. */
static inline unsigned mpj_name_between(const struct mpj_flow *flow, unsigned phase, int source,
                                        int receiver)
{
  return phase + mpj_distance_bit(source, receiver, flow->comm->size);
}

/* Lay down a step; its number is returned (see coll/plan/schedule.h). Operands of no
 * data (MPJ_BUFFER_NONE) are for empty messages. */
int mpj_flow_send(struct mpj_flow *flow, int peer, unsigned name, struct mpj_operand src);
int mpj_flow_send_by(struct mpj_flow *flow, int peer, unsigned name, struct mpj_operand src,
                     struct mpj_operand verdict);
int mpj_flow_recv(struct mpj_flow *flow, int peer, unsigned name, struct mpj_operand dst);
int mpj_flow_recv_reduce(struct mpj_flow *flow, int peer, unsigned name, struct mpj_operand aside,
                         struct mpj_operand dst);
int mpj_flow_copy(struct mpj_flow *flow, struct mpj_operand src, struct mpj_operand dst);
int mpj_flow_reduce(struct mpj_flow *flow, struct mpj_operand src, struct mpj_operand dst);
int mpj_flow_judge(struct mpj_flow *flow, struct mpj_operand src, struct mpj_operand verdict);

/* Signals carry no data. A signal says that all that was awaited before has come, and so does an
 * await or a meeting, for those behind it. */
void mpj_flow_signal(struct mpj_flow *flow, int peer, unsigned name);
void mpj_flow_await(struct mpj_flow *flow, int peer, unsigned name);
void mpj_flow_meet(struct mpj_flow *flow, int home);

/* Data for several ranks: post it, and send it to each unless the post was possible; who receives
 * it looks for a post, too. A schedule has one post. */
int mpj_flow_post(struct mpj_flow *flow, struct mpj_operand src);
void mpj_flow_send_unless(struct mpj_flow *flow, int peer, unsigned name, struct mpj_operand src,
                          int post);
static inline void mpj_flow_may_be_posted(struct mpj_flow *flow, int recv)
{
  mpj_schedule_may_be_posted(flow->b, recv);
}

/* Let a step also wait for an earlier one, whatever they touch. */
static inline void mpj_flow_after(struct mpj_flow *flow, int step, int before)
{
  mpj_schedule_after(flow->b, step, before);
}

/* Operands and memory of the schedule (schedule.h). */
static inline struct mpj_operand mpj_flow_temporary(struct mpj_flow *flow, struct mpj_operand like)
{
  return mpj_schedule_temporary(flow->b, like);
}
static inline struct mpj_operand mpj_flow_bundle(struct mpj_flow *flow)
{
  return mpj_schedule_bundle(flow->b);
}
static inline struct mpj_operand mpj_flow_verdict(struct mpj_flow *flow)
{
  return mpj_schedule_verdict(flow->b);
}
static inline void *mpj_flow_room(struct mpj_flow *flow, int n, size_t size)
{
  return mpj_schedule_room(flow->b, n, size);
}
static inline const struct mpj_part_list *mpj_flow_list(const struct mpj_flow *flow, int k)
{
  return mpj_schedule_list(flow->b, k);
}
static inline void mpj_flow_gives_up(struct mpj_flow *flow)
{
  mpj_schedule_gives_up(flow->b);
}
static inline void mpj_flow_fail(struct mpj_flow *flow, int status)
{
  mpj_schedule_fail(flow->b, status);
}

#endif
