/* This file lists what happens when ranks do not call the same collectives, or
 * with different roots: every rank gets MPJ_ERR_COMM, in that call or in one of
 * the next, and from then on in every call. */
#include <mpj/mpj.h>

#include "coll/cases.h"

enum { MOST_RANKS = 64, CALLS = 100 };

#define WORLD MPJ_COMM_WORLD

enum what { A_BARRIER, A_BCAST, A_GATHER, A_SCATTER };

static int call(const struct ranks *r, enum what what, int root)
{
  int all[MOST_RANKS] = {0}, mine = r->rank, status = MPJ_ERR_INTERNAL;
  MPJ_Datatype parts;
  MPJ_Type_contiguous(r->size, MPJ_INT, &parts);
  MPJ_Type_commit(&parts);
  if (what == A_BARRIER) status = MPJ_Barrier(WORLD);
  if (what == A_BCAST) status = MPJ_Bcast(&mine, MPJ_INT, root, WORLD);
  if (what == A_GATHER) status = MPJ_Gather(&mine, MPJ_INT, all, parts, root, WORLD);
  if (what == A_SCATTER) status = MPJ_Scatter(all, parts, &mine, MPJ_INT, root, WORLD);
  MPJ_Type_free(&parts);
  return status;
}

/* The odd call, then good ones until they fail. A rank that had done its part
 * may see the odd call succeed; but it hears of the disorder. */
static int expect_disorder(const struct ranks *r, enum what what, int root)
{
  int status = call(r, what, root);
  for (int i = 0; i < CALLS && status == MPJ_SUCCESS; i++)
    status = call(r, i % 2 ? A_BARRIER : A_GATHER, i % r->size);
  int failed = EXPECT(status, MPJ_ERR_COMM, "");
  failed += EXPECT(MPJ_Barrier(WORLD), MPJ_ERR_COMM, "comm has been broken");
  failed += EXPECT(call(r, A_BCAST, 0), MPJ_ERR_COMM, "comm has been broken");
  return failed;
}

#define DIFFERENT(name, first, second)                                                             \
  static int name(const struct ranks *r)                                                           \
  {                                                                                                \
    return expect_disorder(r, r->rank == 1 ? (second) : (first), 0);                               \
  }
DIFFERENT(barrier_against_bcast, A_BARRIER, A_BCAST)
DIFFERENT(barrier_against_gather, A_BARRIER, A_GATHER)
DIFFERENT(barrier_against_scatter, A_BARRIER, A_SCATTER)
DIFFERENT(bcast_against_barrier, A_BCAST, A_BARRIER)
DIFFERENT(bcast_against_gather, A_BCAST, A_GATHER)
DIFFERENT(bcast_against_scatter, A_BCAST, A_SCATTER)
DIFFERENT(gather_against_barrier, A_GATHER, A_BARRIER)
DIFFERENT(gather_against_bcast, A_GATHER, A_BCAST)
DIFFERENT(gather_against_scatter, A_GATHER, A_SCATTER)
DIFFERENT(scatter_against_barrier, A_SCATTER, A_BARRIER)
DIFFERENT(scatter_against_bcast, A_SCATTER, A_BCAST)
DIFFERENT(scatter_against_gather, A_SCATTER, A_GATHER)

#define ROOTS(name, what)                                                                          \
  static int name##_to_itself(const struct ranks *r)                                               \
  {                                                                                                \
    return expect_disorder(r, (what), r->rank);                                                    \
  }                                                                                                \
  static int name##_to_the_next(const struct ranks *r)                                             \
  {                                                                                                \
    return expect_disorder(r, (what), (r->rank + 1) % r->size);                                    \
  }                                                                                                \
  static int name##_of_one_to_another(const struct ranks *r)                                       \
  {                                                                                                \
    return expect_disorder(r, (what), r->rank == r->size - 1);                                     \
  }
ROOTS(bcast, A_BCAST)
ROOTS(gather, A_GATHER)
ROOTS(scatter, A_SCATTER)

/* One rank calls a collective less than the others. */
static int one_call_is_missing(const struct ranks *r)
{
  if (r->rank == 1) return expect_disorder(r, A_BARRIER, 0);
  const int status = call(r, A_BCAST, 0);
  if (status != MPJ_SUCCESS) return EXPECT(status, MPJ_ERR_COMM, "");
  return expect_disorder(r, A_BARRIER, 0);
}

#define CASE(name)                                                                                 \
  {                                                                                                \
    #name, name, true                                                                              \
  }
const struct wrong_case order_cases[] = {
    CASE(barrier_against_bcast),   CASE(barrier_against_gather), CASE(barrier_against_scatter),
    CASE(bcast_against_barrier),   CASE(bcast_against_gather),   CASE(bcast_against_scatter),
    CASE(gather_against_barrier),  CASE(gather_against_bcast),   CASE(gather_against_scatter),
    CASE(scatter_against_barrier), CASE(scatter_against_bcast),  CASE(scatter_against_gather),
    CASE(bcast_to_itself),         CASE(bcast_to_the_next),      CASE(bcast_of_one_to_another),
    CASE(gather_to_itself),        CASE(gather_to_the_next),     CASE(gather_of_one_to_another),
    CASE(scatter_to_itself),       CASE(scatter_to_the_next),    CASE(scatter_of_one_to_another),
    CASE(one_call_is_missing),     {NULL, NULL, false}};
