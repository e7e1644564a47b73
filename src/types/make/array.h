/* This header declares the part table of boxes inside arrays: the slices along
 * the slowest dimension. It keeps what the array was told once for all its
 * dimensions, and is made again for a slice only when one is asked for. */
#ifndef MPJ_SRC_TYPES_MAKE_ARRAY_H
#define MPJ_SRC_TYPES_MAKE_ARRAY_H

#include "types/parts/parts.h"

struct mpj_array {
  struct mpj_parts head;
  struct mpj_type_spec old; /* owned: one element */
  int ndims, order;
  MPJ_Aint first, stride; /* bytes to the first slice's origin, and between slices */
  struct mpj_piece slice; /* owned: the data of a slice, from its origin */
  MPJ_Count box[];        /* sizes, subsizes, starts, [ndims] each */
};

#endif
