/* This file transposes without wide registers. */
#include <stdbool.h>
#include <stdint.h>

#include "pack/kernels/transpose_units.h"

DEFINE_UNITS(4)
DEFINE_UNITS(8)
DEFINE_UNITS(16)

#define SQUARE_4 8
#define SQUARE_8 8
#define SQUARE_16 4
#define edge_4 units_4
#define edge_8 units_8
#define edge_16 units_16

#define DEFINE_SQUARE(unit)                                                                        \
  static inline void square_##unit(char *to, MPJ_Aint to_stride, const char *from,                 \
                                   MPJ_Aint from_stride, bool stream)                              \
  {                                                                                                \
    (void)stream;                                                                                  \
    units_##unit(to, to_stride, from, from_stride, SQUARE_##unit, SQUARE_##unit);                  \
  }

DEFINE_SQUARE(4)
DEFINE_SQUARE(8)
DEFINE_SQUARE(16)

#define TRANSPOSE_SET mpj_transposes_plain
#include "pack/kernels/transpose_loops.h"
