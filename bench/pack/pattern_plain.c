/* This file describes the patterns that belong to no application.
 *   column        n = rows, doubles in a row: the first column
 *   index4        n = count, places: one float each, sorted
 *   index8        the same of doubles
 *   vector8_16    n = count: every second double
 *   vector64_128  n = count: every second 8 doubles
 *   struct12_16   n = count: struct { double; int; } with its padding
 *   contiguous    n = count: doubles */
#include "pattern.h"

static void blocks(struct pack_shape *s, size_t block, size_t stride)
{
  s->bytes = (size_t)s->n[0] * block;
  s->memory = (size_t)s->n[0] * stride;
}

void pack_shape_column(struct pack_shape *s)
{
  blocks(s, sizeof(double), (size_t)s->n[1] * sizeof(double));
}

pack_type pack_type_column(const struct pack_shape *s)
{
  return pack_vector(s->n[0], 1, s->n[1], pack_double());
}

void pack_shape_index4(struct pack_shape *s)
{
  s->bytes = (size_t)s->n[0] * sizeof(float);
  s->memory = (size_t)s->n[1] * sizeof(float);
  s->index[0] = pack_index_rising(s->n[0], s->n[1]);
}

pack_type pack_type_index4(const struct pack_shape *s)
{
  return pack_indexed(s->n[0], 1, s->index[0], pack_float());
}

void pack_shape_index8(struct pack_shape *s)
{
  s->bytes = (size_t)s->n[0] * sizeof(double);
  s->memory = (size_t)s->n[1] * sizeof(double);
  s->index[0] = pack_index_rising(s->n[0], s->n[1]);
}

pack_type pack_type_index8(const struct pack_shape *s)
{
  return pack_indexed(s->n[0], 1, s->index[0], pack_double());
}

void pack_shape_vector8_16(struct pack_shape *s)
{
  blocks(s, sizeof(double), 2 * sizeof(double));
}

pack_type pack_type_vector8_16(const struct pack_shape *s)
{
  return pack_vector(s->n[0], 1, 2, pack_double());
}

void pack_shape_vector64_128(struct pack_shape *s)
{
  blocks(s, 8 * sizeof(double), 16 * sizeof(double));
}

pack_type pack_type_vector64_128(const struct pack_shape *s)
{
  return pack_vector(s->n[0], 8, 16, pack_double());
}

void pack_shape_struct12_16(struct pack_shape *s)
{
  blocks(s, sizeof(double) + sizeof(int), 2 * sizeof(double));
}

pack_type pack_type_struct12_16(const struct pack_shape *s)
{
  const pack_type types[] = {pack_double(), pack_int()};
  pack_type one =
      pack_struct(2, (const int[]){1, 1}, (const ptrdiff_t[]){0, sizeof(double)}, types);
  return pack_contiguous(s->n[0], pack_resized(one, 2 * sizeof(double)));
}

void pack_shape_contiguous(struct pack_shape *s)
{
  blocks(s, sizeof(double), sizeof(double));
}

pack_type pack_type_contiguous(const struct pack_shape *s)
{
  return pack_contiguous(s->n[0], pack_double());
}
