/* This file checks that ranks whose calls differ are told, by a true sentence, where each later
 * call is a barrier: one rank leaves a call out, swaps it with the next or gives it another root.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "coll/engine_play.h"
#include "coll/failure/difference.h"

enum { PATIENCE_S = 20, RANKS_MOST = 5, ODD = 1 };

enum what { BCAST, REDUCE, GATHER, SCATTER, SCAN, ALLREDUCE, WHATS };
enum fault { LEFT_OUT, SWAPPED, OTHER_ROOT };

static const char *const names[WHATS] = {
    "MPJ_Bcast (root 0)", "MPJ_Reduce (root 0)", "MPJ_Gather (root 0)", "MPJ_Scatter (root 0)",
    "MPJ_Scan",           "MPJ_Allreduce"};

struct play {
  enum what what;
  enum fault fault;
  int before; /* calls that are alike */
  /* Ranks that have heard: none leaves before all have, which would be news, too. */
  atomic_int heard;
  atomic_int passed; /* ranks that have ended operation 1 */
};

static int call(enum what what, int root)
{
  int one = 1, out = 0, each[RANKS_MOST] = {0};
  MPJ_Datatype all;
  int status = MPJ_Type_contiguous(world()->size, MPJ_INT, &all);
  if (status != MPJ_SUCCESS) return status;
  MPJ_Type_commit(&all);
  switch (what) {
  case BCAST:
    status = MPJ_Bcast(&one, MPJ_INT, root, MPJ_COMM_WORLD);
    break;
  case REDUCE:
    status = MPJ_Reduce(&one, MPJ_INT, &out, MPJ_INT, MPJ_SUM, root, MPJ_COMM_WORLD);
    break;
  case GATHER:
    status = MPJ_Gather(&one, MPJ_INT, each, all, root, MPJ_COMM_WORLD);
    break;
  case SCATTER:
    status = MPJ_Scatter(each, all, &out, MPJ_INT, root, MPJ_COMM_WORLD);
    break;
  case SCAN:
    status = MPJ_Scan(&one, MPJ_INT, &out, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD);
    break;
  default:
    status = MPJ_Allreduce(&one, MPJ_INT, &out, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD);
  }
  MPJ_Type_free(&all);
  return status;
}

/* The sentence names the call, and by a number that it has on one of the ranks. */
static bool is_true(const struct play *y, const char *sentence)
{
  char first[32], second[32];
  snprintf(first, sizeof first, "operation %d is ", y->before);
  snprintf(second, sizeof second, "operation %d is ", y->before + 1);
  const bool numbered =
      strstr(sentence, first) || (y->fault == SWAPPED && strstr(sentence, second));
  const char *other = y->fault == OTHER_ROOT ? "(root 1)" : "MPJ_Barrier";
  return numbered && strstr(sentence, names[y->what]) && strstr(sentence, other) &&
         strstr(sentence, "on rank 1");
}

static int playing_rank(void *arg)
{
  struct play *y = arg;
  const bool odd = world()->rank == ODD;
  int status = MPJ_SUCCESS;
  for (int i = 0; i < y->before; i++)
    NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (odd && y->fault == SWAPPED) status = MPJ_Barrier(MPJ_COMM_WORLD);
  if (status == MPJ_SUCCESS && (!odd || y->fault != LEFT_OUT))
    status = call(y->what, odd && y->fault == OTHER_ROOT ? 1 : 0);
  /* In one of the next: where ranks share cores, many pass before one has to look at its messages.
   */
  const double end = MPJ_Wtime() + PATIENCE_S;
  while (status == MPJ_SUCCESS && MPJ_Wtime() < end)
    status = MPJ_Barrier(MPJ_COMM_WORLD);
  atomic_fetch_add(&y->heard, 1);
  while (atomic_load(&y->heard) < world()->size)
    sched_yield();
  NEED(status == MPJ_ERR_COMM);
  NEED(is_true(y, MPJ_Error_detail()));
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_COMM && is_true(y, MPJ_Error_detail()));
  return 0;
}

