/* This file checks that ranks that have not called the same operations hear of it when they end
 * their communicators, if no call has told them. */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "coll/closing/closing.h"
#include "coll/engine_play.h"
#include "coll/run/wait_turn.h"

/* This rank's MPJ_Finalize says that operation `number` is one thing here, and another there. */
static bool is_told(int number, const char *here, const char *there, int other)
{
  char expected[160];
  snprintf(expected, sizeof expected, "operation %d is %s on rank %d, but %s on rank %d", number,
           here, world()->rank, there, other);
  const int status = MPJ_Finalize();
  if (status == MPJ_ERR_COMM && strstr(MPJ_Error_detail(), expected)) return true;
  fprintf(stderr, "%d: %s\n  expected: %s\n", status, MPJ_Error_detail(), expected);
  return false;
}

/* Rank 1 does not call the last operation, in which nobody waits for it. */
static int forgetful_rank(void *arg)
{
  const int *before = arg;
  int x = 1;
  const bool forgets = world()->rank == 1;
  for (int i = 0; i < *before; i++)
    NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (!forgets) NEED(!MPJ_Bcast(&x, MPJ_INT, 0, MPJ_COMM_WORLD));
  const char *bcast = "MPJ_Bcast (root 0)", *end = "MPJ_Finalize";
  if (!forgets) NEED(is_told(*before, bcast, end, 1));
  if (forgets) /* by any of the others */
    NEED(MPJ_Finalize() == MPJ_ERR_COMM &&
         strstr(MPJ_Error_detail(), "is MPJ_Finalize on rank 1, but MPJ_Bcast (root 0) on rank "));
  return 0;
}

START_TEST(a_last_call_that_one_rank_forgets_is_told_by_finalize)
{
  for (int p = 2; p <= 5; p++)
    for (int before = 0; before <= 200; before += 100)
      play(p, forgetful_rank, &before);
}
END_TEST

/* The same on a communicator that all free: who frees waits for nobody. */
static int freeing_rank(void *arg)
{
  int x = 1;
  const int rank = world()->rank;
  atomic_int *called = arg;
  MPJ_Comm comm;
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comm));
  if (rank == 0) NEED(!MPJ_Bcast(&x, MPJ_INT, 0, comm));
  atomic_fetch_add(called, rank == 0);
  while (atomic_load(called) == 0)
    sched_yield();
  NEED(!MPJ_Comm_free(&comm));
  const char *bcast = "MPJ_Bcast (root 0)", *end = "MPJ_Comm_free";
  NEED(is_told(0, rank == 0 ? bcast : end, rank == 0 ? end : bcast, 1 - rank));
  return 0;
}

START_TEST(a_last_call_before_a_communicator_is_freed_is_told_by_finalize)
{
  atomic_int called = 0;
  play(2, freeing_rank, &called);
}
END_TEST

/* Rank 1 frees a communicator on which rank 0 still needs it. */
static int needed_rank(void *arg)
{
  MPJ_Comm comm;
  (void)arg;
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comm));
  if (world()->rank == 1) {
    NEED(!MPJ_Comm_free(&comm));
    NEED(is_told(0, "MPJ_Comm_free", "MPJ_Barrier", 0));
    return 0;
  }
  NEED(MPJ_Barrier(comm) == MPJ_ERR_COMM);
  NEED(strstr(MPJ_Error_detail(), "operation 0 is MPJ_Barrier on rank 0, but MPJ_Comm_free on "
                                  "rank 1"));
  return MPJ_Finalize();
}

/* Rank 1 ends altogether. */
static int left_rank(void *arg)
{
  (void)arg;
  if (world()->rank == 1) {
    NEED(is_told(0, "MPJ_Finalize", "MPJ_Barrier", 0));
    return 0;
  }
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_PEER);
  NEED(strstr(MPJ_Error_detail(), "operation 0 is MPJ_Barrier on rank 0, but MPJ_Finalize on rank "
                                  "1"));
  return MPJ_Finalize();
}

START_TEST(who_needs_a_rank_that_has_ended_the_communicator_hears_of_it_at_once)
{
  play(2, needed_rank, NULL);
  play(2, left_rank, NULL);
}
END_TEST

/* Rank 1 broadcasts from another root, and waits for that one's data, which are long. The others
 * have ended theirs: they wait for it on another communicator, and call nothing more on this one.
 */
static int broken_rank(void *arg)
{
  enum { LONG = 5000 };
  const int rank = world()->rank, root = rank == 1 ? 0 : 2;
  (void)arg;
  MPJ_Datatype t;
  MPJ_Request r;
  MPJ_Comm dup;
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &dup));
  int *data = calloc(LONG, sizeof *data);
  NEED(data && !MPJ_Type_contiguous(LONG, MPJ_INT, &t) && !MPJ_Type_commit(&t));
  NEED(!MPJ_Ibcast(data, t, root, MPJ_COMM_WORLD, &r));
  const int status = MPJ_Wait(&r);
  char said[400];
  snprintf(said, sizeof said, "%s", MPJ_Error_detail());
  NEED(rank == 1 ? status == MPJ_ERR_COMM : status == MPJ_SUCCESS);
  NEED(!MPJ_Barrier(dup));
  if (rank != 1) NEED(MPJ_Finalize() == MPJ_ERR_COMM);
  if (rank != 1) snprintf(said, sizeof said, "%s", MPJ_Error_detail());
  NEED(strstr(said, "is MPJ_Bcast (root ") && strstr(said, "MPJ_Bcast (root 0) on rank 1"));
  NEED(strstr(said, "MPJ_Bcast (root 2) on rank "));
  NEED(!MPJ_Type_free(&t));
  free(data);
  return rank == 1 ? MPJ_Finalize() : 0;
}

