/* This header is what the workers over MPJ have in common. */
#ifndef MPJ_BENCH_ARRAY_MPJ_WORLD_H
#define MPJ_BENCH_ARRAY_MPJ_WORLD_H

#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>

#include "array_peer.h"

static inline void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "array worker: %s\n", MPJ_Error_detail());
  exit(1);
}

static inline void mpj_begin(int *argc, char ***argv)
{
  must(MPJ_Init(argc, argv));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &array_peer.rank));
  must(MPJ_Comm_size(MPJ_COMM_WORLD, &array_peer.size));
}

static inline void mpj_end(void)
{
  must(MPJ_Finalize());
}

static inline void mpj_barrier(void)
{
  must(MPJ_Barrier(MPJ_COMM_WORLD));
}

static inline double mpj_most(double mine)
{
  double all;
  must(MPJ_Allreduce(&mine, MPJ_DOUBLE, &all, MPJ_DOUBLE, MPJ_MAX, MPJ_COMM_WORLD));
  return all;
}

static inline uint64_t mpj_sum(uint64_t mine)
{
  uint64_t all;
  must(MPJ_Allreduce(&mine, MPJ_UINT64, &all, MPJ_UINT64, MPJ_SUM, MPJ_COMM_WORLD));
  return all;
}

#define ARRAY_MPJ_WORLD                                                                            \
  .begin = mpj_begin, .end = mpj_end, .barrier = mpj_barrier, .most = mpj_most, .sum = mpj_sum

#endif