static void play_all(enum fault fault, enum what least, enum what most)
{
  for (enum what what = least; what <= most; what++)
    for (int p = 2; p <= 3; p++) {
      struct play y = {.what = what, .fault = fault, .before = p == 3 ? 3 : 0};
      play(p, playing_rank, &y);
    }
}

START_TEST(a_call_left_out_is_told_to_all)
{
  play_all(LEFT_OUT, BCAST, ALLREDUCE);
}
END_TEST

START_TEST(a_call_in_another_order_is_told_to_all)
{
  play_all(SWAPPED, BCAST, ALLREDUCE);
}
END_TEST

START_TEST(another_root_is_told_to_all)
{
  play_all(OTHER_ROOT, BCAST, SCATTER);
}
END_TEST

/* Operation 0 waits on rank 0 for rank 2, who comes once rank 0 has been told. Meanwhile operation
 * 1, a gather with another root on rank 1, has ended on rank 0. What rank 1 sends is of that one.
 */
static int passing_rank(void *arg)
{
  struct play *y = arg;
  const int rank = world()->rank;
  int one = 1, each[3];
  MPJ_Datatype all;
  MPJ_Request r;
  NEED(!MPJ_Type_contiguous(3, MPJ_INT, &all) && !MPJ_Type_commit(&all));
  while (rank == 2 && atomic_load(&y->heard) == 0)
    sched_yield();
  int status = MPJ_Igather(&one, MPJ_INT, each, all, 0, MPJ_COMM_WORLD, &r);
  NEED(rank == 2 || status == MPJ_SUCCESS);
  if (rank == 0) NEED(!MPJ_Gather(&one, MPJ_INT, each, all, 2, MPJ_COMM_WORLD));
  atomic_fetch_add(&y->passed, rank == 0);
  while (atomic_load(&y->passed) == 0)
    sched_yield();
  if (rank == 1) status = MPJ_Gather(&one, MPJ_INT, each, all, 0, MPJ_COMM_WORLD);
  if (status == MPJ_SUCCESS) status = MPJ_Wait(&r);
  while (rank == 2 && mpj_net_poll(world()->net)) /* rank 0's gather, and what it has found */
    ;
  if (status == MPJ_SUCCESS) status = MPJ_Barrier(MPJ_COMM_WORLD);
  atomic_fetch_add(&y->heard, 1);
  NEED(status == MPJ_ERR_COMM && strstr(MPJ_Error_detail(), "operation 1 is "));
  NEED(strstr(MPJ_Error_detail(), "MPJ_Gather (root 2) on rank 0"));
  NEED(strstr(MPJ_Error_detail(), "MPJ_Gather (root 0) on rank 1"));
  NEED(!MPJ_Type_free(&all));
  return 0;
}

START_TEST(what_comes_for_an_operation_that_has_ended_before_an_earlier_one_is_of_it)
{
  struct play y = {.heard = 0};
  play(3, passing_rank, &y);
}
END_TEST

/* The root of a gather waits for rank 1, which has another root and has ended: it is in a barrier
 * on another communicator, as is rank 0. */
