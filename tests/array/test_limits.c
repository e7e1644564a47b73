/* This file tests bounds of what runs take: which are refused, which hold then, and that runs in
 * rounds end. */
#include <stdbool.h>
#include <string.h>

#include <mpj/array.h>
#include <mpj/mpj.h>

#include "base/suite.h"

static int create(const MPJ_Axis *axis, int grid, MPJ_Array *array)
{
  return MPJ_Array_create(1, axis, 1, &grid, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, array);
}

/* One rank's bound is too small: all hear of it, and go on. */
static int limit_on_one(void *unused)
{
  const MPJ_Axis axis = {.size = 12, .distribute = MPJ_DISTRIBUTE_BLOCK};
  MPJ_Array a;
  MPJ_Schedule s;
  int rank, size, one = 1, sum = 0;
  (void)unused;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  int bad = create(&axis, size, &a);
  if (!bad) bad = MPJ_Shift_create(a, 0, 3, MPJ_EDGE_CYCLIC, &s);
  if (bad) return 1;
  if (MPJ_Schedule_limit(s, rank == 1 ? 1 : 4096) != MPJ_ERR_ARG) bad = 1;
  if (MPJ_Allreduce(&one, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD) || sum != size) bad = 1;
  if (MPJ_Schedule_limit(s, 4096)) bad = 1;
  MPJ_Schedule_free(&s);
  MPJ_Array_free(&a);
  return bad;
}

START_TEST(a_bound_that_is_too_small_on_one_rank_is_heard_of_by_all)
{
  ck_assert_int_eq(MPJ_Run_threads(3, limit_on_one, NULL), 0);
}
END_TEST

/* Whether a schedule's text says so. */
static bool prints(MPJ_Schedule s, const char *line)
{
  char text[2000];
  return !MPJ_Schedule_print(s, text, sizeof text, NULL) && strstr(text, line);
}

/* A refused limit leaves the bounds as they were, those of all members, too. */
static int refuse_a_limit(void *unused)
{
  const MPJ_Axis axis = {.size = 12, .distribute = MPJ_DISTRIBUTE_BLOCK};
  MPJ_Array doubles, bytes;
  MPJ_Schedule parts[2], joined;
  int size;
  (void)unused;
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  if (create(&axis, size, &doubles)) return __LINE__;
  if (MPJ_Array_create(1, &axis, 1, &size, MPJ_ORDER_C, MPJ_BYTE, MPJ_COMM_WORLD, &bytes))
    return __LINE__;
  if (MPJ_Shift_create(bytes, 0, 3, MPJ_EDGE_CYCLIC, &parts[0])) return __LINE__;
  if (MPJ_Shift_create(doubles, 0, 3, MPJ_EDGE_CYCLIC, &parts[1])) return __LINE__;
  if (MPJ_Schedule_join(2, parts, &joined)) return __LINE__;
  if (!prints(joined, "no bound, backward in 1 round\n")) return __LINE__;
  if (MPJ_Schedule_limit(joined, 64)) return __LINE__;
  if (!prints(joined, "bound: 32 bytes, backward in 1 round\n")) return __LINE__;
  if (!prints(parts[1], "bound: 32 bytes, backward in 3 rounds\n")) return __LINE__;
  if (MPJ_Schedule_limit(joined, 8) != MPJ_ERR_ARG) return __LINE__; /* of the doubles */
  if (!prints(parts[0], "bound: 32 bytes, backward in 1 round\n")) return __LINE__;
  if (!prints(parts[1], "bound: 32 bytes, backward in 3 rounds\n")) return __LINE__;
  if (MPJ_Schedule_limit(joined, 0)) return __LINE__;
  if (!prints(parts[1], "no bound, backward in 1 round\n")) return __LINE__;
  for (int i = 0; i < 2; i++)
    MPJ_Schedule_free(&parts[i]);
  MPJ_Schedule_free(&joined);
  MPJ_Array_free(&doubles);
  MPJ_Array_free(&bytes);
  return 0;
}

