/* This header declares what the tests of encoding and decoding share. */
#ifndef MPJ_TESTS_TYPES_ENCODED_H
#define MPJ_TESTS_TYPES_ENCODED_H

#include <stdlib.h>

#include "types/made.h"
#include "types/random_type.h"

static inline void free_unless_basic(MPJ_Datatype *type)
{
  if (object_of(*type)->basic < 0) must(MPJ_Type_free(type));
}

/* As the library's figures mean it: sorted, gaps below 4096 elements, lengths 1 to 8. */
static inline MPJ_Datatype irregular(MPJ_Count n)
{
  struct mpj_random rng = {5};
  MPJ_Count *lens = malloc((size_t)n * sizeof *lens), *displs = malloc((size_t)n * sizeof *displs);
  MPJ_Count next = 0;
  ck_assert(lens && displs);
  for (MPJ_Count i = 0; i < n; i++) {
    lens[i] = mpj_random_in(&rng, 1, 8);
    displs[i] = next + mpj_random_in(&rng, 0, 4095);
    next = displs[i] + lens[i];
  }
  MPJ_Datatype t = indexed(n, lens, displs, MPJ_DOUBLE);
  free(displs);
  free(lens);
  return t;
}

#endif
