/* This file is the worker of mpj-bench scale: what a rank of a wide job costs, after a barrier, a
 * broadcast and an allreduce of 8 bytes over all ranks.
 *
 * One line: ranks; seconds of rank 0's MPJ_Init, and from its main until these calls have ended,
 * for which all others must have begun; KiB a rank in mean and at most, of which a page that
 * several processes map counts for each by its share (PSS). */
#include <mpj/mpj.h>

#include <stdio.h>

/* KiB; 0 where the kernel does not tell. */
static double own_pss(void)
{
  char line[256];
  double pss = 0;
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  if (!file) return 0;
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "Pss: %lf", &pss) == 1) break;
  fclose(file);
  return pss;
}

static int three_calls(int rank)
{
  double one = rank, sum = 0;
  int status = MPJ_Barrier(MPJ_COMM_WORLD);
  if (!status) status = MPJ_Bcast(&one, MPJ_DOUBLE, 0, MPJ_COMM_WORLD);
  if (!status) status = MPJ_Allreduce(&one, MPJ_DOUBLE, &sum, MPJ_DOUBLE, MPJ_SUM, MPJ_COMM_WORLD);
  return status;
}

static int gather(double pss, double *sum, double *most)
{
  int status = MPJ_Allreduce(&pss, MPJ_DOUBLE, most, MPJ_DOUBLE, MPJ_MAX, MPJ_COMM_WORLD);
  if (!status) status = MPJ_Allreduce(&pss, MPJ_DOUBLE, sum, MPJ_DOUBLE, MPJ_SUM, MPJ_COMM_WORLD);
  return status;
}

int main(int argc, char **argv)
{
  const double begun = MPJ_Wtime();
  double sum = 0, most = 0;
  int rank, size;
  if (MPJ_Init(&argc, &argv)) return 1;
  const double in = MPJ_Wtime() - begun;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  int status = three_calls(rank);
  const double called = MPJ_Wtime() - begun;
  if (!status) status = MPJ_Barrier(MPJ_COMM_WORLD); /* all are there: pages have their shares */
  const double pss = own_pss();
  if (!status) status = gather(pss, &sum, &most);
  if (!status && rank == 0)
    printf("%5d %8.3f %8.3f %10.0f %10.0f\n", size, in, called, sum / size, most);
  if (status) fprintf(stderr, "coll_scale: %s\n", MPJ_Error_detail());
  return MPJ_Finalize() || status;
}
