/* This header declares the plays of distributed arrays: each makes random arrays and a schedule,
 * runs it, and returns 0, or 1 after a line on stderr. All ranks draw the same numbers. */
#ifndef MPJ_TESTS_ARRAY_PLAYS_H
#define MPJ_TESTS_ARRAY_PLAYS_H

#include <stdio.h>

#include "array/model.h"
#include "coll/runner.h"

typedef int play_fn(const struct run *run, struct mpj_random *rng);
play_fn play_remap, play_between, play_join, play_halo, play_shift, play_subscript, play_graph;
play_fn play_many, play_bounded, play_scarce, play_unlike, play_far, play_ops;
play_fn play_pending;

/* Begin it, or start it twice, and wait. */
static inline int play_request(MPJ_Request request, int begun, int persistent)
{
  int status = begun;
  if (!persistent) return status ? status : MPJ_Wait(&request);
  for (int i = 0; i < 2 && !status; i++) {
    status = MPJ_Start(&request);
    if (!status) status = MPJ_Wait(&request);
  }
  return status ? status : MPJ_Request_free(&request);
}

/* Run a schedule in one of the forms that there are: blocking, nonblocking, persistent; the last,
 * backward, with ops that may be applied twice alone. */
static inline int play_forward(MPJ_Schedule schedule, int form, const void *from, void *to)
{
  MPJ_Request r = MPJ_REQUEST_NULL;
  int status;
  if (form == 0) return MPJ_Schedule_forward(schedule, from, to);
  status = form == 1 ? MPJ_Schedule_iforward(schedule, from, to, &r)
                     : MPJ_Schedule_forward_init(schedule, from, to, &r);
  return play_request(r, status, form == 2);
}

static inline int play_backward(MPJ_Schedule schedule, int form, void *from, const void *to,
                                MPJ_Op op)
{
  MPJ_Request r = MPJ_REQUEST_NULL;
  int status;
  if (form == 0) return MPJ_Schedule_backward(schedule, from, to, op);
  if (op != MPJ_REPLACE) form = 1;
  status = form == 1 ? MPJ_Schedule_ibackward(schedule, from, to, op, &r)
                     : MPJ_Schedule_backward_init(schedule, from, to, op, &r);
  return play_request(r, status, form == 2);
}

/* Fetch-and-op in one of these forms, once. */
static inline int play_fetch(MPJ_Schedule schedule, int form, void *from, const void *to,
                             void *fetched, MPJ_Op op)
{
  MPJ_Request r = MPJ_REQUEST_NULL;
  int status;
  if (form == 0) return MPJ_Schedule_fetch_op(schedule, from, to, fetched, op);
  status = form == 1 ? MPJ_Schedule_ifetch_op(schedule, from, to, fetched, op, &r)
                     : MPJ_Schedule_fetch_op_init(schedule, from, to, fetched, op, &r);
  if (!status && form == 2) status = MPJ_Start(&r);
  if (!status) status = MPJ_Wait(&r);
  return form == 2 && !status ? MPJ_Request_free(&r) : status;
}

static inline int play_below(struct mpj_random *rng, int n)
{
  return (int)(mpj_random_next(rng) % (uint64_t)n);
}

/* Bound its scratch memory, or not; the same on all ranks. */
static inline int play_limit(struct mpj_random *rng, MPJ_Schedule schedule)
{
  MPJ_Count bytes = 100 + play_below(rng, 3000);
  if (play_below(rng, 2)) return MPJ_SUCCESS;
  int status = MPJ_Schedule_limit(schedule, bytes);
  for (; status == MPJ_ERR_ARG && bytes < 1000000; bytes *= 4) /* less than an element needs */
    status = MPJ_Schedule_limit(schedule, 4 * bytes);
  return status;
}

/* What failed, with its sentence, on stderr; 1. */
static inline int play_failed(const struct run *run, const char *what)
{
  fprintf(stderr, "rank %d: %s: %s\n", run->rank, what, MPJ_Error_detail());
  return 1;
}

/* n doubles in blocks of so many, dealt in turn; 0: one a rank. */
static inline MPJ_Array play_blocks(const struct run *run, MPJ_Count n, MPJ_Count block,
                                    MPJ_Count ghosts)
{
  const MPJ_Axis axis = {.size = n,
                         .darg = block,
                         .ghost_low = ghosts,
                         .ghost_high = ghosts,
                         .periodic = 1,
                         .distribute = block ? MPJ_DISTRIBUTE_CYCLIC : MPJ_DISTRIBUTE_BLOCK};
  MPJ_Array array = MPJ_ARRAY_NULL;
  MPJ_Array_create(1, &axis, 1, &run->size, MPJ_ORDER_C, MPJ_DOUBLE, run->comm, &array);
  return array;
}

#endif
