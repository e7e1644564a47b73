/* This file is a job that is attacked: `victim S` runs collectives for about S seconds and checks
 * each result. It prints "begun" once from each rank, and "rank R: good" at the end; or "rank R:
 * CODE: SENTENCE" if a call ends with an error (exit code 3), and "rank R: wrong" (exit code 4). */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>

enum { LONG = 100000 };

static int rank, size;

/* Sum over the ranks of n integers; 0, a status, or -1: the sum is wrong. */
static int sum(int *in, int *out, int n, int round)
{
  MPJ_Datatype type;
  for (int i = 0; i < n; i++)
    in[i] = rank + i + round;
  MPJ_Type_contiguous(n, MPJ_INT, &type);
  MPJ_Type_commit(&type);
  const int status = MPJ_Allreduce(in, type, out, type, MPJ_SUM, MPJ_COMM_WORLD);
  MPJ_Type_free(&type);
  if (status != MPJ_SUCCESS) return status;
  for (int i = 0; i < n; i++)
    if (out[i] != size * (size - 1) / 2 + size * (i + round)) return -1;
  return 0;
}

int main(int argc, char **argv)
{
  static int in[LONG], out[LONG];
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  if (MPJ_Init(&argc, &argv) != MPJ_SUCCESS) {
    fprintf(stderr, "MPJ_Init: %s\n", MPJ_Error_detail());
    return 3;
  }
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  printf("begun\n");
  fflush(stdout);
  const double end = MPJ_Wtime() + seconds;
  int result = 0;
  for (int round = 0, go_on = 1; go_on && result == 0; round++) {
    go_on = MPJ_Wtime() < end;
    result = MPJ_Bcast(&go_on, MPJ_INT, 0, MPJ_COMM_WORLD);
    if (result == 0) result = sum(in, out, 1, round);
    if (result == 0) result = sum(in, out, 500, round);
    if (result == 0 && round % 8 == 0) result = sum(in, out, LONG, round);
  }
  if (result == 0)
    printf("rank %d: good\n", rank);
  else if (result < 0)
    printf("rank %d: wrong\n", rank);
  else
    printf("rank %d: %s: %s\n", rank, MPJ_Error_string(result), MPJ_Error_detail());
  fflush(stdout);
  if (result != 0) return result < 0 ? 4 : 3;
  return MPJ_Finalize() == MPJ_SUCCESS ? 0 : 3;
}
