/* This file tests persistent requests: what makes two ranks' requests the same one, what happens
 * where they are not, and how their communicators come and go. */
#include <stdlib.h>

#include "coll/calls/request.h"
#include "coll/engine_play.h"

static bool detail_has(const char *text)
{
  return strstr(MPJ_Error_detail(), text) != NULL;
}

static int bcast_init(int *x, MPJ_Comm comm, MPJ_Request *r)
{
  return MPJ_Bcast_init(x, MPJ_INT, 0, comm, r);
}

/* Two broadcasts, the same order of inits and another one of starts. */
static int crossing_rank(void *arg)
{
  int x[2] = {world()->rank == 0 ? 42 : -1, world()->rank == 0 ? 43 : -1};
  const int first = world()->rank != 0;
  MPJ_Request r[2];
  (void)arg;
  for (int k = 0; k < 2; k++)
    NEED(!bcast_init(&x[k], MPJ_COMM_WORLD, &r[k]));
  NEED(!MPJ_Start(&r[first]) && !MPJ_Start(&r[!first]) && !MPJ_Waitall(2, r));
  NEED(x[0] == 42 && x[1] == 43);
  return MPJ_Request_free(&r[0]) || MPJ_Request_free(&r[1]);
}

START_TEST(requests_are_matched_by_the_order_of_their_inits)
{
  for (int p = 1; p <= 5; p++)
    play(p, crossing_rank, NULL);
}
END_TEST

/* A start waits for its operation in a blocking call of another rank. */
static int beside_rank(void *arg)
{
  int in = 1, out = 0;
  MPJ_Request r;
  (void)arg;
  NEED(!MPJ_Allreduce_init(&in, MPJ_INT, &out, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD, &r));
  if (world()->rank == 0) NEED(!MPJ_Start(&r));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (world()->rank != 0) NEED(!MPJ_Start(&r));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD) && !MPJ_Wait(&r) && out == world()->size);
  return MPJ_Request_free(&r);
}

START_TEST(starts_lie_anywhere_beside_blocking_calls)
{
  for (int p = 2; p <= 5; p++)
    play(p, beside_rank, NULL);
}
END_TEST

