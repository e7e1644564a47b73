/* This file goes from layout to layout, transposes, and adds, by hand. */
#include "hand_copy.h"

struct tile {
  double x;
  int k;
};

void pack_hand_stride2_to_3(const double *restrict src, double *restrict dst, long n)
{
  for (long i = 0; i < n; i++)
    dst[3 * i] = src[2 * i];
}

void pack_hand_index_to_stride(const double *restrict src, const int *restrict list,
                               double *restrict dst, long n)
{
  for (long i = 0; i < n; i++)
    dst[2 * i] = src[list[i]];
}

void pack_hand_blocks64(const double *restrict src, double *restrict dst, long n)
{
  for (long i = 0; i < n; i++)
    for (long k = 0; k < 8; k++)
      dst[24 * i + k] = src[16 * i + k];
}

void pack_hand_struct_to_struct(const void *src, void *dst, long n)
{
  const struct tile *restrict from = src;
  struct tile *restrict to = dst;
  for (long i = 0; i < n; i++) {
    to[2 * i].x = from[i].x;
    to[2 * i].k = from[i].k;
  }
}

/* Tiles of 32 x 32: both sides' lines stay in the first-level cache. */
void pack_hand_transpose(const double *restrict src, double *restrict dst, long n, long dst_row)
{
  enum { TILE = 32, LINE = 8 };
  for (long i = 0; i < n; i += TILE)
    for (long j = 0; j < n; j += TILE)
      for (long k = i; k < i + TILE; k += LINE)
        for (long l = j; l < j + TILE; l++)
          for (long m = k; m < k + LINE; m++)
            dst[l * dst_row + m] = src[m * n + l];
}

void pack_hand_sum(const double *restrict packed, double *restrict mem, long stride, long n)
{
  if (stride == 1)
    for (long i = 0; i < n; i++)
      mem[i] += packed[i];
  else if (stride == 2)
    for (long i = 0; i < n; i++)
      mem[2 * i] += packed[i];
  else
    for (long i = 0; i < n; i++)
      mem[stride * i] += packed[i];
}

void pack_hand_sum_index(const double *restrict packed, double *restrict mem,
                         const int *restrict list, long n)
{
  for (long i = 0; i < n; i++)
    mem[list[i]] += packed[i];
}
