/* This file describes the indexed patterns of LAMMPS and SPECFEM3D, as DDTBench
 * models them.
 *   lammps_full    n = count, places: of each atom on a shuffled list, 3 doubles
 *                  of one array and 1 of each of five others
 *   lammps_atomic  n = count, places: the same with three others, list sorted
 *   specfem_oc     n = count, places: 1 float a point, shuffled
 *   specfem_cm     n = count, places of the crust and mantle, then of the inner
 *                  core: 3 floats a point, shuffled, from two arrays */
#include "pattern.h"

#include <stdlib.h>

enum { POSITION = 3, MEMBERS_MOST = 6 };

/* others: arrays of one double an atom. */
static void atoms_shape(struct pack_shape *s, int others, int *index)
{
  s->bytes = (size_t)(s->n[0] * (POSITION + others)) * sizeof(double);
  s->memory = (size_t)(s->n[1] * (POSITION + others)) * sizeof(double);
  s->index[0] = index;
}

static pack_type triples(long count, const int *index, pack_type element)
{
  int *displs = malloc((size_t)count * sizeof *displs);
  if (!displs) abort();
  for (long i = 0; i < count; i++)
    displs[i] = POSITION * index[i];
  pack_type type = pack_indexed(count, POSITION, displs, element);
  free(displs);
  return type;
}

static pack_type atoms_type(const struct pack_shape *s, int others)
{
  int lengths[MEMBERS_MOST];
  ptrdiff_t displs[MEMBERS_MOST];
  pack_type types[MEMBERS_MOST];
  pack_type one = pack_indexed(s->n[0], 1, s->index[0], pack_double());
  for (int i = 0; i <= others; i++) {
    lengths[i] = 1;
    displs[i] = i ? (POSITION + i - 1) * s->n[1] * (ptrdiff_t)sizeof(double) : 0;
    types[i] = i ? one : triples(s->n[0], s->index[0], pack_double());
  }
  return pack_struct(others + 1, lengths, displs, types);
}

void pack_shape_lammps_full(struct pack_shape *s)
{
  atoms_shape(s, 5, pack_index_shuffled(s->n[0], s->n[1]));
}

pack_type pack_type_lammps_full(const struct pack_shape *s)
{
  return atoms_type(s, 5);
}

void pack_shape_lammps_atomic(struct pack_shape *s)
{
  atoms_shape(s, 3, pack_index_rising(s->n[0], s->n[1]));
}

pack_type pack_type_lammps_atomic(const struct pack_shape *s)
{
  return atoms_type(s, 3);
}

void pack_shape_specfem_oc(struct pack_shape *s)
{
  s->bytes = (size_t)s->n[0] * sizeof(float);
  s->memory = (size_t)s->n[1] * sizeof(float);
  s->index[0] = pack_index_shuffled(s->n[0], s->n[1]);
}

pack_type pack_type_specfem_oc(const struct pack_shape *s)
{
  return pack_indexed(s->n[0], 1, s->index[0], pack_float());
}

void pack_shape_specfem_cm(struct pack_shape *s)
{
  s->bytes = (size_t)(POSITION * (s->n[0] + s->n[2])) * sizeof(float);
  s->memory = (size_t)(POSITION * (s->n[1] + s->n[3])) * sizeof(float);
  s->index[0] = pack_index_shuffled(s->n[0], s->n[1]);
  s->index[1] = pack_index_shuffled(s->n[2], s->n[3]);
}

pack_type pack_type_specfem_cm(const struct pack_shape *s)
{
  const ptrdiff_t displs[] = {0, POSITION * s->n[1] * (ptrdiff_t)sizeof(float)};
  const pack_type types[] = {triples(s->n[0], s->index[0], pack_float()),
                             triples(s->n[2], s->index[1], pack_float())};
  return pack_struct(2, (const int[]){1, 1}, displs, types);
}
