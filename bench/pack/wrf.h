/* This header declares the arrays and boxes of the WRF patterns, for the file
 * that describes them and the one that copies them. */
#ifndef MPJ_BENCH_PACK_WRF_H
#define MPJ_BENCH_PACK_WRF_H

#include "pattern.h"

enum { WRF_2D = 4, WRF_3D = 3, WRF_4D = 2, WRF_SCALARS = 2, WRF_HALO = 4 };

struct wrf_box {
  long di, dk, dj;   /* extents of the arrays */
  long ni, nk, nj;   /* extents of the box */
  long flat, volume; /* elements in an array of two and of three dimensions */
};

static inline struct wrf_box wrf_box(const struct pack_shape *s)
{
  return (struct wrf_box){s->n[0], s->n[1], s->n[2],           s->n[3],
                          s->n[4], s->n[5], s->n[0] * s->n[2], s->n[0] * s->n[1] * s->n[2]};
}

#endif
