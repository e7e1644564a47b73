/* This file measures for the types benchmark. */
#include "types_measure.h"

#include <malloc.h>
#include <stdio.h>
#include <time.h>

double types_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

size_t types_heap(void)
{
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

unsigned types_random(unsigned below)
{
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(state >> 33) % below;
}

void types_report(const char *name, double ms, size_t bytes)
{
  printf("%s %.6f %zu\n", name, ms, bytes);
}

void types_irregular(types_count n, types_count lens[], types_count displs[])
{
  types_count at = 0;
  for (types_count i = 0; i < n; i++) {
    lens[i] = 1 + (types_count)types_random(8);
    /* int displacements of 1e6 blocks just fit; longer lists start again */
    if (at > INT32_MAX - 5000) at = 0;
    at += (types_count)types_random(4096);
    displs[i] = at;
    at += lens[i];
  }
}

void types_time_indexed(const char *name, int runs, types_count n, const types_count lens[],
                        const types_count displs[])
{
  double best = 0;
  size_t kept = 0;
  for (int r = 0; r < runs; r++) {
    size_t before = types_heap();
    double start = types_now();
    types_type type = types_indexed(n, lens, displs);
    double ms = types_now() - start;
    kept = types_kept(type, before);
    if (r == 0 || ms < best) best = ms;
    types_free(&type);
  }
  types_report(name, best, kept);
}