static int answering_rank(void *arg)
{
  const int rank = world()->rank, root = rank == ODD ? 0 : 2;
  int one = 1, each[3];
  MPJ_Comm dup;
  MPJ_Datatype all;
  MPJ_Request r;
  (void)arg;
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &dup));
  NEED(!MPJ_Type_contiguous(3, MPJ_INT, &all) && !MPJ_Type_commit(&all));
  NEED(!MPJ_Igather(&one, MPJ_INT, each, all, root, MPJ_COMM_WORLD, &r));
  if (rank == 2) {
    NEED(MPJ_Wait(&r) == MPJ_ERR_COMM);
    NEED(strstr(MPJ_Error_detail(), "MPJ_Gather (root 2) on rank "));
    NEED(strstr(MPJ_Error_detail(), "but MPJ_Gather (root 0) on rank 1"));
  }
  NEED(!MPJ_Barrier(dup));
  if (rank == 1) NEED(!MPJ_Wait(&r));
  if (rank == 0) { /* what rank 1 sent may have come before it had begun */
    const int status = MPJ_Wait(&r);
    NEED(status == MPJ_SUCCESS || status == MPJ_ERR_COMM);
  }
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_COMM);
  NEED(strstr(MPJ_Error_detail(), "MPJ_Gather (root 2) on rank "));
  NEED(strstr(MPJ_Error_detail(), "MPJ_Gather (root 0) on rank 1"));
  NEED(!MPJ_Type_free(&all));
  return 0;
}

START_TEST(who_has_ended_with_another_root_tells_who_waits_and_all_hear_both_calls)
{
  play(3, answering_rank, NULL);
}
END_TEST

/* The same where the others call nothing for longer than a failure takes to be told. */
static int absent_rank(void *arg)
{
  const int rank = world()->rank, root = rank == ODD ? 0 : 2;
  int one = 1, each[3];
  MPJ_Datatype all;
  (void)arg;
  NEED(!MPJ_Type_contiguous(3, MPJ_INT, &all) && !MPJ_Type_commit(&all));
  int status = MPJ_Gather(&one, MPJ_INT, each, all, root, MPJ_COMM_WORLD);
  const double end = MPJ_Wtime() + 6;
  while (rank != 2 && MPJ_Wtime() < end)
    usleep(10000);
  if (status == MPJ_SUCCESS) status = MPJ_Barrier(MPJ_COMM_WORLD);
  NEED(status == MPJ_ERR_COMM && strstr(MPJ_Error_detail(), "MPJ_Gather (root 2) on rank "));
  NEED(strstr(MPJ_Error_detail(), "MPJ_Gather (root 0) on rank 1"));
  NEED(!MPJ_Type_free(&all));
  return 0;
}

START_TEST(who_waits_for_ranks_that_call_nothing_hears_what_they_have_called)
{
  play(3, absent_rank, NULL);
}
END_TEST

/* Functions that are made of collectives, and two that are not; none at all. */
enum whole { DUP, SPLIT, SPLIT_NODE, CREATE, GATHERED, ALLGATHER, BARRIER, FINALIZE, WHOLES };

static const char *const wholes[WHOLES] = {"MPJ_Comm_dup",
                                           "MPJ_Comm_split",
                                           "MPJ_Comm_split_node",
                                           "MPJ_Comm_create",
                                           "MPJ_Type_create_gathered",
                                           "MPJ_Allgather",
                                           "MPJ_Barrier",
                                           "MPJ_Finalize"};

static int call_whole(enum whole whole)
{
  const int ranks[] = {0, 1}, mine = 1;
  int each[RANKS_MOST];
  MPJ_Comm made;
  MPJ_Datatype all;
  NEED(!MPJ_Type_contiguous(world()->size, MPJ_INT, &all) && !MPJ_Type_commit(&all));
  switch (whole) {
  case DUP:
    return MPJ_Comm_dup(MPJ_COMM_WORLD, &made);
  case SPLIT:
    return MPJ_Comm_split(MPJ_COMM_WORLD, 0, 0, &made);
  case SPLIT_NODE:
    return MPJ_Comm_split_node(MPJ_COMM_WORLD, 0, &made);
  case CREATE:
    return MPJ_Comm_create(MPJ_COMM_WORLD, 2, ranks, &made);
  case GATHERED:
    return MPJ_Type_create_gathered(MPJ_INT, MPJ_ALL, MPJ_COMM_WORLD, &all);
  case ALLGATHER:
    return MPJ_Allgather(&mine, MPJ_INT, each, all, MPJ_COMM_WORLD);
  default:
    return whole == BARRIER ? MPJ_Barrier(MPJ_COMM_WORLD) : MPJ_SUCCESS;
  }
}