START_TEST(what_breaks_a_communicator_after_the_last_call_is_told_by_finalize)
{
  play(4, broken_rank, NULL);
}
END_TEST

/* Rank 0 has heard how WORLD has been broken, and that the others have freed a communicator without
 * its last call there, which follows from it: in MPJ_Finalize it tells the first. There it finishes
 * what it has given up, for which the others come when it has told. */
static void note_told(void *told)
{
  if (world()->context->ended_status != MPJ_SUCCESS) atomic_store((atomic_int *)told, 1);
}

static bool has_heard_both(const struct mpj_comm *freed)
{
  bool all = world()->broken.code != 0;
  for (int rank = 1; rank < freed->size; rank++)
    all = all && mpj_closing_lacks(freed, rank, freed->started - 1);
  return all;
}

static int rank_of_two_differences(void *arg)
{
  enum { LONG = 5000 };
  static _Thread_local int data[LONG];
  const int rank = world()->rank, root = rank == 1 ? 0 : 2;
  struct mpj_pause pause = {0};
  struct mpj_comm *freed;
  MPJ_Datatype t;
  MPJ_Request r;
  MPJ_Comm comm, open;
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comm) && !MPJ_Comm_dup(MPJ_COMM_WORLD, &open));
  NEED(!mpj_comm_resolve(comm, &freed));
  NEED(!MPJ_Type_contiguous(LONG, MPJ_INT, &t) && !MPJ_Type_commit(&t));
  NEED(MPJ_Bcast(data, t, root, MPJ_COMM_WORLD) == (rank == 1 ? MPJ_ERR_COMM : MPJ_SUCCESS));
  NEED(!MPJ_Type_free(&t));
  if (rank != 0) {
    NEED(!MPJ_Comm_free(&comm));
    while (!atomic_load((atomic_int *)arg))
      mpj_wait_step(mpj_context_current(), &pause);
    NEED(!MPJ_Barrier(open));
    (void)MPJ_Finalize();
    return 0;
  }
  NEED(!MPJ_Bcast(data, MPJ_INT, 0, comm));
  while (!has_heard_both(freed))
    mpj_wait_step(mpj_context_current(), &pause);
  NEED(!MPJ_Ibarrier(open, &r) && !MPJ_Request_free(&r) && !MPJ_Progress_also(note_told, arg));
  NEED(MPJ_Finalize() == MPJ_ERR_COMM);
  NEED(strstr(MPJ_Error_detail(), " is MPJ_Bcast (root 2) on rank ") &&
       strstr(MPJ_Error_detail(), ", but MPJ_Bcast (root 0) on rank 1"));
  return 0;
}

START_TEST(of_two_differences_finalize_tells_the_one_that_broke_world)
{
  atomic_int told = 0;
  play(4, rank_of_two_differences, &told);
}
END_TEST

/* Two broadcasts that cross: both ranks are roots, and nobody waits. */
static int crossing_rank(void *arg)
{
  int x = 1;
  const int rank = world()->rank;
  (void)arg;
  NEED(!MPJ_Bcast(&x, MPJ_INT, rank, MPJ_COMM_WORLD));
  NEED(is_told(0, rank == 0 ? "MPJ_Bcast (root 0)" : "MPJ_Bcast (root 1)",
               rank == 0 ? "MPJ_Bcast (root 1)" : "MPJ_Bcast (root 0)", 1 - rank));
  return 0;
}

START_TEST(roots_that_differ_in_the_last_call_are_told_by_finalize)
{
  play(2, crossing_rank, NULL);
}
END_TEST

/* What differs is forgotten: only the hash says that something does. */
static int long_ago_rank(void *arg)
{
  (void)arg;
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (world()->rank == 1) world()->history++;
  NEED(MPJ_Finalize() == MPJ_ERR_COMM);
  NEED(strstr(MPJ_Error_detail(), "longer ago than is known"));
  return 0;
}

START_TEST(a_difference_of_long_ago_is_told_without_its_number)
{
  play(2, long_ago_rank, NULL);
}
END_TEST

static int unequal_starts(void *arg)
{
  const bool *freed = arg;
  const int rank = world()->rank;
  int x = 1;
  MPJ_Request r;
  NEED(!MPJ_Bcast_init(&x, MPJ_INT, 0, MPJ_COMM_WORLD, &r));
  for (int i = 0; i < 3 - rank; i++)
    NEED(!MPJ_Start(&r) && !MPJ_Wait(&r));
  if (*freed) NEED(!MPJ_Request_free(&r));
  NEED(MPJ_Finalize() == MPJ_ERR_COMM);
  NEED(strstr(MPJ_Error_detail(), rank == 0
                                      ? "persistent request of operation 0, MPJ_Bcast (root 0): "
                                        "3 on rank 0, but 2 on rank 1"
                                      : "persistent request of operation 0, MPJ_Bcast (root 0): "
                                        "2 on rank 1, but 3 on rank 0"));
  if (!*freed) NEED(!MPJ_Request_free(&r));
  return 0;
}

