/* This header defines transposition unit by unit, for the edges of a matrix and
 * for processors without wide registers. */
#ifndef MPJ_SRC_PACK_KERNELS_TRANSPOSE_UNITS_H
#define MPJ_SRC_PACK_KERNELS_TRANSPOSE_UNITS_H

#include <string.h>

#include <mpj/base.h>

#define DEFINE_UNITS(unit)                                                                         \
  static inline void units_##unit(char *to, MPJ_Aint to_stride, const char *from,                  \
                                  MPJ_Aint from_stride, MPJ_Count rows, MPJ_Count cols)            \
  {                                                                                                \
    for (MPJ_Count c = 0; c < cols; c++)                                                           \
      for (MPJ_Count r = 0; r < rows; r++)                                                         \
        memcpy(to + c * to_stride + r * (unit), from + r * from_stride + c * (unit), unit);        \
  }

#endif
