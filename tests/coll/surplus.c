/* In this program rank 1 makes a call more than the others, the last one: every rank hears of it,
 * by that call or by MPJ_Finalize.
 *
 *   coll_surplus KIND              0 to 4: the call; as a rank of a job
 *   coll_surplus --threads N TIMES */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

enum { BEFORE = 7, ODD = 1, KINDS = 5 };

static int call(int kind, int size)
{
  int x = 1, y = 0;
  switch (kind) {
  case 0:
    return MPJ_Bcast(&x, MPJ_INT, ODD, MPJ_COMM_WORLD);
  case 1:
    return MPJ_Bcast(&x, MPJ_INT, 0, MPJ_COMM_WORLD);
  case 2:
    return MPJ_Barrier(MPJ_COMM_WORLD);
  case 3:
    return MPJ_Reduce(&x, MPJ_INT, &y, MPJ_INT, MPJ_SUM, (ODD + 1) % size, MPJ_COMM_WORLD);
  default:
    return MPJ_Allreduce(&x, MPJ_INT, &y, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD);
  }
}

static int rank_main(void *arg)
{
  int rank = -1, size = 0, x = 0, status = MPJ_SUCCESS;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  for (int i = 0; i < BEFORE && status == MPJ_SUCCESS; i++)
    status = MPJ_Bcast(&x, MPJ_INT, i % size, MPJ_COMM_WORLD);
  if (status == MPJ_SUCCESS && rank == ODD) status = call(*(const int *)arg, size);
  char expected[40], sentence[400] = "";
  snprintf(expected, sizeof expected, "operation %d is ", BEFORE);
  if (status != MPJ_SUCCESS) snprintf(sentence, sizeof sentence, "%s", MPJ_Error_detail());
  const int end = MPJ_Finalize();
  if (end != MPJ_SUCCESS) snprintf(sentence, sizeof sentence, "%s", MPJ_Error_detail());
  if (strstr(sentence, expected) && strstr(sentence, "on rank 1")) return 0;
  fprintf(stderr, "rank %d has not been told: %s\n", rank, sentence);
  return 1;
}

static int run_threads(int ranks, int times)
{
  int status = 0;
  for (int i = 0; i < times * KINDS && status == 0; i++)
    status = MPJ_Run_threads(ranks, rank_main, &(int){i % KINDS});
  return status != 0;
}

int main(int argc, char **argv)
{
  if (argc == 4) return run_threads(atoi(argv[2]), atoi(argv[3]));
  int kind = argc == 2 ? atoi(argv[1]) : 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(&kind) != 0;
}
