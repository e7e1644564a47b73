/* This file tests the cache that keeps a communicator's schedules. */
#include "base/memory.h"
#include "base/suite.h"
#include "coll/comm/comm_begin.h"
#include "coll/comm/context.h"
#include "coll/plan/flow.h"
#include "coll/plan/plan.h"
#include "coll/plan/schedule_steps.h"

static const struct mpj_operand mine = {.buffer = MPJ_BUFFER_SEND, .part = MPJ_WHOLE};
static const struct mpj_operand all = {.buffer = MPJ_BUFFER_RECV, .part = MPJ_WHOLE};

static struct mpj_context context; /* of the lone communicators */
static int builds;                 /* calls of the algorithm below */

static void one_copy(struct mpj_flow *f, int root)
{
  struct mpj_schedule_builder *b = f->b;
  (void)root;
  builds++;
  mpj_schedule_copy(b, mine, all, 0, NULL);
}

static struct mpj_schedule *cached(struct mpj_comm *comm, unsigned algorithm, int root)
{
  struct mpj_schedule *s = NULL;
  ck_assert_int_eq(
      mpj_schedule_cached(comm, MPJ_OPERATION_BCAST, algorithm, root, 0, NULL, one_copy, &s),
      MPJ_SUCCESS);
  ck_assert(s->root == root && s->algorithm == algorithm);
  return s;
}

static struct mpj_comm *lone_comm(void)
{
  struct mpj_comm *comm = mpj_alloc_array(1, sizeof *comm);
  ck_assert_ptr_nonnull(comm);
  ck_assert_int_eq(mpj_comm_begin(comm, &context, 2, 0, 2, MPJ_WINDOW, 0, 1, NULL, NULL),
                   MPJ_SUCCESS);
  builds = 0;
  return comm;
}

static void end_comm(struct mpj_comm *comm, long before)
{
  mpj_comm_end(comm);
  mpj_free(comm);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}

START_TEST(schedule_is_built_once_for_each_operation_algorithm_and_root)
{
  const long before = mpj_memory_outstanding();
  struct mpj_comm *comm = lone_comm();
  struct mpj_schedule *const a = cached(comm, 1, 0), *const b = cached(comm, 1, 1),
                             *const c = cached(comm, 2, 0);
  struct mpj_schedule *d = NULL;
  ck_assert(a != b && b != c && a != c);
  ck_assert_int_eq(mpj_schedule_cached(comm, MPJ_OPERATION_GATHER, 1, 0, 0, NULL, one_copy, &d),
                   MPJ_SUCCESS);
  ck_assert(d != a && d->operation == MPJ_OPERATION_GATHER);
  ck_assert_int_eq(builds, 4);
  ck_assert(cached(comm, 1, 0) == a && cached(comm, 1, 1) == b && cached(comm, 2, 0) == c);
  ck_assert_int_eq(builds, 4);
  end_comm(comm, before);
}
END_TEST

START_TEST(least_recently_used_schedule_that_is_idle_makes_room)
{
  const long before = mpj_memory_outstanding();
  struct mpj_comm *comm = lone_comm();
  struct mpj_schedule *first = cached(comm, 1, 0);
  for (int root = 1; root < MPJ_SCHEDULES_CACHED; root++)
    cached(comm, 1, root);
  ck_assert_ptr_eq(cached(comm, 1, 0), first); /* now 1 is the oldest, then 2 */
  struct mpj_plan busy = {.users = 1};
  struct mpj_schedule *one = cached(comm, 1, 1);
  one->plans = &busy;
  cached(comm, 1, 0);
  struct mpj_schedule *second = cached(comm, 1, 2);
  second->plans = &busy;
  ck_assert_int_eq(builds, MPJ_SCHEDULES_CACHED);
  cached(comm, 1, 1000); /* takes the place of 3: 1 and 2 are newer */
  ck_assert_int_eq(builds, MPJ_SCHEDULES_CACHED + 1);
  for (int root = 4; root < MPJ_SCHEDULES_CACHED; root++)
    cached(comm, 1, root);
  ck_assert_int_eq(builds, MPJ_SCHEDULES_CACHED + 1); /* 4 and up were still there */
  cached(comm, 1, 3); /* takes the place of 0: 1 and 2 are older or newer, but in use */
  ck_assert_int_eq(builds, MPJ_SCHEDULES_CACHED + 2);
  ck_assert_ptr_eq(cached(comm, 1, 1), one);
  one->plans = NULL;
  second->plans = NULL;
  ck_assert_ptr_eq(cached(comm, 1, 2), second);
  ck_assert_int_eq(builds, MPJ_SCHEDULES_CACHED + 2);
  cached(comm, 1, 0);
  ck_assert_int_eq(builds, MPJ_SCHEDULES_CACHED + 3);
  end_comm(comm, before);
}
END_TEST

static void nothing(struct mpj_flow *f, int root)
{
  (void)f;
  (void)root;
}

/* An operation without steps may be under way, as a request, while many others are made. */
START_TEST(schedule_without_steps_stays)
{
  const long before = mpj_memory_outstanding();
  struct mpj_comm *comm = lone_comm();
  struct mpj_schedule *empty = NULL, *again = NULL;
  ck_assert_int_eq(mpj_schedule_cached(comm, MPJ_OPERATION_BCAST, 9, 0, 0, NULL, nothing, &empty),
                   MPJ_SUCCESS);
  ck_assert_uint_eq(empty->nsteps, 0);
  for (int root = 0; root < 3 * MPJ_SCHEDULES_CACHED; root++)
    cached(comm, 1, root)->last_used = 1 + (uint64_t)root; /* all of them later than that one */
  ck_assert_uint_le(comm->schedules->ncached, MPJ_SCHEDULES_CACHED);
  ck_assert_int_eq(mpj_schedule_cached(comm, MPJ_OPERATION_BCAST, 9, 0, 0, NULL, one_copy, &again),
                   MPJ_SUCCESS);
  ck_assert_ptr_eq(again, empty);
  ck_assert_uint_eq(again->nsteps, 0);
  end_comm(comm, before);
}
END_TEST

START_TEST(schedule_that_cannot_be_built_is_not_kept)
{
  struct mpj_comm *comm = lone_comm();
  const long before = mpj_memory_outstanding();
  struct mpj_schedule *s = NULL;
  for (long successes = 0; successes < 4; successes++) {
    mpj_memory_fail_after(successes);
    const int status = mpj_schedule_cached(comm, MPJ_OPERATION_BCAST, 1, 0, 0, NULL, one_copy, &s);
    mpj_memory_fail_after(-1);
    ck_assert_int_eq(status, MPJ_ERR_NO_MEM);
    ck_assert_ptr_null(s);
    ck_assert_uint_eq(comm->schedules->ncached, 0);
    ck_assert_int_eq(mpj_memory_outstanding(), before);
  }
  cached(comm, 1, 0);
  ck_assert_uint_eq(comm->schedules->ncached, 1);
  mpj_comm_end(comm);
  mpj_free(comm);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/schedule_cache",
                   schedule_is_built_once_for_each_operation_algorithm_and_root,
                   least_recently_used_schedule_that_is_idle_makes_room,
                   schedule_without_steps_stays, schedule_that_cannot_be_built_is_not_kept);
}
