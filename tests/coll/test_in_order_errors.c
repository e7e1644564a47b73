/* This file tests what goes wrong with operations that run in the order of their steps, after calls
 * that did: freed handles, ranks that differ, a rank that leaves. */
#include "coll/engine_play.h"

/* What was right a moment ago need not be so now. */
static int stale_rank(void *arg)
{
  int x = 0;
  MPJ_Comm comm;
  MPJ_Datatype type, stale;
  (void)arg;
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comm));
  NEED(!MPJ_Type_contiguous(1, MPJ_INT, &type) && !MPJ_Type_commit(&type));
  for (int time = 0; time < 5; time++)
    NEED(!MPJ_Bcast(&x, type, 0, comm));
  stale = type;
  NEED(!MPJ_Type_free(&type));
  NEED(MPJ_Bcast(&x, stale, 0, comm) == MPJ_ERR_TYPE);
  for (int time = 0; time < 5; time++)
    NEED(!MPJ_Bcast(&x, MPJ_INT, 0, comm));
  const MPJ_Comm left = comm;
  NEED(!MPJ_Comm_free(&comm));
  NEED(MPJ_Bcast(&x, MPJ_INT, 0, left) == MPJ_ERR_COMM);
  return 0;
}

START_TEST(handles_that_were_freed_are_errors)
{
  play(2, stale_rank, NULL);
  play(3, stale_rank, NULL);
}
END_TEST

/* After calls that were quick one rank's is another one. */
enum misfit { OTHER_TYPE, OTHER_ROOT, WRONG_ROOT, OTHER_OPERATION };

static int begin_misfit(double *x)
{
  for (int time = 0; time < 5; time++) {
    *x = world()->rank == 0 ? time : -1;
    NEED(!MPJ_Bcast(x, MPJ_DOUBLE, 0, MPJ_COMM_WORLD));
    NEED(*x == time);
  }
  return 0;
}

static int misfit_rank(void *arg)
{
  const enum misfit misfit = *(const enum misfit *)arg;
  const bool odd = world()->rank == 1;
  double x, sums = 0;
  NEED(!begin_misfit(&x));
  int status = 0;
  if (misfit == OTHER_OPERATION && odd)
    status = MPJ_Allreduce(&x, MPJ_DOUBLE, &sums, MPJ_DOUBLE, MPJ_SUM, MPJ_COMM_WORLD);
  else if (misfit == OTHER_TYPE && odd)
    status = MPJ_Bcast(&x, MPJ_INT64, 0, MPJ_COMM_WORLD);
  else
    status = MPJ_Bcast(&x, MPJ_DOUBLE,
                       !odd                   ? 0
                       : misfit == OTHER_ROOT ? 1
                       : misfit == WRONG_ROOT ? 77
                                              : 0,
                       MPJ_COMM_WORLD);
  if (misfit == OTHER_TYPE) NEED(status == (odd ? MPJ_ERR_SIGNATURE : MPJ_SUCCESS));
  if (misfit == WRONG_ROOT && odd) NEED(status == MPJ_ERR_ROOT);
  if (misfit == OTHER_TYPE || misfit == WRONG_ROOT) return begin_misfit(&x);
  while (!status) /* whoever had done its part before hears of it in time */
    status = MPJ_Barrier(MPJ_COMM_WORLD);
  NEED(status == MPJ_ERR_COMM);
  NEED(MPJ_Bcast(&x, MPJ_DOUBLE, 0, MPJ_COMM_WORLD) == status);
  return 0;
}

START_TEST(what_does_not_fit_is_an_error_as_ever)
{
  for (enum misfit m = OTHER_TYPE; m <= OTHER_OPERATION; m++)
    for (int p = 2; p <= 4; p++)
      play(p, misfit_rank, &m);
}
END_TEST

/* Rank 1 leaves while the others go on. */
static int leaving_rank(void *arg)
{
  int sums, one = 1, status = 0;
  (void)arg;
  for (int time = 0; !status && (time < 20 || world()->rank != 1); time++)
    status = MPJ_Allreduce(&one, MPJ_INT, &sums, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD);
  NEED(world()->rank == 1 ? status == MPJ_SUCCESS : status == MPJ_ERR_PEER);
  const int rank = world()->rank;
  NEED(MPJ_Finalize() == (rank == 1 ? MPJ_ERR_COMM : MPJ_SUCCESS));
  return 0;
}

START_TEST(a_rank_that_leaves_is_noticed)
{
  play(2, leaving_rank, NULL);
  play(3, leaving_rank, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/in_order_errors", handles_that_were_freed_are_errors,
                   what_does_not_fit_is_an_error_as_ever, a_rank_that_leaves_is_noticed);
}
