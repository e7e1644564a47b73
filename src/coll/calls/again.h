/* This header declares how a blocking call that was made before, with the same arguments but
 * the buffers' addresses, goes straight to the operation that it was: its arguments need not be
 * looked at again, as what was right remains so.
 *
 * What is compared: the operation, root, communicator, op and the types that are significant on
 * this rank, these by handle and tag, so that a type which was freed is none. */
#ifndef MPJ_SRC_COLL_CALLS_AGAIN_H
#define MPJ_SRC_COLL_CALLS_AGAIN_H

#include "base/hot.h"
#include "coll/calls/collective.h"

/* Such a call, as it is kept with its choice (schedule_cache.c). */
struct mpj_before {
  bool known;
  bool significant[2]; /* the receive and the send type, which are, if so: */
  MPJ_Datatype handles[2];
  uint32_t tags[2]; /* 0 for basic types */
  MPJ_Op op;
  struct mpj_call call; /* but for the addresses */
};

/* A choice that has been made lately, its schedule in the cache, and a call that made it. */
struct mpj_remembered {
  struct mpj_choice choice;
  struct mpj_schedule *schedule; /* in the cache; NULL: none */
  uint64_t dropped; /* schedules that the cache had dropped by then: is it more now, this may be
                       among them */
  struct mpj_before before;
  uint8_t untagged; /* calls since, with types that have no tag */
};

bool mpj_choice_equal(const struct mpj_choice *a, const struct mpj_choice *b);

/* What is remembered in the place for such choices, or NULL: nothing. */
MPJ_HOT struct mpj_remembered *mpj_schedule_remembered(struct mpj_comm *comm,
                                                       enum mpj_operation operation, int root);

/* The schedule of this choice: the rules are asked unless an equal one was made lately. */
int mpj_schedule_for(struct mpj_comm *comm, const struct mpj_choice *choice,
                     struct mpj_schedule **schedule);

/* Run the call if it is one; *status is what it returns. Else nothing has been done. */
MPJ_HOT bool mpj_again(const struct mpj_arguments *a, int *status);

#endif
