/* This header declares types over several buffers. */
#ifndef MPJ_SRC_ARRAY_JOINED_H
#define MPJ_SRC_ARRAY_JOINED_H

#include "array/array_schedule.h"

/* What one of several exchanges has on one side: patches in the memory at base. type: theirs. */
struct mpj_joined_end {
  const void *base;
  const struct mpj_patches *patches;
  MPJ_Datatype type; /* borrowed */
};

/* The committed type of all ends[n], with `size` parts, relative to MPJ_BOTTOM: a rank's part is
 * its patches of the first end, then those of the next. Errors: those of the constructors. */
int mpj_joined_type(int n, const struct mpj_joined_end ends[], int size, MPJ_Datatype *type);

#endif
