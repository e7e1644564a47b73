/* This header declares plans: a schedule bound to the types of a call, once, so that its steps run
 * without a look at them: what moves, from where to where, in which way, under which header.
 *
 * A plan is of the layouts that its call had, and where their parts are used of these too, not of
 * handles or addresses: a program that makes its types anew for each call has the same plan all the
 * time. A schedule keeps those of its last calls, MPJ_PLANS_KEPT at most besides those that are in
 * use; who is least recently used goes first. One that ranks share (shared.h) keeps all.
 * Cost: time and memory in proportion to the schedule's steps. */
#ifndef MPJ_SRC_COLL_PLAN_PLAN_H
#define MPJ_SRC_COLL_PLAN_PLAN_H

#include "base/hot.h"
#include "coll/run/control.h"
#include "pack/reduce/reduce.h"

/* PLAIN_COPY: up to here a copy between dense ends needs no cursor. */
enum { MPJ_PLANS_KEPT = 4, MPJ_PLAIN_COPY_BYTES = 4096 };

/* One end of a step: a stretch of a buffer, a temporary or a bundle. */
struct mpj_end {
  uint32_t buffer : 8;  /* enum mpj_buffer; NONE: there is nothing at this end */
  uint32_t dense : 1;   /* else it is a stretch of a view */
  uint32_t number : 23; /* of TEMP and BUNDLE */
  uint32_t view;        /* its place in `views`, unless dense */
  MPJ_Aint at;          /* bytes from the buffer's address; in a view's packed stream */
};
static_assert(sizeof(struct mpj_end) == 16, "two of them are a third of a step");

struct mpj_plan_step {
  uint32_t kind : 4;      /* enum mpj_step_kind */
  uint32_t way : 2;       /* enum mpj_arrival_kind of its message: INLINE, EAGER, ADVERT */
  uint32_t posted : 1;    /* as in the schedule's step */
  uint32_t combines : 1;  /* a recv step that does */
  uint32_t unfit : 1;     /* a copy step between unlike signatures */
  uint32_t plain : 1;     /* a send step that may go by a mark; a short copy between dense ends */
  uint32_t verdict : 1;   /* a send step of a verdict */
  uint32_t had_place : 1; /* a recv step that combines: it has had its temporary once */
  uint32_t bit : MPJ_ARRIVALS_BITS;
  int32_t peer; /* -1: none */
  MPJ_Count bytes;
  struct mpj_end from, to; /* a recv step that combines: from is the temporary aside */
  uint64_t rest[3];        /* of its message's header, all but communicator and sequence */
};

/* A type that a call was made with. */
struct mpj_plan_type {
  struct mpj_layout *layout; /* owned; NULL: it had none */
  struct mpj_parts *parts;   /* owned; NULL: they do not matter */
  MPJ_Aint displ;
  bool in_place; /* its buffer was MPJ_IN_PLACE */
};

struct mpj_plan {
  struct mpj_plan *next;         /* of its schedule, in the order of the last use */
  unsigned users;                /* operations under way that run it */
  struct mpj_plan_type types[2]; /* the receive and the send type */
  int reduce;                    /* of the call, as the next three */
  bool by_user;
  struct mpj_layout *temp; /* a basic type's; or NULL */
  MPJ_Count unit;
  mpj_reduce_kernel *kernel; /* for dense ends; NULL: cursors combine */
  struct mpj_view *views;    /* owned, [nviews]; their layouts are the types' */
  unsigned nviews, views_room;
  MPJ_Count *temporaries;       /* [the schedule's] bytes of each */
  struct mpj_plan_step steps[]; /* [the schedule's nsteps] */
};

#endif