struct pair {
  enum whole here, there;
};

/* Rank 1 calls another function than the others. */
static int differing_rank(void *arg)
{
  const struct pair *pair = arg;
  char said[400] = "";
  const int status = call_whole(world()->rank == ODD ? pair->there : pair->here);
  if (status != MPJ_SUCCESS) snprintf(said, sizeof said, "%s", MPJ_Error_detail());
  if (MPJ_Finalize() != MPJ_SUCCESS && status == MPJ_SUCCESS)
    snprintf(said, sizeof said, "%s", MPJ_Error_detail());
  char here[40], there[40];
  snprintf(here, sizeof here, " %s on rank ", wholes[pair->here]);
  snprintf(there, sizeof there, " %s on rank 1", wholes[pair->there]);
  if (strstr(said, here) && strstr(said, there) && strstr(said, "operation 0 ")) return 0;
  fprintf(stderr, "%s and %s on rank 1: %s\n", wholes[pair->here], wholes[pair->there], said);
  return 1;
}

START_TEST(what_was_called_is_named_not_what_it_is_made_of)
{
  for (enum whole here = DUP; here <= GATHERED; here++)
    for (enum whole there = DUP; there < WHOLES; there++)
      for (int p = 2; p <= 3 && there != here; p++) {
        struct pair pair = {here, there};
        play(p, differing_rank, &pair);
      }
}
END_TEST

/* The code of two ranks' calls, whichever of the two finds it. */
static int code_of(struct mpj_called a, struct mpj_called b)
{
  struct mpj_comm *comm = world();
  const int one_way = mpj_cause_of_calls(comm, 0, 0, a, 1, b).code;
  const int other_way = mpj_cause_of_calls(comm, 0, 1, b, 0, a).code;
  struct mpj_cause own = mpj_cause_of_own(comm, 0, 1, b);
  mpj_cause_complete(comm, a, &own);
  return one_way == other_way && one_way == own.code ? one_way : MPJ_ERR_INTERNAL;
}

static int coding_rank(void *arg)
{
  (void)arg;
  const struct mpj_called gather = {.operation = MPJ_OPERATION_GATHER, .root = 0},
                          elsewhere = {.operation = MPJ_OPERATION_GATHER, .root = 1},
                          bcast = {.operation = MPJ_OPERATION_BCAST, .algorithm = 1, .root = 0},
                          longer = {.operation = MPJ_OPERATION_BCAST, .algorithm = 2, .root = 0},
                          freed = {.operation = MPJ_OPERATION_COMM_FREE, .root = -1},
                          finalize = {.operation = MPJ_OPERATION_FINALIZE, .root = -1};
  NEED(code_of(gather, elsewhere) == MPJ_ERR_COMM);
  NEED(code_of(gather, bcast) == MPJ_ERR_COMM);
  NEED(code_of(gather, freed) == MPJ_ERR_COMM);
  NEED(code_of(bcast, longer) == MPJ_ERR_SIGNATURE);
  NEED(code_of(gather, finalize) == MPJ_ERR_PEER);
  NEED(code_of(freed, finalize) == MPJ_ERR_PEER);
  return 0;
}

START_TEST(a_rank_that_has_called_finalize_is_a_lost_peer_whoever_finds_it)
{
  play(1, coding_rank, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/difference",
                   a_rank_that_has_called_finalize_is_a_lost_peer_whoever_finds_it,
                   what_comes_for_an_operation_that_has_ended_before_an_earlier_one_is_of_it,
                   who_has_ended_with_another_root_tells_who_waits_and_all_hear_both_calls,
                   who_waits_for_ranks_that_call_nothing_hears_what_they_have_called,
                   a_call_left_out_is_told_to_all, a_call_in_another_order_is_told_to_all,
                   another_root_is_told_to_all, what_was_called_is_named_not_what_it_is_made_of);
}
