/* This file states what requests are by small examples, on threads. */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <mpj/mpj.h>

#include "base/assert.h"
#include "base/suite.h"
#include "coll/calls/request.h"
#include "coll/comm/context.h"
#include "net/transport.h"

#define WORLD MPJ_COMM_WORLD

#define CHECK(fact)                                                                                \
  do {                                                                                             \
    if (!(fact)) {                                                                                 \
      fprintf(stderr, "line %d: not so: %s (%s)\n", __LINE__, #fact, MPJ_Error_detail());          \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

static int rank_of(void)
{
  int rank = -1;
  MPJ_Comm_rank(WORLD, &rank);
  return rank;
}

static void on_ranks(int n, int (*fn)(void *arg))
{
  ck_assert_int_eq(MPJ_Run_threads(n, fn, NULL), 0);
  ck_assert_uint_eq(mpj_request_live(), 0);
}

/* Ranks whose calls differ, of which one hears by its end alone; or by no call, as another one's
 * failure was heard of first. */
static void on_ranks_that_differ(int n, int (*fn)(void *arg), bool perhaps)
{
  const int status = MPJ_Run_threads(n, fn, NULL);
  ck_assert_msg(status == MPJ_ERR_COMM || (perhaps && status == 0), "%d: %s", status,
                MPJ_Error_detail());
  ck_assert_uint_eq(mpj_request_live(), 0);
}

static int null_requests(void *arg)
{
  MPJ_Request null[3] = {MPJ_REQUEST_NULL, MPJ_REQUEST_NULL, MPJ_REQUEST_NULL};
  int done = 0, index = 5, n = 5, indices[3];
  (void)arg;
  CHECK(MPJ_Wait(&null[0]) == MPJ_SUCCESS && MPJ_Waitall(3, null) == MPJ_SUCCESS);
  CHECK(MPJ_Waitall(0, NULL) == MPJ_SUCCESS);
  CHECK(MPJ_Test(&null[0], &done) == MPJ_SUCCESS && done);
  CHECK(MPJ_Waitany(3, null, &index) == MPJ_SUCCESS && index == MPJ_UNDEFINED);
  CHECK(MPJ_Testany(3, null, &index, &done) == MPJ_SUCCESS && done && index == MPJ_UNDEFINED);
  CHECK(MPJ_Waitsome(3, null, &n, indices) == MPJ_SUCCESS && n == MPJ_UNDEFINED);
  CHECK(MPJ_Testsome(3, null, &n, indices) == MPJ_SUCCESS && n == MPJ_UNDEFINED);
  CHECK(MPJ_Start(&null[0]) == MPJ_ERR_REQUEST && strstr(MPJ_Error_detail(), "request is null"));
  CHECK(MPJ_Startall(1, null) == MPJ_ERR_REQUEST && strstr(MPJ_Error_detail(), "requests[0]"));
  CHECK(MPJ_Wait(NULL) == MPJ_ERR_ARG && strstr(MPJ_Error_detail(), "request is NULL"));
  CHECK(MPJ_Request_free(&null[0]) == MPJ_ERR_REQUEST && MPJ_Request_free(NULL) == MPJ_ERR_ARG);
  CHECK(MPJ_Waitall(-1, null) == MPJ_ERR_ARG && strstr(MPJ_Error_detail(), "-1"));
  CHECK(MPJ_Waitall(1, NULL) == MPJ_ERR_ARG && MPJ_Waitany(1, null, NULL) == MPJ_ERR_ARG);
  return 0;
}

START_TEST(null_requests_are_done)
{
  on_ranks(2, null_requests);
}
END_TEST

static int life(void *arg)
{
  MPJ_Request request, stale;
  int in = rank_of(), out = -1, done = 0;
  (void)arg;
  CHECK(MPJ_Iallreduce(&in, MPJ_INT, &out, MPJ_INT, MPJ_SUM, WORLD, &request) == MPJ_SUCCESS);
  stale = request;
  while (!done)
    CHECK(MPJ_Test(&request, &done) == MPJ_SUCCESS);
  CHECK(request == MPJ_REQUEST_NULL && out == 3);
  CHECK(MPJ_Wait(&stale) == MPJ_ERR_REQUEST);
  CHECK(MPJ_Allreduce_init(&in, MPJ_INT, &out, MPJ_INT, MPJ_MAX, WORLD, &request) == MPJ_SUCCESS);
  CHECK(MPJ_Wait(&request) == MPJ_SUCCESS && out == 3); /* inactive: nothing to wait for */
  CHECK(MPJ_Start(&request) == MPJ_SUCCESS && MPJ_Start(&request) == MPJ_ERR_REQUEST);
  CHECK(MPJ_Wait(&request) == MPJ_SUCCESS && out == 2 && request != MPJ_REQUEST_NULL);
  CHECK(MPJ_Start(&request) == MPJ_SUCCESS && MPJ_Request_free(&request) == MPJ_SUCCESS);
  CHECK(request == MPJ_REQUEST_NULL && MPJ_Barrier(WORLD) == MPJ_SUCCESS);
  CHECK(MPJ_Ibarrier(WORLD, &request) == MPJ_SUCCESS && MPJ_Start(&request) == MPJ_ERR_REQUEST);
  CHECK(MPJ_Wait(&request) == MPJ_SUCCESS);
  return 0;
}

START_TEST(requests_live_until_waited_for_and_persistent_ones_until_freed)
{
  on_ranks(3, life);
}
END_TEST

static int bad_arguments(void *arg)
{
  MPJ_Request request = MPJ_REQUEST_NULL;
  int data = 7, sum = 0;
  const bool bad = rank_of() == 1;
  (void)arg;
  /* A bad argument is an error of the call that has it, and of the others' requests,
   * which need that rank's data. */
  int status = MPJ_Iallreduce(&data, bad ? MPJ_DATATYPE_NULL : MPJ_INT, &sum, MPJ_INT, MPJ_SUM,
                              WORLD, &request);
  if (bad) CHECK(status == MPJ_ERR_TYPE && request == MPJ_REQUEST_NULL);
  if (!bad) CHECK(status == MPJ_SUCCESS);
  status = MPJ_Wait(&request);
  if (!bad) CHECK(status == MPJ_ERR_TYPE && strstr(MPJ_Error_detail(), "rank 1"));
  CHECK(MPJ_Barrier_init(MPJ_COMM_NULL, &request) == MPJ_ERR_COMM);
  CHECK(MPJ_Bcast_init(&data, MPJ_INT, 9, WORLD, &request) == MPJ_ERR_ROOT);
  CHECK(MPJ_Ibcast(&data, MPJ_INT, 0, WORLD, &request) == MPJ_SUCCESS);
  CHECK(MPJ_Wait(&request) == MPJ_SUCCESS && data == 7);
  return 0;
}

START_TEST(bad_arguments_are_heard_of_by_all)
{
  on_ranks(3, bad_arguments);
}
END_TEST

static _Atomic int refused;

/* Rank 0 tests in vain, then finds its request, while rank 1 waits to be let go. */
static int test_for_long(void *arg)
{
  enum { IN_VAIN = 300 };
  MPJ_Request request;
  int done = 0, index;
  (void)arg;
  while (rank_of() == 1 && !atomic_load(&refused))
    sched_yield();
  CHECK(MPJ_Ibarrier(WORLD, &request) == MPJ_SUCCESS);
  for (int i = 0; i < IN_VAIN && rank_of() == 0; i++)
    CHECK(MPJ_Testany(1, &request, &index, &done) == MPJ_SUCCESS && !done);
  const unsigned before = mpj_context_current()->tests_in_vain;
  atomic_store(&refused, 1);
  while (!done)
    CHECK(MPJ_Testany(1, &request, &index, &done) == MPJ_SUCCESS);
  if (rank_of() == 0) CHECK(before > 200 && mpj_context_current()->tests_in_vain > before / 2);
  return 0;
}

START_TEST(a_find_makes_up_for_few_tests_in_vain)
{
  atomic_store(&refused, 0);
  on_ranks(2, test_for_long);
}
END_TEST

static int finalize_early(void *arg)
{
  MPJ_Request request;
  (void)arg;
  while (rank_of() == 1 && !atomic_load(&refused))
    sched_yield();
  CHECK(MPJ_Ibarrier(WORLD, &request) == MPJ_SUCCESS);
  if (rank_of() == 0) {
    CHECK(MPJ_Finalize() == MPJ_ERR_REQUEST);
    CHECK(strstr(MPJ_Error_detail(), "1 operations under way"));
    atomic_store(&refused, 1);
  }
  CHECK(MPJ_Wait(&request) == MPJ_SUCCESS);
  return MPJ_Finalize();
}

START_TEST(finalize_refuses_while_operations_are_under_way)
{
  atomic_store(&refused, 0);
  on_ranks(2, finalize_early);
}
END_TEST

static int leave(void *arg)
{
  MPJ_Request request;
  (void)arg;
  if (rank_of() == 1) {
    CHECK(MPJ_Barrier(WORLD) != MPJ_SUCCESS);
    return 0;
  }
  CHECK(MPJ_Ibarrier(WORLD, &request) == MPJ_SUCCESS);
  CHECK(MPJ_Request_free(&request) == MPJ_SUCCESS);
  return 0; /* although the barrier needs a third rank, which never comes */
}

static int leave_or_stay_away(void *arg)
{
  return rank_of() == 2 ? 0 : leave(arg);
}

START_TEST(who_leaves_ends_what_was_under_way)
{
  on_ranks_that_differ(3, leave_or_stay_away, true);
}
END_TEST

static int test_until_it_fails(void *arg)
{
  MPJ_Request request;
  int done = 0, status = MPJ_SUCCESS;
  (void)arg;
  if (rank_of() == 1) return 0;
  CHECK(MPJ_Ibarrier(WORLD, &request) == MPJ_SUCCESS);
  while (!done && status == MPJ_SUCCESS)
    status = MPJ_Test(&request, &done);
  CHECK(status == MPJ_ERR_PEER && done);
  return 0;
}

START_TEST(who_only_tests_hears_of_a_rank_that_has_gone)
{
  on_ranks_that_differ(2, test_until_it_fails, false);
  on_ranks_that_differ(3, test_until_it_fails, false);
}
END_TEST

/* How often a rank's state is looked at, by the transport of rank 0. */
static struct {
  const struct mpj_transport_ops *ops;
  unsigned looks;
} states;

static enum mpj_rank_state look_at_state(struct mpj_transport *t, int peer, int *cause)
{
  states.looks++;
  return states.ops->peer_state(t, peer, cause);
}

static atomic_int tested;

/* Rank 2 has died. Rank 0 tests a request that waits for rank 1 alone. */
static int test_beside_one_who_is_dead(void *arg)
{
  enum { TESTS = 1000 };
  const int me = rank_of();
  struct mpj_context *context = mpj_context_current();
  MPJ_Comm two;
  MPJ_Request request;
  int number = me, done = 0;
  (void)arg;
  CHECK(!MPJ_Comm_split(WORLD, me == 2 ? MPJ_UNDEFINED : 0, 0, &two));
  if (me == 2) return -1;
  while (mpj_net_changes(context->net) == 0 || (me == 1 && !atomic_load(&tested)))
    sched_yield();
  CHECK(!MPJ_Ibcast(&number, MPJ_INT, 1, two, &request));
  if (me == 0) {
    struct mpj_transport *transport = context->net->transport;
    struct mpj_transport_ops counting = *transport->ops;
    states.ops = transport->ops;
    counting.peer_state = look_at_state;
    transport->ops = &counting;
    for (int i = 0; i < TESTS; i++)
      CHECK(!MPJ_Test(&request, &done) && !done);
    transport->ops = states.ops;
    atomic_store(&tested, 1);
  }
  CHECK(!MPJ_Wait(&request) && number == 1);
  return MPJ_Comm_free(&two);
}

START_TEST(tests_look_at_all_ranks_once_when_one_has_died)
{
  states.looks = 0;
  atomic_store(&tested, 0);
  ck_assert_int_eq(MPJ_Run_threads(3, test_beside_one_who_is_dead, NULL), -1);
  ck_assert_uint_gt(states.looks, 0);
  ck_assert_uint_le(states.looks, 20);
}
END_TEST

/* How many requests are looked at while many are completed: counted, not timed. */

enum { MANY = 1000, IN_VAIN = 300 };
enum way { ALL, ANY, TEST_ANY, SOME, TEST_SOME, TEST_ALL, WAYS };

static atomic_int begun; /* a rank has begun its operations of this many ways */

/* One call; *n := how many requests it has collected. */
static int call_once(enum way way, MPJ_Request requests[], int *n)
{
  static _Thread_local int indices[MANY];
  int index = 0, done = 1, status = MPJ_SUCCESS;
  *n = 1;
  if (way == ALL) status = MPJ_Waitall(MANY, requests);
  if (way == ANY) status = MPJ_Waitany(MANY, requests, &index);
  if (way == TEST_ANY) status = MPJ_Testany(MANY, requests, &index, &done);
  if (way == SOME) status = MPJ_Waitsome(MANY, requests, n, indices);
  if (way == TEST_SOME) status = MPJ_Testsome(MANY, requests, n, indices);
  if (way == TEST_ALL) status = MPJ_Testall(MANY, requests, &done);
  if (way == ALL || way == TEST_ALL) *n = MANY;
  if (!done) *n = 0;
  return status;
}

static int count_looks(void *arg)
{
  static _Thread_local MPJ_Request requests[MANY];
  static _Thread_local int in[MANY], out[MANY];
  struct mpj_context *context = mpj_context_current();
  (void)arg;
  for (enum way way = 0; way < WAYS; way++) {
    uint64_t calls = 0;
    int n, left = MANY;
    while (rank_of() == 1 && atomic_load(&begun) <= (int)way)
      sched_yield();
    for (int i = 0; i < MANY; i++)
      CHECK(!MPJ_Iallreduce(&in[i], MPJ_INT, &out[i], MPJ_INT, MPJ_SUM, WORLD, &requests[i]));
    const uint64_t before = context->requests_looked;
    const bool tests = way == TEST_ANY || way == TEST_SOME || way == TEST_ALL;
    for (int i = 0; rank_of() == 0 && tests && i < IN_VAIN; i++, calls++)
      CHECK(!call_once(way, requests, &n) && n == 0);
    CHECK(context->requests_looked - before <= 2 * calls);
    if (rank_of() == 0) atomic_fetch_add(&begun, 1);
    for (; left > 0; left -= n, calls++)
      CHECK(!call_once(way, requests, &n));
    /* Each is looked at a few times, and each call looks at a few, and at those that end behind
     * others, which load on the machine makes more: a call that looked at all that are left would
     * make hundreds of each. (Testall looks at all that are done, in each call.) */
    const uint64_t looked = context->requests_looked - before;
    CHECK(way == TEST_ALL || looked <= 32 * (MANY + calls));
    CHECK(!MPJ_Barrier(WORLD));
  }
  return 0;
}

START_TEST(who_waits_for_any_looks_at_few)
{
  atomic_store(&begun, 0);
  on_ranks(2, count_looks);
}
END_TEST

/* Persistent requests, each of a communicator of its own, most of which another rank has still to
 * start: a start, and a test that finds nothing, move on a few of them. */
static int count_busy(void *arg)
{
  enum { REQUESTS = 300, FEW = 16 };
  static _Thread_local MPJ_Request requests[REQUESTS];
  static _Thread_local int in[REQUESTS], out[REQUESTS];
  struct mpj_context *context = mpj_context_current();
  int done = 0;
  (void)arg;
  for (int i = 0; i < REQUESTS; i++) {
    in[i] = i;
    CHECK(!MPJ_Allreduce_init(&in[i], MPJ_INT, &out[i], MPJ_INT, MPJ_SUM, WORLD, &requests[i]));
  }
  CHECK(!MPJ_Barrier(WORLD));
  for (int i = 0; rank_of() == 0 && i < REQUESTS; i++) {
    const uint64_t before = context->busy_looked;
    CHECK(!MPJ_Start(&requests[i]));
    CHECK(context->busy_looked - before <= FEW);
  }
  for (int i = 0; rank_of() == 0 && i < REQUESTS; i++) {
    const uint64_t before = context->busy_looked;
    CHECK(!MPJ_Test(&requests[i], &done) && !done);
    CHECK(context->busy_looked - before <= FEW);
  }
  CHECK(!MPJ_Barrier(WORLD));
  if (rank_of() == 1) CHECK(!MPJ_Startall(REQUESTS, requests));
  for (int i = REQUESTS - 1; i >= 0; i--) { /* and each is moved on in its turn */
    for (done = 0; !done;)
      CHECK(!MPJ_Test(&requests[i], &done));
    CHECK(out[i] == 2 * i && !MPJ_Request_free(&requests[i]));
  }
  return 0;
}

START_TEST(starts_and_tests_in_vain_move_on_a_few_communicators)
{
  on_ranks(2, count_busy);
}
END_TEST

/* Persistent requests that are started while their inits are under way: while a rank waits for
 * these, it looks at none of the others. */
static int count_unjoined(void *arg)
{
  enum { REQUESTS = 2000, A_REQUEST = 8 };
  static _Thread_local MPJ_Request requests[REQUESTS];
  static _Thread_local int in[REQUESTS], out[REQUESTS];
  struct mpj_context *context = mpj_context_current();
  (void)arg;
  while (rank_of() == 1 && !atomic_load(&begun))
    sched_yield();
  const uint64_t before = context->busy_looked;
  for (int i = 0; i < REQUESTS; i++) {
    in[i] = i;
    CHECK(!MPJ_Allreduce_init(&in[i], MPJ_INT, &out[i], MPJ_INT, MPJ_SUM, WORLD, &requests[i]));
    CHECK(!MPJ_Start(&requests[i]));
  }
  CHECK(rank_of() == 1 || context->busy_looked - before <= A_REQUEST * REQUESTS);
  for (int looks = 0, done; rank_of() == 0 && looks < REQUESTS; looks++)
    CHECK(!MPJ_Testany(REQUESTS, requests, &(int){0}, &done) && !done);
  CHECK(rank_of() == 1 || context->busy_looked - before <= A_REQUEST * REQUESTS);
  if (rank_of() == 0) atomic_store(&begun, 1);
  CHECK(!MPJ_Waitall(REQUESTS, requests));
  for (int i = 0; i < REQUESTS; i++)
    CHECK(out[i] == 2 * i && !MPJ_Request_free(&requests[i]));
  return 0;
}

START_TEST(who_waits_for_inits_looks_at_none_that_is_started_behind_them)
{
  atomic_store(&begun, 0);
  on_ranks(2, count_unjoined);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/requests", null_requests_are_done,
                   requests_live_until_waited_for_and_persistent_ones_until_freed,
                   bad_arguments_are_heard_of_by_all, a_find_makes_up_for_few_tests_in_vain,
                   finalize_refuses_while_operations_are_under_way,
                   who_leaves_ends_what_was_under_way, who_only_tests_hears_of_a_rank_that_has_gone,
                   tests_look_at_all_ranks_once_when_one_has_died, who_waits_for_any_looks_at_few,
                   starts_and_tests_in_vain_move_on_a_few_communicators,
                   who_waits_for_inits_looks_at_none_that_is_started_behind_them);
}
