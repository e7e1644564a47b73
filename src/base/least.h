/* This header declares the smaller of two counts. */
#ifndef MPJ_SRC_BASE_LEAST_H
#define MPJ_SRC_BASE_LEAST_H

#include <mpj/base.h>

static inline MPJ_Count mpj_least(MPJ_Count a, MPJ_Count b)
{
  return a < b ? a : b;
}

#endif
