/* This file copies WRF's halos by hand. */
#include "hand.h"
#include "wrf.h"

/* One box of nj x nk x ni; its planes are `plane` apart, its rows di. */
HAND_LOOP box(const struct wrf_box *b, long nk, long plane, float *restrict mem,
              float *restrict packed, bool back)
{
  for (long j = 0; j < b->nj; j++)
    for (long k = 0; k < nk; k++)
      for (long i = 0; i < b->ni; i++)
        HAND_MOVE(mem[i + b->di * k + plane * j], packed[i + b->ni * (k + nk * j)], back);
}

HAND_LOOP all_boxes(struct wrf_box b, float *mem, float *packed, bool back)
{
  long flat = WRF_HALO + b.di * WRF_HALO, deep = WRF_HALO + b.di * b.dk * WRF_HALO;
  for (int m = 0; m < WRF_2D; m++) {
    box(&b, 1, b.di, mem + flat, packed, back);
    mem += b.flat;
    packed += b.ni * b.nj;
  }
  for (int m = 0; m < WRF_3D; m++) {
    box(&b, b.nk, b.di * b.dk, mem + deep, packed, back);
    mem += b.volume;
    packed += b.ni * b.nk * b.nj;
  }
  for (int m = 0; m < WRF_4D; m++) {
    box(&b, b.nk, b.di * b.dk, mem + b.volume + deep, packed, back);
    mem += WRF_SCALARS * b.volume;
    packed += b.ni * b.nk * b.nj;
  }
}

/* The halo in x is three wide, which whoever writes the loop knows. */
HAND_LOOP wrf_x_vec(const struct pack_shape *s, void *mem, void *packed, bool back)
{
  struct wrf_box b = wrf_box(s);
  b.ni = 3;
  all_boxes(b, mem, packed, back);
}

HAND_LOOP wrf_x_sa(const struct pack_shape *s, void *mem, void *packed, bool back)
{
  wrf_x_vec(s, mem, packed, back);
}

HAND_LOOP wrf_y_sa(const struct pack_shape *s, void *mem, void *packed, bool back)
{
  all_boxes(wrf_box(s), mem, packed, back);
}

HAND_BOTH(wrf_x_vec)
HAND_BOTH(wrf_x_sa)
HAND_BOTH(wrf_y_sa)