static int other_init_rank(void *arg)
{
  int x = 0;
  MPJ_Request r;
  (void)arg;
  NEED(!(world()->rank == 0 ? bcast_init(&x, MPJ_COMM_WORLD, &r)
                            : MPJ_Barrier_init(MPJ_COMM_WORLD, &r)));
  for (int time = 0; time < 2; time++) {
    NEED(!MPJ_Start(&r) && MPJ_Wait(&r) == MPJ_ERR_COMM);
    NEED(detail_has("MPJ_Bcast_init") && detail_has("MPJ_Barrier_init"));
  }
  NEED(!MPJ_Request_free(&r) && !world()->persistent);
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

START_TEST(inits_that_differ_are_an_error_of_the_starts)
{
  for (int p = 2; p <= 4; p++)
    play(p, other_init_rank, NULL);
}
END_TEST

/* The same where nobody starts them: another operation, another root, another order. In the last
 * both operations differ, and either may be found first. */
static int unstarted_rank(void *arg)
{
  const int *what = arg, odd = world()->rank == world()->size - 1;
  int x = 0;
  MPJ_Request r[2];
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  NEED(!(odd && *what == 0 ? MPJ_Barrier_init(MPJ_COMM_WORLD, &r[0])
                           : MPJ_Bcast_init(&x, MPJ_INT, odd, MPJ_COMM_WORLD, &r[0])));
  NEED(!MPJ_Bcast_init(&x, MPJ_INT, *what == 2 ? !odd : 0, MPJ_COMM_WORLD, &r[1]));
  if (*what == 1) /* while it is on its way */
    NEED(!MPJ_Request_free(&r[0]) && !MPJ_Request_free(&r[1]));
  NEED(MPJ_Finalize() == MPJ_ERR_COMM);
  NEED(detail_has("operation 1 is ") || (*what == 2 && detail_has("operation 2 is ")));
  NEED(detail_has("MPJ_Bcast_init (root 0) on rank "));
  NEED(detail_has(*what == 0 ? "MPJ_Barrier_init on rank " : "MPJ_Bcast_init (root 1) on rank "));
  return *what == 1 || (!MPJ_Request_free(&r[0]) && !MPJ_Request_free(&r[1])) ? 0 : 1;
}

START_TEST(inits_that_differ_and_are_never_started_are_told_by_finalize)
{
  for (int what = 0; what < 3; what++)
    for (int p = 2; p <= 4; p++)
      play(p, unstarted_rank, &what);
}
END_TEST

/* An init more on one rank. */
static int surplus_init_rank(void *arg)
{
  int x = 0;
  MPJ_Request r;
  (void)arg;
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (world()->rank == 0) NEED(!bcast_init(&x, MPJ_COMM_WORLD, &r));
  NEED(MPJ_Finalize() == MPJ_ERR_COMM);
  NEED(detail_has("operation 1 is ") && detail_has("MPJ_Bcast_init (root 0) on rank 0"));
  NEED(detail_has("MPJ_Finalize on rank "));
  if (mpj_context_current()->rank == 0) NEED(!MPJ_Request_free(&r));
  return 0;
}

START_TEST(an_init_that_another_rank_forgets_is_told_by_finalize)
{
  for (int p = 2; p <= 4; p++)
    play(p, surplus_init_rank, NULL);
}
END_TEST

static int wrong_init_rank(void *arg)
{
  int x = 0;
  MPJ_Request r = MPJ_REQUEST_NULL;
  (void)arg;
  if (world()->rank == 1) {
    NEED(MPJ_Bcast_init(&x, MPJ_INT, -1, MPJ_COMM_WORLD, &r) == MPJ_ERR_ROOT);
    NEED(r == MPJ_REQUEST_NULL);
  } else {
    NEED(!bcast_init(&x, MPJ_COMM_WORLD, &r));
    NEED(!MPJ_Start(&r) && MPJ_Wait(&r) == MPJ_ERR_ROOT && detail_has("rank 1"));
    NEED(!MPJ_Request_free(&r));
  }
  NEED(!world()->persistent);
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

START_TEST(a_wrong_init_of_one_rank_ends_the_others_starts)
{
  for (int p = 2; p <= 4; p++)
    play(p, wrong_init_rank, NULL);
}
END_TEST

enum { MANY = 1200 }; /* more than there are communicators */

static int many_rank(void *arg)
{
  static _Thread_local int x[MANY];
  static _Thread_local MPJ_Request r[MANY];
  const int stride = world()->rank == 0 ? 1 : world()->rank == 1 ? 7 : MANY - 1;
  (void)arg;
  for (int k = 0; k < MANY; k++) {
    x[k] = world()->rank == 0 ? k : -1;
    NEED(!bcast_init(&x[k], MPJ_COMM_WORLD, &r[k]));
  }
  for (int k = 0; k < MANY; k++)
    NEED(!MPJ_Start(&r[k * stride % MANY]));
  NEED(!MPJ_Waitall(MANY, r));
  for (int k = 0; k < MANY; k++)
    NEED(x[k] == k && !MPJ_Request_free(&r[k]));
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

START_TEST(there_may_be_thousands_at_once)
{
  play(3, many_rank, NULL);
}
END_TEST

/* Made and freed again and again, they need few windows: each is used again when all have left. */
static int passing_rank(void *arg)
{
  int in = 1, out, most = 0;
  (void)arg;
  for (int time = 0; time < 300; time++) {
    MPJ_Request r;
    out = 0;
    NEED(!MPJ_Allreduce_init(&in, MPJ_INT, &out, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD, &r));
    if ((int)r->comm->control > most) most = (int)r->comm->control;
    NEED(!MPJ_Start(&r) && !MPJ_Wait(&r) && out == world()->size && !MPJ_Request_free(&r));
  }
  NEED(most < MPJ_CONTROLS + 16);
  return MPJ_SUCCESS;
}

START_TEST(windows_are_used_again)
{
  for (int p = 2; p <= 3; p++)
    play(p, passing_rank, NULL);
}
END_TEST

static int orphan_rank(void *arg)
{
  int x = 0;
  MPJ_Comm comm;
  MPJ_Request r;
  (void)arg;
  for (int time = 0; time < 20; time++) {
    NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comm) && !bcast_init(&x, comm, &r));
    if (time % 3 != world()->rank) NEED(!MPJ_Comm_free(&comm));
    for (int start = 0; start < 10; start++) {
      x = world()->rank == 0 ? start : -1;
      NEED(!MPJ_Start(&r) && !MPJ_Wait(&r) && x == start);
    }
    NEED(!MPJ_Request_free(&r));
    if (comm != MPJ_COMM_NULL) NEED(!MPJ_Comm_free(&comm));
  }
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

START_TEST(a_communicator_may_be_freed_before_its_requests)
{
  play(3, orphan_rank, NULL);
}
END_TEST

/* Communicators are freed, and forgotten, while what their requests have ended with is still
 * compared. */
static int lending_rank(void *arg)
{
  enum { COMMS = 5, REQUESTS = 200, STARTED = 150 };
  MPJ_Comm comms[COMMS];
  MPJ_Request r[REQUESTS];
  int x[REQUESTS];
  const bool odd = world()->rank % 2 == 1;
  (void)arg;
  for (int time = 0; time < 6; time++) {
    for (int k = 0; k < COMMS; k++)
      NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comms[k]));
    for (int k = 0; k < REQUESTS; k++) {
      x[k] = world()->rank == 0 ? k : -1;
      NEED(!MPJ_Bcast_init(&x[k], MPJ_INT, 0, comms[k % COMMS], &r[k]));
    }
    for (int k = 0; k < STARTED; k++)
      NEED(!MPJ_Start(&r[odd ? k : STARTED - 1 - k]));
    for (int k = 0; k < COMMS; k++)
      NEED(!MPJ_Comm_free(&comms[k]));
    for (int k = 0; k < STARTED; k++)
      NEED(!MPJ_Wait(&r[k]) && x[k] == k);
    for (int k = 0; k < REQUESTS; k++)
      NEED(!MPJ_Request_free(&r[odd ? k : REQUESTS - 1 - k]));
  }
  return 0;
}

