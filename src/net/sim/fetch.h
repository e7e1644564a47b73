/* This header declares how state that is scattered over memory comes into the caches before it is
 * needed. */
#ifndef MPJ_SRC_NET_SIM_FETCH_H
#define MPJ_SRC_NET_SIM_FETCH_H

#include <stddef.h>

/* Stages 0 to MPJ_SIM_FETCHES - 1 of a rank that is about to be told something, some events before
 * each other: fetch into the caches what the rank needs then; what an earlier stage has fetched is
 * there. */
enum { MPJ_SIM_FETCHES = 4 };
typedef void mpj_sim_fetch_fn(void *ctx, int rank, int stage);

/* Have all lines of an object fetched. */
static inline void mpj_sim_fetch(const void *object, size_t bytes)
{
  enum { LINE = 64 };
  for (size_t at = 0; at < bytes; at += LINE)
    __builtin_prefetch((const char *)object + at, 1);
}

#endif
