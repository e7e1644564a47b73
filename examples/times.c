/* This file prints the example's table of times. */
#include "times.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[STEPS] = {"scatter", "compute", "gather"};

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Rank 0's entries become those of the slowest rank in each repetition. */
static void keep_slowest(struct times *all, int nranks, int repeat)
{
  for (int i = repeat; i < nranks * repeat; i++)
    for (int s = 0; s < STEPS; s++)
      if (all[i].seconds[s] > all[i % repeat].seconds[s])
        all[i % repeat].seconds[s] = all[i].seconds[s];
}

static double median(const struct times *of, int repeat, enum step step)
{
  double sorted[repeat];
  for (int i = 0; i < repeat; i++)
    sorted[i] = of[i].seconds[step];
  qsort(sorted, (size_t)repeat, sizeof *sorted, compare);
  return (sorted[(repeat - 1) / 2] + sorted[repeat / 2]) / 2;
}

void times_print(struct times *all, int nranks, int repeat, int64_t bytes)
{
  keep_slowest(all, nranks, repeat);
  printf("%-8s %10s %8s\n", "step", "ms", "GB/s");
  for (enum step step = 0; step < STEPS; step++) {
    double seconds = median(all, repeat, step);
    printf("%-8s %10.3f %8.2f\n", names[step], seconds * 1e3,
           seconds > 0 ? (double)bytes / seconds / 1e9 : 0);
  }
}
