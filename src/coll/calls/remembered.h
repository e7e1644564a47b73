/* This header declares what is remembered of the calls of a communicator: choices that were made
 * lately, and calls that made them. */
#ifndef MPJ_SRC_COLL_CALLS_REMEMBERED_H
#define MPJ_SRC_COLL_CALLS_REMEMBERED_H

#include "base/hot.h"
#include "coll/select/select.h"

/* Such a call, as it is kept with its choice (remembered.c). */
struct mpj_before {
  bool known;
  bool significant[2]; /* the receive and the send type, which are, if so: */
  MPJ_Datatype handles[2];
  uint32_t tags[2]; /* 0 for basic types */
  MPJ_Op op;
  uintptr_t apart;      /* sendbuf less recvbuf, where the data of both begins at one address */
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

#endif
