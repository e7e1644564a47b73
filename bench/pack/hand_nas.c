/* This file copies the NAS faces by hand. */
#include "hand.h"

enum { LU = 5 };

HAND_LOOP nas_mg_x(const struct pack_shape *s, double *restrict mem, double *restrict packed,
                   bool back)
{
  long d1 = s->n[0], d2 = s->n[1], d3 = s->n[2];
  for (long z = 0; z < d3 - 2; z++)
    for (long y = 0; y < d2 - 2; y++)
      HAND_MOVE(mem[d1 * (y + d2 * z)], packed[y + (d2 - 2) * z], back);
}

HAND_LOOP nas_mg_y(const struct pack_shape *s, double *restrict mem, double *restrict packed,
                   bool back)
{
  long d1 = s->n[0], d2 = s->n[1], d3 = s->n[2];
  for (long z = 0; z < d3 - 2; z++)
    for (long x = 0; x < d1 - 2; x++)
      HAND_MOVE(mem[x + d1 * d2 * z], packed[x + (d1 - 2) * z], back);
}

HAND_LOOP nas_mg_z(const struct pack_shape *s, double *restrict mem, double *restrict packed,
                   bool back)
{
  long d1 = s->n[0], d2 = s->n[1];
  for (long y = 0; y < d2 - 2; y++)
    for (long x = 0; x < d1 - 2; x++)
      HAND_MOVE(mem[x + d1 * y], packed[x + (d1 - 2) * y], back);
}

HAND_LOOP nas_lu_x(const struct pack_shape *s, double *restrict mem, double *restrict packed,
                   bool back)
{
  for (long y = 0; y < s->n[0]; y++)
    for (long m = 0; m < LU; m++)
      HAND_MOVE(mem[m + LU * y], packed[m + LU * y], back);
}

HAND_LOOP nas_lu_y(const struct pack_shape *s, double *restrict mem, double *restrict packed,
                   bool back)
{
  long row = LU * (s->n[0] + 2);
  for (long z = 0; z < s->n[1]; z++)
    for (long m = 0; m < LU; m++)
      HAND_MOVE(mem[m + row * z], packed[m + LU * z], back);
}

HAND_BOTH(nas_mg_x)
HAND_BOTH(nas_mg_y)
HAND_BOTH(nas_mg_z)
HAND_BOTH(nas_lu_x)
HAND_BOTH(nas_lu_y)
