/* This file binds ranks that share processors. */
#include "mpjrun/bind.h"

#include <sched.h>

/* The n-th processor of the set, from 0. */
static size_t member(const cpu_set_t *set, int n)
{
  size_t cpu = 0;
  while (!CPU_ISSET(cpu, set) || n-- > 0)
    cpu++;
  return cpu;
}

void rank_bind(int rank, int nranks)
{
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed)) return;
  const int n = CPU_COUNT(&allowed);
  if (n == 0 || nranks <= n) return;
  CPU_ZERO(&one);
  CPU_SET(member(&allowed, (int)((long)rank * n / nranks)), &one);
  sched_setaffinity(0, sizeof one, &one);
}
