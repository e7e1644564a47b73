/* This file tells the time. */
#include "base/wtime.h"

#include <time.h>

#include <mpj/base.h>

int64_t mpj_clock_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double MPJ_Wtime(void)
{
  return 1e-9 * (double)mpj_clock_ns();
}