START_TEST(a_communicator_outlives_what_its_requests_have_borrowed)
{
  for (int p = 2; p <= 4; p++)
    play(p, lending_rank, NULL);
}
END_TEST

/* Rank 0 gives up while the others are in operations of several requests. */
static int leaving_rank(void *arg)
{
  int in = 1, out = 0, status;
  MPJ_Request r[3];
  (void)arg;
  for (int k = 0; k < 3; k++)
    NEED(!MPJ_Allreduce_init(&in, MPJ_INT, &out, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD, &r[k]));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (world()->rank == 0) { /* with no operation under way */
    NEED(MPJ_Finalize() == MPJ_ERR_COMM && detail_has("persistent request"));
    return 0;
  }
  NEED(!MPJ_Start(&r[world()->rank]));
  NEED(MPJ_Wait(&r[world()->rank]) == MPJ_ERR_PEER);
  status = MPJ_Barrier(MPJ_COMM_WORLD);
  NEED(status == MPJ_ERR_PEER && detail_has("rank 0"));
  NEED(!MPJ_Start(&r[0]) && MPJ_Wait(&r[0]) == MPJ_ERR_PEER);
  for (int k = 0; k < 3; k++)
    NEED(!MPJ_Request_free(&r[k]));
  return 0;
}

START_TEST(a_communicator_breaks_with_its_requests)
{
  for (int time = 0; time < 10; time++)
    play(3, leaving_rank, NULL);
}
END_TEST

/* Rank 1 has nowhere to put the request: the others hear of it, and the next calls match. */
static int without_request(void *arg)
{
  const bool inits = *(const bool *)arg;
  const int me = world()->rank;
  int x = me == 0 ? 42 : -1;
  MPJ_Request r = MPJ_REQUEST_NULL, *place = me == 1 ? NULL : &r;
  const int status = inits ? MPJ_Barrier_init(MPJ_COMM_WORLD, place)
                           : MPJ_Ibcast(&x, MPJ_INT, 1, MPJ_COMM_WORLD, place);
  if (me == 1) NEED(status == MPJ_ERR_ARG && detail_has("request is NULL"));
  if (me != 1) NEED(!status && (!inits || !MPJ_Start(&r)));
  if (me != 1) NEED(MPJ_Wait(&r) == MPJ_ERR_ARG && detail_has("rank 1 failed in operation 0"));
  if (me != 1 && inits) NEED(!MPJ_Request_free(&r));
  NEED(!MPJ_Bcast(&x, MPJ_INT, 0, MPJ_COMM_WORLD) && x == 42);
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

START_TEST(a_call_without_a_request_is_a_call)
{
  static const bool inits[] = {false, true};
  for (int i = 0; i < 2; i++)
    play(4, without_request, (void *)(uintptr_t)&inits[i]);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/persistent", requests_are_matched_by_the_order_of_their_inits,
                   starts_lie_anywhere_beside_blocking_calls,
                   inits_that_differ_are_an_error_of_the_starts,
                   inits_that_differ_and_are_never_started_are_told_by_finalize,
                   an_init_that_another_rank_forgets_is_told_by_finalize,
                   a_wrong_init_of_one_rank_ends_the_others_starts, there_may_be_thousands_at_once,
                   windows_are_used_again, a_communicator_may_be_freed_before_its_requests,
                   a_communicator_outlives_what_its_requests_have_borrowed,
                   a_communicator_breaks_with_its_requests, a_call_without_a_request_is_a_call);
}
