/* This file tests checking mode where the exchange of calls itself goes wrong, or what
 * is said by it. */
#include <stdlib.h>

#include "base/config/config.h"
#include "coll/engine_play.h"

#define WORLD MPJ_COMM_WORLD

static bool detail_has(const char *text)
{
  return strstr(MPJ_Error_detail(), text) != NULL;
}

static int sum_up(MPJ_Comm comm)
{
  int one = 1, all = 0, size = 0;
  const int status = MPJ_Allreduce(&one, MPJ_INT, &all, MPJ_INT, MPJ_SUM, comm);
  if (status != MPJ_SUCCESS) return status;
  MPJ_Comm_size(comm, &size);
  return all == size ? MPJ_SUCCESS : MPJ_ERR_INTERNAL;
}

/* Users count operations, not exchanges. */

static int count_operations(void *arg)
{
  int data = 0;
  (void)arg;
  for (int i = 0; i < 3; i++)
    NEED(!MPJ_Barrier(WORLD));
  const int me = world()->rank;
  const int status = me == 1 ? MPJ_Barrier(WORLD) : MPJ_Bcast(&data, MPJ_INT, 0, WORLD);
  NEED(status == MPJ_ERR_COMM && detail_has("operation 3 is"));
  NEED(detail_has("MPJ_Barrier on rank 1") && detail_has("MPJ_Bcast on rank"));
  NEED(!sum_up(WORLD));
  return 0;
}

START_TEST(operations_are_counted_as_users_count_them)
{
  play(4, count_operations, NULL);
}
END_TEST

/* What is made of several operations ends with the first one that does not fit: each rank's
 * next call is everybody's next. */

static int make_something_else(void *arg)
{
  (void)arg;
  MPJ_Comm comm, made = MPJ_COMM_NULL;
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  const bool odd = world()->rank == 1;
  NEED(!MPJ_Comm_dup(WORLD, &comm));
  NEED((odd ? MPJ_Comm_dup(comm, &made) : sum_up(comm)) == MPJ_ERR_COMM);
  NEED(detail_has("MPJ_Comm_dup on rank 1, but MPJ_Allreduce") ||
       detail_has("but MPJ_Comm_dup on rank 1"));
  NEED(!odd || detail_has("MPJ_Comm_dup on rank 1: operation 0 is"));
  NEED(!sum_up(comm) && !sum_up(WORLD));
  NEED((odd ? MPJ_Type_create_gathered(MPJ_INT, MPJ_ALL, comm, &type)
            : MPJ_Comm_split(comm, 0, 0, &made)) == MPJ_ERR_COMM);
  NEED(detail_has(" MPJ_Comm_split on rank ") && detail_has(" MPJ_Type_create_gathered on rank 1"));
  NEED(!sum_up(comm) && !sum_up(WORLD));
  NEED(made == MPJ_COMM_NULL && type == MPJ_DATATYPE_NULL);
  return MPJ_Comm_free(&comm);
}

START_TEST(calls_of_several_operations_end_with_one_that_does_not_fit)
{
  play(2, make_something_else, NULL);
  play(5, make_something_else, NULL);
}
END_TEST

/* A bad argument */

static int give_nonsense(void *arg)
{
  int data = 0;
  MPJ_Request request = MPJ_REQUEST_NULL;
  (void)arg;
  const bool culprit = world()->rank == 1;
  for (int i = 0; i < 3; i++) {
    const int root = culprit ? 99 : 0;
    NEED(MPJ_Bcast(&data, MPJ_INT, root, WORLD) == MPJ_ERR_ROOT &&
         detail_has(culprit ? "99" : "rank 1 failed"));
    int status = MPJ_Ibcast(&data, MPJ_INT, root, WORLD, &request);
    if (!culprit) status = MPJ_Wait(&request);
    NEED(status == MPJ_ERR_ROOT && detail_has(culprit ? "99" : "rank 1 failed"));
    NEED(!sum_up(WORLD));
  }
  return 0;
}

START_TEST(a_bad_argument_is_heard_of_and_does_no_harm)
{
  play(2, give_nonsense, NULL);
  play(5, give_nonsense, NULL);
}
END_TEST

/* Lifted functions are told apart, though one function of the library calls them. */

