/* This file checks that ranks which wait for each other in a circle, each in another operation, are
 * told so, and that ranks which only wait for long are not. */
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <mpj/peers.h>

#include "coll/engine_play.h"

static bool detail_has(const char *text)
{
  return strstr(MPJ_Error_detail(), text) != NULL;
}

/* Rank 0 waits for a start of a request that rank 1 has forgotten, who is in a barrier with all
 * others. */
static int forgetful_rank(void *arg)
{
  const int *forms = arg;
  int x = 0, status = MPJ_SUCCESS;
  MPJ_Request r;
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  NEED(!MPJ_Bcast_init(&x, MPJ_INT, 1, MPJ_COMM_WORLD, &r));
  for (int i = 0; i < 3; i++)
    if (i < 2 || world()->rank != 1) {
      NEED(!MPJ_Start(&r));
      if (status == MPJ_SUCCESS) status = MPJ_Wait(&r);
    }
  if (status == MPJ_SUCCESS && *forms == 0) status = MPJ_Barrier(MPJ_COMM_WORLD);
  if (status == MPJ_SUCCESS && *forms == 1) {
    MPJ_Request barrier;
    status = MPJ_Ibarrier(MPJ_COMM_WORLD, &barrier);
    if (status == MPJ_SUCCESS) status = MPJ_Waitall(2, (MPJ_Request[]){MPJ_REQUEST_NULL, barrier});
  }
  NEED(status == MPJ_ERR_COMM);
  NEED(detail_has("start 2 of the persistent request of operation 1 is "));
  NEED(detail_has("MPJ_Bcast (root 1) on rank ") && detail_has("MPJ_Barrier on rank 1"));
  NEED(!MPJ_Request_free(&r));
  return MPJ_Finalize();
}

START_TEST(a_start_that_is_forgotten_by_a_rank_in_another_call_is_told)
{
  for (int form = 0; form < 2; form++)
    play(form == 0 ? 2 : 5, forgetful_rank, &form);
}
END_TEST

/* The last rank forgets an init, and waits for a start of an earlier request; the others for one
 * that waits for that init. */
static int rank_without_init(void *arg)
{
  int in = 1, out, status;
  MPJ_Comm comm;
  MPJ_Request all, some = MPJ_REQUEST_NULL;
  const bool forgets = world()->rank == world()->size - 1;
  (void)arg;
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comm));
  NEED(!MPJ_Allreduce_init(&in, MPJ_INT, &out, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD, &all));
  NEED(!MPJ_Start(&all) && !MPJ_Wait(&all));
  if (!forgets) {
    NEED(!MPJ_Allreduce_init(&in, MPJ_INT, &out, MPJ_INT, MPJ_SUM, comm, &some));
    NEED(!MPJ_Start(&some));
    status = MPJ_Wait(&some);
  } else {
    NEED(!MPJ_Start(&all));
    status = MPJ_Wait(&all);
  }
  NEED(status == MPJ_ERR_COMM || (!forgets && status == MPJ_ERR_PEER)); /* who was told has left */
  NEED(detail_has("MPJ_Allreduce"));
  if (!forgets) NEED(!MPJ_Request_free(&some));
  NEED(!MPJ_Request_free(&all));
  MPJ_Finalize();
  return 0;
}

START_TEST(an_init_that_is_forgotten_by_a_rank_in_a_start_is_told)
{
  play(2, rank_without_init, NULL);
  play(4, rank_without_init, NULL);
}
END_TEST

/* Each rank is in a barrier of another communicator first. */
static int crossing_rank(void *arg)
{
  MPJ_Comm comms[2];
  int told = 0;
  (void)arg;
  for (int i = 0; i < 2; i++)
    NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comms[i]));
  for (int i = 0; i < 2; i++)
    if (MPJ_Barrier(comms[world()->rank == 0 ? i : 1 - i]) != MPJ_SUCCESS) {
      NEED(detail_has("is MPJ_Barrier on rank ") ||
           detail_has("MPJ_Barrier on another communicator or request on rank "));
      told++;
    }
  return MPJ_Finalize() != MPJ_SUCCESS || told > 0 ? 0 : 1;
}

START_TEST(a_circle_of_two_communicators_is_told)
{
  play(3, crossing_rank, NULL);
}
END_TEST

/* Of many ranks all but one are in a barrier, and that one waits for another on a duplicate. Only a
 * few of so many ask at a time, but these two do. */
