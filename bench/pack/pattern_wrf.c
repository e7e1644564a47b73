/* This file describes the halos that WRF exchanges, as DDTBench models them: one
 * box in each of 4 arrays of two dimensions, 3 of three, and the second half of
 * 2 of four (two scalars each), all of floats and behind one another here.
 *   n = the arrays' extents along i (fastest), k and j, the box's extents
 * The box starts at i = j = 4, k = 0. x is narrow in i, y in j. DDTBench builds
 * the type from vectors (vec) or from subarrays (sa): the type maps are equal. */
#include "wrf.h"

enum { MEMBERS = WRF_2D + WRF_3D + WRF_4D };

static void shape(struct pack_shape *s)
{
  struct wrf_box b = wrf_box(s);
  s->bytes =
      (size_t)(WRF_2D * b.ni * b.nj + (WRF_3D + WRF_4D) * b.ni * b.nk * b.nj) * sizeof(float);
  s->memory =
      (size_t)(WRF_2D * b.flat + (WRF_3D + WRF_SCALARS * WRF_4D) * b.volume) * sizeof(float);
}

static void box_2d(const struct wrf_box *b, pack_type *type)
{
  const int sizes[] = {(int)b->dj, (int)b->di}, box[] = {(int)b->nj, (int)b->ni};
  *type = pack_subarray(2, sizes, box, (const int[]){WRF_HALO, WRF_HALO}, pack_float());
}

static pack_type struct_of(const struct wrf_box *b, pack_type flat, pack_type deep, pack_type two,
                           const ptrdiff_t starts[3])
{
  int lengths[MEMBERS], n = 0;
  ptrdiff_t displs[MEMBERS], at = 0;
  pack_type types[MEMBERS];
  for (int m = 0; m < MEMBERS; m++, n++) {
    int kind = m < WRF_2D ? 0 : m < WRF_2D + WRF_3D ? 1 : 2;
    lengths[n] = 1;
    types[n] = kind == 0 ? flat : kind == 1 ? deep : two;
    displs[n] = (at + starts[kind]) * (ptrdiff_t)sizeof(float);
    at += kind == 0 ? b->flat : kind == 1 ? b->volume : WRF_SCALARS * b->volume;
  }
  return pack_struct(MEMBERS, lengths, displs, types);
}

static pack_type from_subarrays(const struct pack_shape *s)
{
  static const ptrdiff_t starts[3];
  struct wrf_box b = wrf_box(s);
  const int sizes[] = {WRF_SCALARS, (int)b.dj, (int)b.dk, (int)b.di};
  const int box[] = {1, (int)b.nj, (int)b.nk, (int)b.ni};
  const int corner[] = {1, WRF_HALO, 0, WRF_HALO};
  pack_type flat;
  box_2d(&b, &flat);
  return struct_of(&b, flat, pack_subarray(3, sizes + 1, box + 1, corner + 1, pack_float()),
                   pack_subarray(4, sizes, box, corner, pack_float()), starts);
}

static pack_type from_vectors(const struct pack_shape *s)
{
  struct wrf_box b = wrf_box(s);
  ptrdiff_t plane = b.di * b.dk;
  const ptrdiff_t starts[3] = {WRF_HALO + b.di * WRF_HALO, WRF_HALO + plane * WRF_HALO,
                               WRF_HALO + plane * WRF_HALO + b.volume};
  pack_type flat = pack_vector(b.nj, b.ni, b.di, pack_float());
  pack_type slice = pack_vector(b.nk, b.ni, b.di, pack_float());
  pack_type deep = pack_hvector(b.nj, 1, plane * (ptrdiff_t)sizeof(float), slice);
  pack_type two = pack_hvector(1, 1, b.volume * (ptrdiff_t)sizeof(float), deep);
  return struct_of(&b, flat, deep, two, starts);
}

void pack_shape_wrf_x_vec(struct pack_shape *s)
{
  shape(s);
}

void pack_shape_wrf_x_sa(struct pack_shape *s)
{
  shape(s);
}

void pack_shape_wrf_y_sa(struct pack_shape *s)
{
  shape(s);
}

pack_type pack_type_wrf_x_vec(const struct pack_shape *s)
{
  return from_vectors(s);
}

pack_type pack_type_wrf_x_sa(const struct pack_shape *s)
{
  return from_subarrays(s);
}

pack_type pack_type_wrf_y_sa(const struct pack_shape *s)
{
  return from_subarrays(s);
}
