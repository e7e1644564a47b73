/* This header declares plans: a schedule bound to a call's types, so that its steps run without
 * a look at them: what moves, from which distance of which buffer, under which header.
 *
 * The data of all steps is dense at both ends, and no longer than goes within a message or in an
 * early-arrival slot. A plan's steps are listed in an order in which no step that waits comes
 * before one that could have run.
 *
 *   state     event                                             next
 *   UNBOUND   the second call in a row with the same types      BOUND, if all data fits
 *   BOUND     a call with others, twice in a row                BOUND to those, or UNBOUND */
#ifndef MPJ_SRC_COLL_PLAN_PLAN_H
#define MPJ_SRC_COLL_PLAN_PLAN_H

#include "base/hot.h"
#include "coll/comm/comm.h"
#include "pack/reduce/reduce.h"

struct mpj_plan_step {
  uint8_t kind; /* enum mpj_step_kind */
  uint8_t bit;
  bool posted;                     /* as in the schedule's step */
  bool combines;                   /* a recv step that does */
  uint8_t from, to;                /* enum mpj_buffer */
  uint16_t from_number, to_number; /* of TEMP */
  uint16_t number;                 /* in the schedule */
  int32_t peer;
  uint32_t bytes;
  MPJ_Aint from_at, to_at; /* bytes from the buffers' addresses, or in the temporary */
  uint64_t rest[3];        /* of its message's header, all but communicator and sequence */
};

/* Two types match a plan if they have the same layout and their parts have the same sizes. A
 * program may therefore create its types anew for each call without losing the plan. */
struct mpj_alike {
  struct mpj_layout *layout; /* dense; owned; NULL: only the tag tells */
  MPJ_Aint displ;
  MPJ_Count parts; /* all even */
};

enum { MPJ_PLAN_TEMPORARIES = 8 };
struct mpj_plan {
  bool bound;
  uint32_t binding; /* another number each time that it is bound, from 1 on */
  bool uses[2];     /* the receive and the send buffer */
  uint32_t tag[2];  /* of their types, if used; or: */
  struct mpj_alike alike[2];
  int reduce;      /* of the call */
  uint64_t met[2]; /* hashes of the layouts of the last call that it did not match */
  uint8_t again;   /* calls with these since */
  mpj_reduce_kernel *kernel;
  MPJ_Count unit; /* bytes of an element */
  unsigned ntemporaries;
  struct {
    uint16_t number; /* in the schedule */
    uint32_t bytes;
  } temporaries[MPJ_PLAN_TEMPORARIES];
  struct mpj_plan_step steps[]; /* [the schedule's nsteps], in the order of running */
};

/* The place for a schedule's plan, or NULL: it cannot have one, or there is no memory. Owned;
 * mpj_plan_free, which lets NULL pass. */
struct mpj_plan *mpj_plan_new(const struct mpj_schedule *schedule);
void mpj_plan_free(struct mpj_plan *plan);

/* An operation that does not match its schedule's plan runs in `slot`: bind the plan if that is
 * called for. */
MPJ_ASIDE void mpj_plan_learn(struct mpj_comm *comm, struct mpj_slot *slot);

/* Whether it is bound to what this call is made with. */
MPJ_HOT bool mpj_plan_is_for(const struct mpj_plan *plan, const struct mpj_call *call);

#endif
