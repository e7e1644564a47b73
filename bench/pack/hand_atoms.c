/* This file copies the patterns of LAMMPS and SPECFEM3D's lists by hand. */
#include "hand.h"

enum { POSITION = 3 };

/* Three elements one after the other: as a loop they come out slower. */
#define HAND_TRIPLE(mem, packed, back)                                                             \
  do {                                                                                             \
    HAND_MOVE((mem)[0], (packed)[0], back);                                                        \
    HAND_MOVE((mem)[1], (packed)[1], back);                                                        \
    HAND_MOVE((mem)[2], (packed)[2], back);                                                        \
  } while (0)

HAND_LOOP atoms(const struct pack_shape *s, int others, double *restrict mem,
                double *restrict packed, bool back)
{
  const int *restrict list = s->index[0];
  long count = s->n[0], places = s->n[1];
  for (long i = 0; i < count; i++)
    HAND_TRIPLE(mem + POSITION * (long)list[i], packed + POSITION * i, back);
  for (int m = 0; m < others; m++) {
    double *from = mem + (POSITION + m) * places, *to = packed + (POSITION + m) * count;
    for (long i = 0; i < count; i++)
      HAND_MOVE(from[list[i]], to[i], back);
  }
}

HAND_LOOP lammps_full(const struct pack_shape *s, void *mem, void *packed, bool back)
{
  atoms(s, 5, mem, packed, back);
}

HAND_LOOP lammps_atomic(const struct pack_shape *s, void *mem, void *packed, bool back)
{
  atoms(s, 3, mem, packed, back);
}

HAND_LOOP specfem_oc(const struct pack_shape *s, float *restrict mem, float *restrict packed,
                     bool back)
{
  const int *restrict list = s->index[0];
  for (long i = 0; i < s->n[0]; i++)
    HAND_MOVE(mem[list[i]], packed[i], back);
}

HAND_LOOP triples(long count, const int *restrict list, float *restrict mem, float *restrict packed,
                  bool back)
{
  for (long i = 0; i < count; i++)
    HAND_TRIPLE(mem + POSITION * (long)list[i], packed + POSITION * i, back);
}

HAND_LOOP specfem_cm(const struct pack_shape *s, float *mem, float *packed, bool back)
{
  triples(s->n[0], s->index[0], mem, packed, back);
  triples(s->n[2], s->index[1], mem + POSITION * s->n[1], packed + POSITION * s->n[0], back);
}

HAND_BOTH(lammps_full)
HAND_BOTH(lammps_atomic)
HAND_BOTH(specfem_oc)
HAND_BOTH(specfem_cm)
