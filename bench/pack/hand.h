/* This header makes a pack loop and an unpack loop of one body, as one would
 * write it by hand for this layout alone. The files that use it are compiled
 * with -O3 -march=native. */
#ifndef MPJ_BENCH_PACK_HAND_H
#define MPJ_BENCH_PACK_HAND_H

#include "pattern.h"

#define HAND_LOOP static inline __attribute__((always_inline)) void

/* One element, to the packed side or from it; `back` is a constant where the
 * body is inlined. */
#define HAND_MOVE(mem, packed, back)                                                               \
  do {                                                                                             \
    if (back)                                                                                      \
      (mem) = (packed);                                                                            \
    else                                                                                           \
      (packed) = (mem);                                                                            \
  } while (0)

#define HAND_BOTH(name)                                                                            \
  void pack_hand_##name##_pack(const struct pack_shape *s, void *mem, void *packed)                \
  {                                                                                                \
    name(s, mem, packed, false);                                                                   \
  }                                                                                                \
  void pack_hand_##name##_unpack(const struct pack_shape *s, void *mem, void *packed)              \
  {                                                                                                \
    name(s, mem, packed, true);                                                                    \
  }

#endif