START_TEST(unequal_numbers_of_starts_are_told_by_finalize)
{
  for (int freed = 0; freed < 2; freed++)
    play(2, unequal_starts, &(bool){freed});
}
END_TEST

/* A call that fails by its arguments counts as called, whatever the others' was. */
static int failing_rank(void *arg)
{
  int x = 1;
  (void)arg;
  for (int i = 0; i < 3; i++) {
    const int root = world()->rank == 1 && i == 1 ? 99 : 0;
    const int status = MPJ_Bcast(&x, MPJ_INT, root, MPJ_COMM_WORLD);
    NEED(root == 99 ? status == MPJ_ERR_ROOT : status == MPJ_SUCCESS || status == MPJ_ERR_ROOT);
  }
  return MPJ_Finalize();
}

START_TEST(a_call_that_fails_counts_as_called)
{
  play(2, failing_rank, NULL);
  play(3, failing_rank, NULL);
}
END_TEST

/* Who waits in MPJ_Finalize does so for who comes late, and for nobody who is gone. */
static int waiting_rank(void *arg)
{
  const int *value = arg;
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (world()->rank == 1) usleep(50000);
  if (world()->rank == 1 && *value != 0) return *value;
  return MPJ_Finalize();
}

START_TEST(finalize_waits_for_the_late_and_not_for_the_dead)
{
  for (int value = 0; value < 2; value++)
    for (int p = 2; p <= 3; p++)
      ck_assert_int_eq(MPJ_Run_threads(p, waiting_rank, &value), value);
}
END_TEST

/* What ranks are told by others' ends is all that they hear: they do not ask. */
static void ask_nobody(void *ctx)
{
  const double late = MPJ_Wtime() + 1000;
  (void)ctx;
  world()->context->circle.asked_at = late;
  for (struct mpj_comm *comm = world()->context->live; comm; comm = comm->after)
    comm->compare_at = late;
}

/* Rank 0 has given up what rank 1 never calls, and rank 1 what rank 0 never calls, on another
 * communicator: both are in MPJ_Finalize, and neither waits for the other. */
static int circle_rank(void *arg)
{
  MPJ_Comm comms[2];
  MPJ_Request r;
  (void)arg;
  NEED(!MPJ_Progress_also(ask_nobody, NULL));
  for (int i = 0; i < 2; i++)
    NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comms[i]));
  NEED(!MPJ_Ibarrier(comms[world()->rank], &r) && !MPJ_Request_free(&r));
  NEED(MPJ_Finalize() != MPJ_SUCCESS);
  NEED(strstr(MPJ_Error_detail(), "operation 0 is MPJ_Finalize on rank ") ||
       strstr(MPJ_Error_detail(), "operation 0 is MPJ_Barrier on rank "));
  return 0;
}

START_TEST(what_is_given_up_does_not_wait_for_who_calls_nothing_more)
{
  play(2, circle_rank, NULL);
}
END_TEST

/* Records that make no sense are dropped, or at most keep a rank from waiting. */
static int forging_rank(void *arg)
{
  const struct mpj_arrival_message *m = arg;
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (world()->rank == 1)
    NEED(!mpj_net_short(world()->net, 0, MPJ_AM_COLLECTIVE, m, MPJ_ARRIVAL_HEADER));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  return MPJ_Finalize();
}

START_TEST(records_that_make_no_sense_are_dropped)
{
  struct mpj_arrival_message m = {
      .comm = MPJ_WORLD_ID, .kind = MPJ_ARRIVAL_ENDED, .operation = MPJ_OPERATION_BCAST};
  play(2, forging_rank, &m);
  m.operation = 31;
  play(2, forging_rank, &m);
  m.comm = MPJ_SELF_ID;
  m.operation = MPJ_OPERATION_FINALIZE;
  play(2, forging_rank, &m);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/closing", a_last_call_that_one_rank_forgets_is_told_by_finalize,
                   what_breaks_a_communicator_after_the_last_call_is_told_by_finalize,
                   of_two_differences_finalize_tells_the_one_that_broke_world,
                   a_last_call_before_a_communicator_is_freed_is_told_by_finalize,
                   who_needs_a_rank_that_has_ended_the_communicator_hears_of_it_at_once,
                   roots_that_differ_in_the_last_call_are_told_by_finalize,
                   a_difference_of_long_ago_is_told_without_its_number,
                   unequal_numbers_of_starts_are_told_by_finalize,
                   a_call_that_fails_counts_as_called,
                   finalize_waits_for_the_late_and_not_for_the_dead,
                   what_is_given_up_does_not_wait_for_who_calls_nothing_more,
                   records_that_make_no_sense_are_dropped);
}
