/* This file describes the regular patterns of MILC, SPECFEM3D (mt) and FFT2, as
 * DDTBench models them.
 *   milc_su3    n = d2, d3, d4, d5: su3 vectors of 6 floats on a lattice, the
 *               boundary in the z direction of its even and its odd sites
 *   specfem_mt  n = d2, d3: of 3 x d2 x d3 floats the first column of 3
 *   fft2        n = m, N: an m x m block of an m x N matrix of complex doubles,
 *               column by column */
#include "pattern.h"

enum { SU3 = 6, MT = 3 };

static const long su3_bytes = SU3 * (long)sizeof(float);
static const long complex_bytes = 2 * (long)sizeof(double);

void pack_shape_milc_su3(struct pack_shape *s)
{
  long face = s->n[0] * s->n[1] / 2;
  s->bytes = (size_t)(2 * s->n[3] * face * su3_bytes);
  s->memory = (size_t)(2 * face * s->n[2] * s->n[3] * su3_bytes);
}

pack_type pack_type_milc_su3(const struct pack_shape *s)
{
  long face = s->n[0] * s->n[1] / 2, half = face * s->n[2];
  pack_type su3 = pack_contiguous(SU3, pack_float());
  pack_type sites = pack_vector(s->n[3], face, half, su3);
  return pack_hvector(2, 1, half * s->n[3] * su3_bytes, sites);
}

void pack_shape_specfem_mt(struct pack_shape *s)
{
  s->bytes = (size_t)(MT * s->n[1]) * sizeof(float);
  s->memory = (size_t)s->n[0] * s->bytes;
}

pack_type pack_type_specfem_mt(const struct pack_shape *s)
{
  return pack_vector(s->n[1], 1, s->n[0], pack_contiguous(MT, pack_float()));
}

void pack_shape_fft2(struct pack_shape *s)
{
  s->bytes = (size_t)(s->n[0] * s->n[0] * complex_bytes);
  s->memory = (size_t)(s->n[0] * s->n[1] * complex_bytes);
}

pack_type pack_type_fft2(const struct pack_shape *s)
{
  pack_type number = pack_contiguous(2, pack_double());
  pack_type column = pack_vector(s->n[0], 1, s->n[1], number);
  return pack_contiguous(s->n[0], pack_resized(column, complex_bytes));
}
