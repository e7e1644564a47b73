/* This file is the worker of `mpj-bench interop overhead`: the same operation by MPI's name, which
 * the interposer serves, and by MPJ's, in one process, batch by batch in turn.
 *
 *   {"case": "allreduce", "timing": "back_to_back", "way": "mpj", "p": 2, "bytes": 8, "us": .4}
 *
 * way     mpj: MPI_Allreduce, interposed; beside: MPJ_Allreduce
 * A time is the median over the batches of the slowest rank's. `allreduce_after_isend` comes last:
 * once the program has called MPI_Isend, served calls let MPI progress, too.
 *
 *   interop_overhead_MPI SECONDS     of each result, under the interposer */
#include <mpi.h>
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 15 };

static int rank, nranks;
static double mine[64], all[64];

static int mpi_barrier(void)
{
  return MPI_Barrier(MPI_COMM_WORLD);
}

static int mpj_barrier(void)
{
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

static int mpi_bcast(void)
{
  return MPI_Bcast(mine, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static int mpj_bcast(void)
{
  return MPJ_Bcast(mine, MPJ_DOUBLE, 0, MPJ_COMM_WORLD);
}

static int mpi_allreduce(void)
{
  return MPI_Allreduce(mine, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int mpj_allreduce(void)
{
  return MPJ_Allreduce(mine, MPJ_DOUBLE, all, MPJ_DOUBLE, MPJ_SUM, MPJ_COMM_WORLD);
}

static MPJ_Datatype each; /* a double a rank */

static int mpi_alltoall(void)
{
  return MPI_Alltoall(mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
}

static int mpj_alltoall(void)
{
  return MPJ_Alltoall(mine, each, all, each, MPJ_COMM_WORLD);
}

static int (*const pairs[][2])(void) = {{mpi_barrier, mpj_barrier},
                                        {mpi_bcast, mpj_bcast},
                                        {mpi_allreduce, mpj_allreduce},
                                        {mpi_alltoall, mpj_alltoall},
                                        {mpi_allreduce, mpj_allreduce}};
static const char *const names[] = {"barrier", "bcast", "allreduce", "alltoall",
                                    "allreduce_after_isend"};
enum { PAIRS = sizeof names / sizeof *names };

static void fail(const char *why)
{
  fprintf(stderr, "interop_overhead: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Seconds of n calls on the slowest rank. */
static double batch(int (*call)(void), long n)
{
  double spent, longest;
  int failed = 0;
  PMPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long i = 0; i < n; i++)
    failed |= call();
  spent = MPI_Wtime() - start;
  if (failed) fail(MPJ_Error_detail());
  PMPI_Allreduce(&spent, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void say(int pair, const char *way, double us[BATCHES])
{
  if (rank != 0) return;
  qsort(us, BATCHES, sizeof *us, by_size);
  printf("{\"case\": \"%s\", \"timing\": \"back_to_back\", \"way\": \"%s\", \"p\": %d, "
         "\"bytes\": %d, \"us\": %.6g}\n",
         names[pair], way, nranks, strcmp(names[pair], "barrier") ? 8 : 0, us[BATCHES / 2]);
}

static void time_pair(int pair, double seconds)
{
  double us[2][BATCHES];
  long n = 100;
  while (batch(pairs[pair][0], n) < seconds / BATCHES && n < 1000000)
    n *= 2;
  batch(pairs[pair][1], n);
  for (int i = 0; i < BATCHES; i++)
    for (int way = 0; way < 2; way++)
      us[way][i] = 1e6 * batch(pairs[pair][way], n) / (double)n;
  say(pair, "mpj", us[0]);
  say(pair, "beside", us[1]);
}

static void send_something(void)
{
  MPI_Request request;
  MPI_Isend(mine, 1, MPI_DOUBLE, (rank + 1) % nranks, 0, MPI_COMM_WORLD, &request);
  MPI_Recv(all, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  const double seconds = argc > 1 ? atof(argv[1]) : 0.05;
  int begun = 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nranks);
  if (nranks > (int)(sizeof mine / sizeof *mine)) fail("more ranks than it has room for");
  if (MPJ_Initialized(&begun) || !begun) fail("no interposer has begun MPJ");
  if (MPJ_Type_contiguous(nranks, MPJ_DOUBLE, &each) || MPJ_Type_commit(&each))
    fail(MPJ_Error_detail());
  for (int i = 0; i < PAIRS; i++) {
    if (i == PAIRS - 1) send_something();
    time_pair(i, seconds);
  }
  MPJ_Type_free(&each);
  MPI_Finalize();
  return 0;
}
