/* This file times collectives that run directly on active messages, as MPJ's do,
 * beside the same collectives layered over two-sided messages with tag matching
 * on the same endpoint of the same processes.
 *
 *   mpjrun -n P coll_layered
 *
 * Direct and layered batches take turns; each counts by its slowest rank, and the
 * best of all turns is shown: us an operation on 8 bytes, for Barrier, Bcast,
 * Reduce and Allgather. Roots rotate, and a rank's data comes from the operation
 * before, so nobody runs ahead. The results are compared. */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>

#include "coll/comm/context.h"
#include "layered/collectives.h"
#include "layered/twosided.h"

enum { TURNS = 15, RANKS_MOST = 64 };
static const double turn_seconds = 0.004;

static int rank, size;
static MPJ_Datatype each; /* a double a rank */

static int direct(int operation, double *x, double *all, int root)
{
  double sum = 0;
  int status;
  switch (operation) {
  case 0:
    return MPJ_Barrier(MPJ_COMM_WORLD);
  case 1:
    return MPJ_Bcast(x, MPJ_DOUBLE, root, MPJ_COMM_WORLD);
  case 2:
    status = MPJ_Reduce(x, MPJ_DOUBLE, &sum, MPJ_DOUBLE, MPJ_SUM, root, MPJ_COMM_WORLD);
    if (rank == root) *x = sum / size;
    return status;
  default:
    status = MPJ_Allgather(x, MPJ_DOUBLE, all, each, MPJ_COMM_WORLD);
    *x = all[(rank + 1) % size];
    return status;
  }
}

static int layered(int operation, double *x, double *all, int root)
{
  double sum = 0;
  switch (operation) {
  case 0:
    layered_barrier(rank, size);
    break;
  case 1:
    layered_bcast(x, 1, root, rank, size);
    break;
  case 2:
    layered_reduce(x, &sum, 1, root, rank, size);
    if (rank == root) *x = sum / size;
    break;
  default:
    layered_allgather(x, all, 1, rank, size);
    *x = all[(rank + 1) % size];
  }
  return MPJ_SUCCESS;
}

typedef int way_fn(int operation, double *x, double *all, int root);

/* *us := microseconds a call, of the slowest rank; *x := what came of the data. */
static int batch(way_fn *way, int operation, int calls, double *us, double *x)
{
  double all[RANKS_MOST];
  int status = MPJ_Barrier(MPJ_COMM_WORLD);
  *x = rank;
  const double start = MPJ_Wtime();
  for (int i = 0; i < calls && status == MPJ_SUCCESS; i++)
    status = way(operation, x, all, i % size);
  double mine = 1e6 * (MPJ_Wtime() - start) / calls;
  if (status == MPJ_SUCCESS)
    status = MPJ_Allreduce(&mine, MPJ_DOUBLE, us, MPJ_DOUBLE, MPJ_MAX, MPJ_COMM_WORLD);
  return status;
}

/* Turns of both ways; the best of each. The data must come out alike: the values
 * are small whole numbers or means of such, in another order of addition. */
static int compare(int operation, double best[2])
{
  static way_fn *const ways[2] = {direct, layered};
  double us = 0, x[2];
  int calls = 1, status = MPJ_SUCCESS;
  while (status == MPJ_SUCCESS && us * calls < 1e6 * turn_seconds && calls < 100000)
    status = batch(direct, operation, calls *= 2, &us, &x[0]);
  best[0] = best[1] = 1e30;
  for (int turn = 0; turn < TURNS && status == MPJ_SUCCESS; turn++) {
    for (int w = 0; w < 2 && status == MPJ_SUCCESS; w++) {
      status = batch(ways[w], operation, calls, &us, &x[w]);
      if (us < best[w]) best[w] = us;
    }
    const double difference = x[0] - x[1];
    if (status == MPJ_SUCCESS && (difference > 1e-6 || difference < -1e-6)) {
      fprintf(stderr, "rank %d: operation %d gave %g directly, %g layered\n", rank, operation, x[0],
              x[1]);
      return MPJ_ERR_INTERNAL;
    }
  }
  return status;
}

static int run(void)
{
  int status = MPJ_Type_contiguous(size, MPJ_DOUBLE, &each);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&each);
  twosided_begin(mpj_context_current()->net);
  if (status == MPJ_SUCCESS) status = MPJ_Barrier(MPJ_COMM_WORLD);
  if (rank == 0) printf("%4d", size);
  for (int operation = 0; operation < 4 && status == MPJ_SUCCESS; operation++) {
    double best[2];
    status = compare(operation, best);
    if (rank == 0 && status == MPJ_SUCCESS)
      printf("  %8.2f %8.2f %5.2f", best[0], best[1], best[1] / best[0]);
  }
  if (rank == 0) printf("\n");
  if (status == MPJ_SUCCESS) status = MPJ_Barrier(MPJ_COMM_WORLD);
  twosided_end();
  return MPJ_Type_free(&each) || status;
}

int main(int argc, char **argv)
{
  if (MPJ_Init(&argc, &argv)) return 1;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  if (size < 2 || size > RANKS_MOST) {
    fprintf(stderr, "coll_layered: run it as 2 to %d processes\n", RANKS_MOST);
    return 1;
  }
  const int status = run();
  if (status) fprintf(stderr, "coll_layered: %s\n", MPJ_Error_detail());
  return MPJ_Finalize() || status;
}
