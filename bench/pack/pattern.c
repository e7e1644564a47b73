/* This file is the table of patterns with their dimensions in each size. What
 * the numbers mean is said where each pattern's type is built. */
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

#define ROW(name)                                                                                  \
  pack_shape_##name, pack_type_##name, pack_hand_##name##_pack, pack_hand_##name##_unpack

#define LIST(name) {{{10000}, {100000}, {1000000}}, ROW(name)},

const struct pack_pattern pack_patterns[PACK_NPATTERNS] = {
    {{{34, 34, 34}, {162, 162, 162}, {18, 1450, 1450}}, ROW(nas_mg_x)},
    {{{34, 34, 34}, {162, 162, 162}, {386, 10, 5464}}, ROW(nas_mg_y)},
    {{{34, 34, 3}, {162, 162, 3}, {386, 5464, 3}}, ROW(nas_mg_z)},
    {{{256, 1}, {5120, 1}, {419430, 1}}, ROW(nas_lu_x)},
    {{{33, 256}, {33, 5120}, {12, 419430}}, ROW(nas_lu_y)},
    {{{32, 16, 18, 3, 16, 10}, {32, 65, 60, 3, 65, 52}, {32, 65, 4308, 3, 65, 4300}},
     ROW(wrf_x_vec)},
    {{{32, 16, 18, 3, 16, 10}, {32, 65, 60, 3, 65, 52}, {32, 65, 4308, 3, 65, 4300}},
     ROW(wrf_x_sa)},
    {{{20, 16, 18, 12, 16, 3}, {60, 65, 32, 52, 65, 3}, {4308, 65, 10, 4300, 65, 3}},
     ROW(wrf_y_sa)},
    {{{4, 4, 4, 16}, {16, 16, 16, 32}, {16, 16, 8, 2730}}, ROW(milc_su3)},
    {{{160, 190}, {3200, 3700}, {262144, 303104}}, ROW(lammps_full)},
    {{{200, 3360}, {4200, 70000}, {350000, 3000000}}, ROW(lammps_atomic)},
    {{{2560, 20000}, {51200, 400000}, {4200000, 33000000}}, ROW(specfem_oc)},
    {{{640, 5000, 160, 1250}, {13600, 100000, 3400, 25000}, {1120000, 8800000, 280000, 2200000}},
     ROW(specfem_cm)},
    {{{2, 800}, {2, 17000}, {2, 1400000}}, ROW(specfem_mt)},
    {{{24, 96}, {112, 448}, {1024, 2048}}, ROW(fft2)},
    {{{1280, 128}, {25600, 512}, {2097152, 32}}, ROW(column)},
    {{{2560, 10240}, {51200, 204800}, {4200000, 16800000}}, ROW(index4)},
    {{{1280, 5120}, {25600, 102400}, {2100000, 8400000}}, ROW(index8)},
    {{{1280}, {25600}, {2100000}}, ROW(vector8_16)},
    {{{160}, {3200}, {262144}}, ROW(vector64_128)},
    {{{800}, {17000}, {1400000}}, ROW(struct12_16)},
    {{{1280}, {25600}, {2100000}}, ROW(contiguous)},
    PACK_FOR_LISTS(LIST)};

void pack_shape_make(const struct pack_pattern *pattern, enum pack_size size,
                     struct pack_shape *shape)
{
  *shape = (struct pack_shape){0};
  memcpy(shape->n, pattern->n[size], sizeof shape->n);
  pattern->shape(shape);
}

void pack_shape_free(struct pack_shape *shape)
{
  free(shape->index[0]);
  free(shape->index[1]);
  *shape = (struct pack_shape){0};
}
