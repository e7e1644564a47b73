/* This header declares how much of what is drawn at random a test program tries. */
#ifndef MPJ_TESTS_BASE_SHARE_H
#define MPJ_TESTS_BASE_SHARE_H

#include <stdlib.h>

/* One of TEST_SHARE of n, at least one of any; all without that variable. Slow
 * builds, under sanitizers, set it: they look for other faults than results. */
static inline long share_of(long n)
{
  const char *text = getenv("TEST_SHARE");
  const long share = text ? atol(text) : 1;
  return share > 1 && n > 0 ? (n + share - 1) / share : n;
}

#endif
