/* This file copies the patterns that belong to no application by hand. */
#include "hand.h"

#include <string.h>

struct tile {
  double x;
  int n;
};

HAND_LOOP column(const struct pack_shape *s, double *restrict mem, double *restrict packed,
                 bool back)
{
  for (long i = 0; i < s->n[0]; i++)
    HAND_MOVE(mem[s->n[1] * i], packed[i], back);
}

HAND_LOOP index4(const struct pack_shape *s, float *restrict mem, float *restrict packed, bool back)
{
  const int *restrict list = s->index[0];
  for (long i = 0; i < s->n[0]; i++)
    HAND_MOVE(mem[list[i]], packed[i], back);
}

HAND_LOOP index8(const struct pack_shape *s, double *restrict mem, double *restrict packed,
                 bool back)
{
  const int *restrict list = s->index[0];
  for (long i = 0; i < s->n[0]; i++)
    HAND_MOVE(mem[list[i]], packed[i], back);
}

HAND_LOOP vector8_16(const struct pack_shape *s, double *restrict mem, double *restrict packed,
                     bool back)
{
  for (long i = 0; i < s->n[0]; i++)
    HAND_MOVE(mem[2 * i], packed[i], back);
}

HAND_LOOP vector64_128(const struct pack_shape *s, double *restrict mem, double *restrict packed,
                       bool back)
{
  for (long i = 0; i < s->n[0]; i++)
    for (long k = 0; k < 8; k++)
      HAND_MOVE(mem[16 * i + k], packed[8 * i + k], back);
}

HAND_LOOP struct12_16(const struct pack_shape *s, struct tile *restrict mem, char *restrict packed,
                      bool back)
{
  enum { DATA = sizeof(double) + sizeof(int) };
  for (long i = 0; i < s->n[0]; i++) {
    char *to = packed + DATA * i;
    if (back) {
      memcpy(&mem[i].x, to, sizeof(double));
      memcpy(&mem[i].n, to + sizeof(double), sizeof(int));
    } else {
      memcpy(to, &mem[i].x, sizeof(double));
      memcpy(to + sizeof(double), &mem[i].n, sizeof(int));
    }
  }
}

HAND_LOOP contiguous(const struct pack_shape *s, double *restrict mem, double *restrict packed,
                     bool back)
{
  for (long i = 0; i < s->n[0]; i++)
    HAND_MOVE(mem[i], packed[i], back);
}

HAND_BOTH(column)
HAND_BOTH(index4)
HAND_BOTH(index8)
HAND_BOTH(vector8_16)
HAND_BOTH(vector64_128)
HAND_BOTH(struct12_16)
HAND_BOTH(contiguous)
