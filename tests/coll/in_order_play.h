/* This header declares what tests of requests whose operations run in order have in common: the
 * sums that they begin, and whether these are in order. */
#ifndef MPJ_TESTS_COLL_IN_ORDER_PLAY_H
#define MPJ_TESTS_COLL_IN_ORDER_PLAY_H

#include "coll/calls/request.h"
#include "coll/engine_play.h"

enum { TIMES = 30, LATE_MS = 3 };

static inline unsigned roll(unsigned *seed)
{
  *seed = *seed * 1103515245 + 12345;
  return *seed >> 16;
}

/* Some time, mostly none. */
static inline void dawdle(unsigned *seed)
{
  const unsigned dice = roll(seed);
  const double until = MPJ_Wtime() + (dice % 64 == 0 ? LATE_MS * 1e-3 : 1e-6 * (dice % 4));
  while (MPJ_Wtime() < until)
    ;
}

static inline int value(int rank, int time)
{
  return 1000 * time + rank + 1;
}

static inline int sum(int p, int time)
{
  int all = 0;
  for (int rank = 0; rank < p; rank++)
    all += value(rank, time);
  return all;
}

static inline bool is_in_order(MPJ_Request r)
{
  return r->state == MPJ_REQUEST_ACTIVE && !r->slot->listed;
}

/* Begun in order; it may have ended since. */
static inline bool is_quick(MPJ_Request r)
{
  return r->state == MPJ_REQUEST_DONE || is_in_order(r);
}

static inline int finish(MPJ_Request *r, bool tests)
{
  int done = 0, status = MPJ_SUCCESS;
  if (!tests) return MPJ_Wait(r);
  while (!done && status == MPJ_SUCCESS)
    status = MPJ_Test(r, &done);
  return status;
}

/* One persistent sum on a communicator of its own, started so often that it is quick. */
struct party {
  MPJ_Comm comm;
  MPJ_Request request;
  int in, out, time;
};

static inline int start(struct party *a)
{
  a->in = value(world()->rank, ++a->time);
  a->out = 0;
  return MPJ_Start(&a->request);
}

static inline int end(struct party *a, bool tests)
{
  NEED(!finish(&a->request, tests));
  NEED(a->out == sum(world()->size, a->time));
  return 0;
}

static inline int open_party(struct party *a)
{
  a->time = 0;
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &a->comm));
  NEED(!MPJ_Allreduce_init(&a->in, MPJ_INT, &a->out, MPJ_INT, MPJ_SUM, a->comm, &a->request));
  for (int time = 0; time < 5; time++)
    NEED(!start(a) && !end(a, false));
  return 0;
}

static inline int close_party(struct party *a)
{
  NEED(!MPJ_Request_free(&a->request));
  return MPJ_Comm_free(&a->comm);
}

#endif