static int add(int a, int b)
{
  return a + b;
}

static int greater(int a, int b)
{
  return a > b ? a : b;
}

static int lift_differently(void *arg)
{
  int in = 1, out = 0;
  MPJ_Op op;
  (void)arg;
  const bool odd = world()->rank == 1;
  NEED(!MPJ_Op_lift((void (*)(void))(odd ? greater : add), MPJ_INT, 1, &op));
  NEED(MPJ_Allreduce(&in, MPJ_INT, &out, MPJ_INT, op, WORLD) == MPJ_ERR_OP);
  NEED(detail_has("another function") && detail_has("rank 1") && out == 0);
  NEED(!MPJ_Op_free(&op) && !MPJ_Op_lift((void (*)(void))add, MPJ_INT, 1, &op));
  NEED(!MPJ_Allreduce(&in, MPJ_INT, &out, MPJ_INT, op, WORLD) && out == world()->size);
  return MPJ_Op_free(&op);
}

START_TEST(lifted_functions_are_compared)
{
  MPJ_Op op;
  if (MPJ_Op_lift((void (*)(void))add, MPJ_INT, 1, &op) == MPJ_ERR_UNSUPPORTED) return;
  MPJ_Op_free(&op);
  play(3, lift_differently, NULL);
}
END_TEST

/* What ranks describe is named, on both sides, whatever it is. */

static int five_runs(const MPJ_Count counts[5], const MPJ_Datatype basics[5], MPJ_Datatype *all)
{
  MPJ_Aint displs[5], at = 0;
  MPJ_Datatype type;
  for (int i = 0; i < 5; i++) {
    MPJ_Count bytes;
    NEED(!MPJ_Type_size(basics[i], &bytes));
    displs[i] = at;
    at += counts[i] * bytes;
  }
  NEED(!MPJ_Type_create_struct(5, counts, displs, basics, &type));
  NEED(!MPJ_Type_create_resized(type, 0, at, all) && !MPJ_Type_free(&type));
  return MPJ_Type_commit(all);
}

/* MPJ_ERR_SIGNATURE, and both sequences are named, and the element from which on they differ. */
static bool is_told(int status)
{
  static const char odd[] = "3 int, then 5 double, then 7 char, then 2 short, then 11 float";
  static const char usual[] = "3 int, then 4 double, then 6 short, then 5 float, then 1 char";
  if (status == MPJ_ERR_SIGNATURE && detail_has(odd) && detail_has(usual) &&
      detail_has("differ at element 7"))
    return true;
  fprintf(stderr, "rank %d: %d, %s\n", world()->rank, status, MPJ_Error_detail());
  return false;
}

static int call_unlike(char *in, char *out, MPJ_Datatype one, MPJ_Datatype each)
{
  NEED(is_told(MPJ_Bcast(out, one, 0, WORLD)));
  NEED(is_told(MPJ_Gather(in, one, out, each, 0, WORLD)));
  NEED(is_told(MPJ_Scatter(in, each, out, one, 0, WORLD)));
  NEED(is_told(MPJ_Alltoall(in, each, out, each, WORLD)));
  NEED(is_told(MPJ_Alltoall(MPJ_IN_PLACE, each, out, each, WORLD)));
  NEED(is_told(MPJ_Allgather(MPJ_IN_PLACE, each, out, each, WORLD)));
  NEED(is_told(MPJ_Reduce_scatter(in, each, out, one, MPJ_REPLACE, WORLD)));
  return sum_up(WORLD);
}

static int request_unlike(char *in, char *out, MPJ_Datatype one, MPJ_Datatype each)
{
  MPJ_Request many[3];
  for (int i = 0; i < 3; i++)
    NEED(!MPJ_Iallgather(in, one, out, each, WORLD, &many[i]));
  NEED(is_told(MPJ_Bcast(out, one, 0, WORLD))); /* while the others' types are told */
  for (int i = 2; i >= 0; i--)
    NEED(is_told(MPJ_Wait(&many[i])));
  return sum_up(WORLD);
}

