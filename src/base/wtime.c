/* This file tells the time. */
#include "base/wtime.h"

#include <stddef.h>
#include <time.h>

#include <mpj/base.h>

_Thread_local __attribute__((tls_model("initial-exec"))) const int64_t *mpj_clock_simulated;

int64_t mpj_clock_ns(void)
{
  if (__builtin_expect(mpj_clock_simulated != NULL, 0)) return *mpj_clock_simulated;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double MPJ_Wtime(void)
{
  return 1e-9 * (double)mpj_clock_ns();
}
