/* This file tests that sums of doubles have the same bits from run to run: in whatever order the
 * ranks come, and in whatever form a schedule is run. */
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <mpj/array.h>
#include <mpj/mpj.h>

#include "base/suite.h"

enum { RANKS = 6, N = 60, NAMED = 200, ROOM = 256 };

/* Ranks begin a run one after another: the lowest first, the highest first, or as they come. */
enum order { RISING, FALLING, AS_THEY_COME, ORDERS };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };
static atomic_int turn;

/* Schedules that combine: many ranks' elements, ghosts on a ring, copies of a target. */
enum kind { SCATTER, GHOSTS, COPIES, JOINED, KINDS };

static int wait_for_turn(enum order order, int rank)
{
  const int mine = order == RISING ? rank : RANKS - 1 - rank;
  int status = MPJ_Barrier(MPJ_COMM_WORLD);
  if (rank == 0) atomic_store(&turn, 0);
  if (!status) status = MPJ_Barrier(MPJ_COMM_WORLD);
  while (order != AS_THEY_COME && !status && atomic_load(&turn) < mine)
    sched_yield();
  return status;
}

/* Of magnitudes so unlike that each order of a sum has bits of its own. */
static void fill(double *values, int rank, int salt)
{
  for (int i = 0; i < ROOM; i++)
    values[i] = ldexp(1 + sin(1 + i + 300 * rank + 7 * salt), (i * 5 + rank * 11) % 40);
}

static int run(MPJ_Schedule s, enum form form, enum order order, int rank, void *from,
               const void *to)
{
  MPJ_Request request;
  int status = MPJ_SUCCESS;
  if (form == PERSISTENT) status = MPJ_Schedule_backward_init(s, from, to, MPJ_SUM, &request);
  if (!status) status = wait_for_turn(order, rank);
  if (status) return status;
  if (form == BLOCKING) {
    atomic_fetch_add(&turn, 1);
    return MPJ_Schedule_backward(s, from, to, MPJ_SUM);
  }
  status = form == NONBLOCKING ? MPJ_Schedule_ibackward(s, from, to, MPJ_SUM, &request)
                               : MPJ_Start(&request);
  atomic_fetch_add(&turn, 1);
  if (!status) status = MPJ_Wait(&request);
  return form == PERSISTENT && !status ? MPJ_Request_free(&request) : status;
}

static int make(int rank, MPJ_Schedule s[KINDS])
{
  const int ring[1] = {RANKS}, pairs[2] = {2, RANKS / 2};
  const MPJ_Axis blocks = {.size = N, .distribute = MPJ_DISTRIBUTE_BLOCK};
  const MPJ_Axis ghosts = {.size = N,
                           .distribute = MPJ_DISTRIBUTE_BLOCK,
                           .periodic = 1,
                           .ghost_low = N,
                           .ghost_high = N};
  const MPJ_Axis dealt = {.size = N, .distribute = MPJ_DISTRIBUTE_CYCLIC};
  MPJ_Count index[NAMED];
  MPJ_Array a[3];
  const MPJ_Comm world = MPJ_COMM_WORLD;
  for (int i = 0; i < NAMED; i++)
    index[i] = (i * i + 3 * rank) % 17 * (N / 17);
  int status = MPJ_Array_create(1, &blocks, 1, ring, MPJ_ORDER_C, MPJ_DOUBLE, world, &a[0]);
  if (!status)
    status = MPJ_Array_create(1, &ghosts, 1, ring, MPJ_ORDER_C, MPJ_DOUBLE, world, &a[1]);
  if (!status)
    status = MPJ_Array_create(1, &dealt, 2, pairs, MPJ_ORDER_C, MPJ_DOUBLE, world, &a[2]);
  if (!status) status = MPJ_Subscript_create(a[0], NAMED, index, NULL, &s[SCATTER]);
  if (!status) status = MPJ_Halo_create(a[0], a[1], NULL, NULL, 1, &s[GHOSTS]);
  if (!status) status = MPJ_Remap_create(a[0], NULL, a[2], NULL, NULL, &s[COPIES]);
  if (!status) status = MPJ_Schedule_join(JOINED, s, &s[JOINED]);
  for (int i = 0; i < 3 && !status; i++)
    MPJ_Array_free(&a[i]);
  return status;
}

/* What the runs of a schedule, each in another form and order, make of the same data. */
static int compare(MPJ_Schedule s, enum kind kind, int rank)
{
  static _Thread_local double from[JOINED][ROOM], to[JOINED][ROOM], first[JOINED][ROOM];
  void *froms[JOINED];
  const void *tos[JOINED];
  for (int i = 0; i < JOINED; i++) {
    fill(to[i], rank, 10 + i);
    froms[i] = from[i];
    tos[i] = to[i];
  }
  for (int k = 0; k < FORMS * ORDERS; k++) {
    for (int i = 0; i < JOINED; i++)
      fill(from[i], rank, i);
    const bool joined = kind == JOINED;
    const int status =
        run(s, (enum form)(k / ORDERS), (enum order)(k % ORDERS), rank,
            joined ? (void *)froms : from[kind], joined ? (const void *)tos : to[kind]);
    if (status) return status;
    if (k == 0) memcpy(first, from, sizeof first);
    if (memcmp(first, from, sizeof first) != 0) return -1 - (int)kind;
  }
  return MPJ_SUCCESS;
}

static int play(void *bound)
{
  MPJ_Schedule s[KINDS];
  int rank;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  int status = make(rank, s);
  if (bound && !status) status = MPJ_Schedule_limit(s[JOINED], *(const MPJ_Count *)bound);
  for (int k = 0; k < KINDS && !status; k++)
    status = compare(s[k], (enum kind)k, rank);
  for (int k = 0; k < KINDS && !status; k++)
    status = MPJ_Schedule_free(&s[k]);
  return status;
}

START_TEST(sums_have_the_same_bits_in_whatever_order_ranks_come)
{
  ck_assert_int_eq(MPJ_Run_threads(RANKS, play, NULL), 0);
}
END_TEST

START_TEST(sums_in_rounds_have_the_same_bits_in_whatever_order_ranks_come)
{
  MPJ_Count bound = 4096;
  ck_assert_int_eq(MPJ_Run_threads(RANKS, play, &bound), 0);
}
END_TEST

int main(void)
{
  return RUN_SUITE("array_same_bits", sums_have_the_same_bits_in_whatever_order_ranks_come,
                   sums_in_rounds_have_the_same_bits_in_whatever_order_ranks_come);
}