static int describe_unlike(void *arg)
{
  char in[4096] = {0}, out[4096] = {0};
  MPJ_Datatype one, each;
  (void)arg;
  if (world()->rank == world()->size - 1)
    NEED(!five_runs((MPJ_Count[]){3, 5, 7, 2, 11},
                    (MPJ_Datatype[]){MPJ_INT, MPJ_DOUBLE, MPJ_CHAR, MPJ_SHORT, MPJ_FLOAT}, &one));
  else
    NEED(!five_runs((MPJ_Count[]){3, 4, 6, 5, 1},
                    (MPJ_Datatype[]){MPJ_INT, MPJ_DOUBLE, MPJ_SHORT, MPJ_FLOAT, MPJ_CHAR}, &one));
  NEED(!MPJ_Type_contiguous(world()->size, one, &each) && !MPJ_Type_commit(&each));
  NEED(!call_unlike(in, out, one, each) && !request_unlike(in, out, one, each));
  NEED(!MPJ_Type_free(&each));
  return MPJ_Type_free(&one);
}

START_TEST(what_both_ranks_describe_is_named_run_by_run)
{
  play(2, describe_unlike, NULL);
  play(5, describe_unlike, NULL);
}
END_TEST

/* Types whose parts overlap, or one part with itself: an error of who receives into them, and of
 * nobody who sends them or combines what comes. */

static int describe_twice(void *arg)
{
  double data[64] = {0}, out[64] = {0};
  MPJ_Datatype shared, dense, twice, two;
  (void)arg;
  const int me = world()->rank, size = world()->size;
  /* Parts of 2 doubles that begin 1 double apart; the same that do not overlap. */
  NEED(!MPJ_Type_vector(size, 2, 1, MPJ_DOUBLE, &shared) && !MPJ_Type_commit(&shared));
  NEED(!MPJ_Type_vector(size, 2, 2, MPJ_DOUBLE, &dense) && !MPJ_Type_commit(&dense));
  NEED(!MPJ_Type_create_indexed_block(2, 1, (MPJ_Count[]){3, 3}, MPJ_DOUBLE, &twice));
  NEED(!MPJ_Type_contiguous(2, MPJ_DOUBLE, &two) && !MPJ_Type_commit(&two));
  NEED(!MPJ_Type_commit(&twice));
  int status = MPJ_Gather(data, two, out, shared, 1, WORLD);
  NEED(status == MPJ_ERR_TYPE && detail_has(me == 1 ? "recvtype receives" : "rank 1 failed"));
  NEED(me != 1 || (detail_has("displacement 0") && detail_has("displacement 8")));
  NEED(MPJ_Allgather(data, two, out, shared, WORLD) == MPJ_ERR_TYPE);
  NEED(MPJ_Alltoall(data, dense, out, shared, WORLD) == MPJ_ERR_TYPE);
  status = MPJ_Bcast(out, me == 0 ? two : twice, 0, WORLD);
  NEED(status == MPJ_ERR_TYPE && detail_has(me == 0 ? " failed" : "type receives into"));
  NEED(me == 0 || detail_has("displacement 24 overlaps that at displacement 24"));
  status = MPJ_Scatter(data, dense, out, me == 1 ? twice : two, 0, WORLD);
  NEED(status == MPJ_ERR_TYPE || (status == MPJ_SUCCESS && me != 1));
  NEED(!sum_up(WORLD));
  /* Nonblocking and persistent ones. */
  MPJ_Request request = MPJ_REQUEST_NULL;
  NEED(MPJ_Iallgather(data, two, out, shared, WORLD, &request) == MPJ_ERR_TYPE);
  NEED(MPJ_Allgather_init(data, two, out, shared, WORLD, &request) == MPJ_ERR_TYPE);
  NEED(!sum_up(WORLD));
  /* They may be sent, or combined. */
  NEED(!MPJ_Scatter(data, shared, out, two, 0, WORLD));
  NEED(!MPJ_Alltoall(data, shared, out, dense, WORLD));
  NEED(!MPJ_Bcast(out, me == 0 ? twice : two, 0, WORLD));
  NEED(!MPJ_Allreduce(data, two, out, twice, MPJ_SUM, WORLD));
  NEED(!MPJ_Type_free(&shared) && !MPJ_Type_free(&dense) && !MPJ_Type_free(&twice));
  return MPJ_Type_free(&two);
}