static int one_of_many(void *arg)
{
  MPJ_Comm copy;
  int in = 1, status = MPJ_SUCCESS;
  (void)arg;
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &copy));
  if (world()->rank == 41) status = MPJ_Bcast(&in, MPJ_INT, 24, copy);
  if (status == MPJ_SUCCESS) status = MPJ_Barrier(MPJ_COMM_WORLD);
  NEED(status != MPJ_SUCCESS && (detail_has("another communicator or request on rank ") ||
                                 detail_has("MPJ_Finalize on rank "))); /* told, it has left */
  MPJ_Finalize();
  return 0;
}

START_TEST(a_circle_of_many_ranks_is_told)
{
  play(64, one_of_many, NULL);
}
END_TEST

/* Rank 0 waits for rank 1 in operation 1 of WORLD, rank 1 for rank 2 in operation 0, and rank 2 for
 * rank 0 on a duplicate. Rank 0 alone asks. */
static int rank_behind(void *arg)
{
  MPJ_Datatype parts;
  MPJ_Comm copy;
  int in = 1, out[3], status = MPJ_SUCCESS;
  (void)arg;
  NEED(!MPJ_Type_contiguous(3, MPJ_INT, &parts) && !MPJ_Type_commit(&parts));
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &copy));
  if (world()->rank != 0) world()->context->circle.asked_at = MPJ_Wtime() + 1000;
  if (world()->rank == 2) status = MPJ_Bcast(&in, MPJ_INT, 0, copy);
  if (status == MPJ_SUCCESS) status = MPJ_Gather(&in, MPJ_INT, out, parts, 1, MPJ_COMM_WORLD);
  if (status == MPJ_SUCCESS) status = MPJ_Bcast(&in, MPJ_INT, 1, MPJ_COMM_WORLD);
  NEED(status != MPJ_SUCCESS && !MPJ_Type_free(&parts));
  NEED(world()->rank != 0 || detail_has("is MPJ_Bcast (root 1) on rank 0, but MPJ_Bcast (root 0) "
                                        "on another communicator or request on rank 2"));
  MPJ_Finalize();
  return 0;
}

START_TEST(who_is_in_an_earlier_operation_has_not_called_it_instead_of_a_later_one)
{
  play(3, rank_behind, NULL);
}
END_TEST

/* Once a question has come back the rank waits as long as it may for its next comparison, as one
 * that has waited for long does. */
static void compare_no_more(void *ctx)
{
  const struct mpj_circle *c = &world()->context->circle;
  (void)ctx;
  if (c->comm && c->since != 0) c->comm->compare_at = MPJ_Wtime() + 1000;
}

static int patient_rank(void *arg)
{
  NEED(!MPJ_Progress_also(compare_no_more, NULL));
  return crossing_rank(arg);
}

START_TEST(a_question_that_has_come_back_is_asked_again_in_time)
{
  play(3, patient_rank, NULL);
}
END_TEST

/* The last rank comes late, when all others have waited long enough to be told: rank 0 for a start
 * of rank 1's, who is in a barrier, which rank 0 has begun as a request. */
static int waiting_rank(void *arg)
{
  int x = 0;
  MPJ_Request r, barrier;
  (void)arg;
  NEED(!MPJ_Bcast_init(&x, MPJ_INT, 1, MPJ_COMM_WORLD, &r));
  if (world()->rank == world()->size - 1) sleep(8);
  if (world()->rank == 1) {
    NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
    NEED(!MPJ_Start(&r) && !MPJ_Wait(&r));
  } else {
    NEED(!MPJ_Ibarrier(MPJ_COMM_WORLD, &barrier) && !MPJ_Start(&r));
    NEED(!MPJ_Wait(&r) && !MPJ_Wait(&barrier));
  }
  NEED(!MPJ_Request_free(&r));
  return MPJ_Finalize();
}

START_TEST(ranks_that_wait_for_a_late_one_are_in_no_circle)
{
  play(4, waiting_rank, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/circle", a_start_that_is_forgotten_by_a_rank_in_another_call_is_told,
                   an_init_that_is_forgotten_by_a_rank_in_a_start_is_told,
                   a_circle_of_two_communicators_is_told,
                   a_circle_of_many_ranks_is_told,
                   who_is_in_an_earlier_operation_has_not_called_it_instead_of_a_later_one,
                   a_question_that_has_come_back_is_asked_again_in_time,
                   ranks_that_wait_for_a_late_one_are_in_no_circle);
}
