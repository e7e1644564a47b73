/* This file copies the patterns of MILC, SPECFEM3D (mt) and FFT2 by hand. */
#include "hand.h"

#include <complex.h>

enum { SU3 = 6, MT = 3 };

HAND_LOOP milc_su3(const struct pack_shape *s, float *restrict mem, float *restrict packed,
                   bool back)
{
  long face = SU3 * s->n[0] * s->n[1] / 2, half = face * s->n[2];
  for (long t = 0; t < 2 * s->n[3]; t++)
    for (long i = 0; i < face; i++)
      HAND_MOVE(mem[i + half * t], packed[i + face * t], back);
}

HAND_LOOP specfem_mt(const struct pack_shape *s, float *restrict mem, float *restrict packed,
                     bool back)
{
  long stride = MT * s->n[0];
  for (long z = 0; z < s->n[1]; z++)
    for (long x = 0; x < MT; x++)
      HAND_MOVE(mem[x + stride * z], packed[x + MT * z], back);
}

HAND_LOOP fft2(const struct pack_shape *s, double complex *restrict mem,
               double complex *restrict packed, bool back)
{
  long m = s->n[0], width = s->n[1];
  for (long col = 0; col < m; col++)
    for (long row = 0; row < m; row++)
      HAND_MOVE(mem[col + width * row], packed[row + m * col], back);
}

HAND_BOTH(milc_su3)
HAND_BOTH(specfem_mt)
HAND_BOTH(fft2)
