/* This header declares what flat algorithms do with data that goes from one rank to all:
 * post it where that is possible, else send it to each. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_TO_ALL_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_TO_ALL_H

#include "coll/comm/comm.h"

/* Whether it is worth while here to look for posts: alike on all ranks. */
bool mpj_may_post(const struct mpj_comm *comm);

/* Let all other ranks have `what`; to those to whom it is sent, the next rank first. */
void mpj_send_to_all(const struct mpj_comm *comm, struct mpj_schedule_builder *b,
                     struct mpj_operand what, int ndeps, const int deps[]);

/* Receive what `peer` lets all have, by the bit of its distance. Returns the step.
 */
int mpj_recv_from(const struct mpj_comm *comm, struct mpj_schedule_builder *b, int peer,
                  struct mpj_operand place, int ndeps, const int deps[]);

#endif
