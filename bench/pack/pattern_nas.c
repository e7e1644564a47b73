/* This file describes the faces that the NAS parallel benchmarks exchange, as
 * DDTBench models them: MG's of a d1 x d2 x d3 array of doubles (d1 fastest)
 * without its border, LU's of 5 x (d2 + 2) x d3 with 5 fastest.
 *   MG: n = d1, d2, d3      LU x: n = d2      LU y: n = d2, d3 */
#include "pattern.h"

enum { LU = 5 };

static void mg(struct pack_shape *s, long points, long x, long y, long z)
{
  s->bytes = (size_t)points * sizeof(double);
  s->memory = (size_t)(s->n[0] * s->n[1] * s->n[2]) * sizeof(double);
  s->first = (size_t)(x + s->n[0] * (y + s->n[1] * z)) * sizeof(double);
}

void pack_shape_nas_mg_x(struct pack_shape *s)
{
  mg(s, (s->n[1] - 2) * (s->n[2] - 2), s->n[0] - 2, 1, 1);
}

pack_type pack_type_nas_mg_x(const struct pack_shape *s)
{
  pack_type line = pack_vector(s->n[1] - 2, 1, s->n[0], pack_double());
  return pack_hvector(s->n[2] - 2, 1, s->n[0] * s->n[1] * (long)sizeof(double), line);
}

void pack_shape_nas_mg_y(struct pack_shape *s)
{
  mg(s, (s->n[0] - 2) * (s->n[2] - 2), 1, s->n[1] - 2, 1);
}

pack_type pack_type_nas_mg_y(const struct pack_shape *s)
{
  return pack_vector(s->n[2] - 2, s->n[0] - 2, s->n[0] * s->n[1], pack_double());
}

void pack_shape_nas_mg_z(struct pack_shape *s)
{
  mg(s, (s->n[0] - 2) * (s->n[1] - 2), 1, 1, s->n[2] - 2);
}

pack_type pack_type_nas_mg_z(const struct pack_shape *s)
{
  return pack_vector(s->n[1] - 2, s->n[0] - 2, s->n[0], pack_double());
}

void pack_shape_nas_lu_x(struct pack_shape *s)
{
  s->bytes = (size_t)(LU * s->n[0]) * sizeof(double);
  s->first = LU * sizeof(double);
  s->memory = s->bytes + 2 * s->first;
}

pack_type pack_type_nas_lu_x(const struct pack_shape *s)
{
  return pack_contiguous(LU * s->n[0], pack_double());
}

void pack_shape_nas_lu_y(struct pack_shape *s)
{
  s->bytes = (size_t)(LU * s->n[1]) * sizeof(double);
  s->first = (size_t)(LU * s->n[0]) * sizeof(double);
  s->memory = (size_t)(LU * (s->n[0] + 2) * s->n[1]) * sizeof(double);
}

pack_type pack_type_nas_lu_y(const struct pack_shape *s)
{
  return pack_vector(s->n[1], 1, s->n[0] + 2, pack_contiguous(LU, pack_double()));
}