START_TEST(a_refused_limit_changes_no_bound)
{
  ck_assert_int_eq(MPJ_Run_threads(3, refuse_a_limit, NULL), 0);
}
END_TEST

/* What has broken the communicator is said by the function that the program called. */
static int limit_after_a_death(void *arg)
{
  static const char why[] = "MPJ_Schedule_limit on rank 0 needs rank 1, which";
  const MPJ_Axis axis = {.size = 12, .distribute = MPJ_DISTRIBUTE_BLOCK};
  MPJ_Array a;
  MPJ_Schedule s;
  int rank;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  if (create(&axis, 2, &a)) return __LINE__;
  if (MPJ_Shift_create(a, 0, 3, MPJ_EDGE_CYCLIC, &s)) return __LINE__;
  if (rank == 0) {
    if (MPJ_Schedule_limit(s, 4096) != MPJ_ERR_PEER) return __LINE__;
    if (strncmp(MPJ_Error_detail(), why, sizeof why - 1) != 0) return __LINE__;
    if (MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_ERR_PEER) return __LINE__;
    if (!strstr(MPJ_Error_detail(), why)) return __LINE__;
  }
  MPJ_Schedule_free(&s);
  MPJ_Array_free(&a);
  return rank == 0 ? 0 : *(int *)arg;
}

START_TEST(a_death_in_a_limit_names_the_limit)
{
  int code = -5;
  ck_assert_int_eq(MPJ_Run_threads(2, limit_after_a_death, &code), code);
}
END_TEST

/* A run of many rounds whose request is freed at once: MPJ_Finalize finishes it. */
static int leave_at_once(void *fetches)
{
  enum { N = 96 };
  const MPJ_Axis blocks = {.size = N, .distribute = MPJ_DISTRIBUTE_BLOCK};
  const MPJ_Axis cyclic = {.size = N, .distribute = MPJ_DISTRIBUTE_CYCLIC};
  MPJ_Array a[2];
  MPJ_Schedule s;
  MPJ_Request r;
  MPJ_Count held, stride;
  int rank, size;
  double from[N], to[N], fetched[N];
  for (int i = 0; i < N; i++) {
    from[i] = 1;
    to[i] = 2;
    fetched[i] = 0;
  }
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  int bad = create(&blocks, size, &a[0]) || create(&cyclic, size, &a[1]) ||
            MPJ_Array_local(a[0], rank, &held, &stride) ||
            MPJ_Remap_create(a[0], NULL, a[1], NULL, NULL, &s) || MPJ_Schedule_limit(s, 300);
  if (bad) return __LINE__;
  bad = fetches ? MPJ_Schedule_fetch_op_init(s, from, to, fetched, MPJ_SUM, &r) || MPJ_Start(&r)
                : MPJ_Schedule_ibackward(s, from, to, MPJ_SUM, &r);
  if (bad || MPJ_Request_free(&r) || MPJ_Schedule_free(&s)) return __LINE__;
  if (MPJ_Array_free(&a[0]) || MPJ_Array_free(&a[1]) || MPJ_Finalize()) return __LINE__;
  for (int i = 0; i < N; i++)
    if (from[i] != (i < held ? 3 : 1) || fetched[i] != (fetches && i < held ? 1 : 0))
      return __LINE__;
  return 0;
}

START_TEST(a_run_that_was_given_up_ends_before_its_rank_leaves)
{
  ck_assert_int_eq(MPJ_Run_threads(3, leave_at_once, NULL), 0);
  ck_assert_int_eq(MPJ_Run_threads(3, leave_at_once, ""), 0);
}
END_TEST

int main(void)
{
  return RUN_SUITE("array_limits", a_bound_that_is_too_small_on_one_rank_is_heard_of_by_all,
                   a_refused_limit_changes_no_bound, a_death_in_a_limit_names_the_limit,
                   a_run_that_was_given_up_ends_before_its_rank_leaves);
}
