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
 * and with those that touch more than one part of its buffer; other steps with all of their buffer. */
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
  bool aliased;                /* send and receive buffer share memory: they count as touching */
  struct mpj_access *accesses; /* [room] that a later step may have to wait for */
  int *chains;                 /* [2 room] the first of those whose places have this hash, or -1 */
  int naccesses, room, vacant; /* vacant: chain of those that are none any more */
};

/* Zeroed but for the first three. Nothing fails here: the builder remembers. */
static inline struct mpj_flow mpj_flow_begin(const struct mpj_comm *comm,
                                             struct mpj_schedule_builder *b, unsigned variant)
{
  return (struct mpj_flow){.comm = comm, .b = b, .variant = variant};
}
/* Free what the flow keeps; the steps stay laid down. Returns MPJ_SUCCESS. */
int mpj_flow_end(struct mpj_flow *flow);

/* Lay down a step; its number is returned (see coll/plan/schedule.h). Operands of no
 * data (MPJ_BUFFER_NONE) are for empty messages. */
int mpj_flow_send(struct mpj_flow *flow, int peer, unsigned bit, struct mpj_operand src);
int mpj_flow_send_by(struct mpj_flow *flow, int peer, unsigned bit, struct mpj_operand src,
                     struct mpj_operand verdict);
int mpj_flow_recv(struct mpj_flow *flow, int peer, unsigned bit, struct mpj_operand dst);
int mpj_flow_recv_reduce(struct mpj_flow *flow, int peer, unsigned bit, struct mpj_operand aside,
                         struct mpj_operand dst);
int mpj_flow_copy(struct mpj_flow *flow, struct mpj_operand src, struct mpj_operand dst);
int mpj_flow_reduce(struct mpj_flow *flow, struct mpj_operand src, struct mpj_operand dst);
int mpj_flow_judge(struct mpj_flow *flow, struct mpj_operand src, struct mpj_operand verdict);

#endif