START_TEST(receiving_into_the_same_memory_twice_is_an_error)
{
  play(2, describe_twice, NULL);
  play(3, describe_twice, NULL);
}
END_TEST

static int receive_twice_alone(void *arg)
{
  double data[2] = {0}, out[2] = {0};
  MPJ_Datatype inner, twice;
  (void)arg;
  NEED(!MPJ_Type_create_indexed_block(2, 1, (MPJ_Count[]){1, 1}, MPJ_DOUBLE, &inner));
  NEED(!MPJ_Type_contiguous(1, inner, &twice) && !MPJ_Type_commit(&twice));
  NEED(!MPJ_Type_free(&inner));
  for (int i = 0; i < 5; i++)
    NEED(MPJ_Allgather(data, twice, out, twice, WORLD) == MPJ_ERR_TYPE);
  return MPJ_Type_free(&twice);
}

START_TEST(receiving_twice_is_an_error_of_a_rank_alone_too)
{
  play(1, receive_twice_alone, NULL);
}
END_TEST

/* A request that nobody waits for, while its calls are compared. */
static int free_early(void *arg)
{
  int in = 1, out = 0;
  MPJ_Request request;
  (void)arg;
  NEED(!MPJ_Iallreduce(&in, MPJ_INT, &out, MPJ_INT, MPJ_SUM, WORLD, &request));
  NEED(!MPJ_Request_free(&request));
  NEED(!MPJ_Ibarrier(WORLD, &request) && !MPJ_Wait(&request));
  NEED(out == world()->size);
  NEED(!MPJ_Iallreduce(&in, MPJ_INT, &out, MPJ_INT, world()->rank ? MPJ_SUM : MPJ_MAX, WORLD,
                       &request));
  NEED(!MPJ_Request_free(&request));
  return sum_up(WORLD);
}

START_TEST(a_request_may_be_freed_while_it_is_checked)
{
  play(4, free_early, NULL);
}
END_TEST

/* Memory runs out on one rank, at its n-th allocation in a checked call. */

struct famine {
  int rank;
  long successes;
  _Atomic int failed;
};

static int starve(void *arg)
{
  struct famine *f = arg;
  MPJ_Comm comm;
  NEED(!MPJ_Comm_dup(WORLD, &comm));
  if (world()->rank == f->rank) mpj_memory_fail_after(f->successes);
  const int status = sum_up(comm);
  mpj_memory_fail_after(-1);
  NEED(status == MPJ_SUCCESS || status == MPJ_ERR_NO_MEM);
  if (status != MPJ_SUCCESS) atomic_fetch_add(&f->failed, 1);
  const int then = sum_up(comm); /* as before, or broken for all */
  NEED(then == MPJ_SUCCESS || then == MPJ_ERR_NO_MEM || then == MPJ_ERR_COMM);
  NEED(!MPJ_Comm_free(&comm) && !sum_up(WORLD));
  return 0;
}

START_TEST(shortage_while_calls_are_compared_is_told_to_all)
{
  enum { RANKS = 3 };
  for (int rank = 0; rank < RANKS; rank++) {
    struct famine f = {.rank = rank, .failed = 1};
    for (; f.failed > 0; f.successes++) {
      ck_assert_int_lt((int)f.successes, 200);
      f.failed = 0;
      const long outstanding = mpj_memory_outstanding();
      play(RANKS, starve, &f);
      mpj_layout_forget_permanent();
      ck_assert_int_eq(mpj_memory_outstanding(), outstanding);
    }
    ck_assert_int_gt((int)f.successes, 3);
  }
}
END_TEST

int main(void)
{
  if (setenv("MPJ_CHECK", "1", 1) != 0 || mpj_config()->check != 1) return EXIT_FAILURE;
  return RUN_SUITE("coll/check", operations_are_counted_as_users_count_them,
                   calls_of_several_operations_end_with_one_that_does_not_fit,
                   a_bad_argument_is_heard_of_and_does_no_harm, lifted_functions_are_compared,
                   what_both_ranks_describe_is_named_run_by_run,
                   receiving_into_the_same_memory_twice_is_an_error,
                   receiving_twice_is_an_error_of_a_rank_alone_too,
                   a_request_may_be_freed_while_it_is_checked,
                   shortage_while_calls_are_compared_is_told_to_all);
}
