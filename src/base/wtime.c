/* This file tells the time. */
#include <time.h>

#include <mpj/base.h>

double MPJ_Wtime(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
