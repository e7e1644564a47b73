/* This file copies lists of blocks by hand. */
#include "hand.h"

#include <string.h>

/* k is a constant where this is inlined. */
HAND_LOOP singles(const struct pack_shape *s, char *restrict mem, char *restrict packed, size_t k,
                  bool back)
{
  const int *restrict list = s->index[0];
  for (long i = 0; i < s->n[0]; i++, packed += k) {
    char *at = mem + list[i] * (ptrdiff_t)k;
    memcpy(back ? at : packed, back ? packed : at, k);
  }
}

HAND_LOOP several(const struct pack_shape *s, char *restrict mem, char *restrict packed, size_t k,
                  bool back)
{
  const int *restrict list = s->index[0], *restrict lengths = s->index[1];
  for (long i = 0; i < s->n[0]; i++) {
    char *at = mem + list[i] * (ptrdiff_t)k;
    for (int j = 0; j < lengths[i]; j++, at += k, packed += k)
      memcpy(back ? at : packed, back ? packed : at, k);
  }
}

#define DEFINE(name, blocks, k)                                                                    \
  HAND_LOOP name##_##k(const struct pack_shape *s, void *mem, void *packed, bool back)             \
  {                                                                                                \
    blocks(s, mem, packed, k, back);                                                               \
  }                                                                                                \
  HAND_BOTH(name##_##k)
#define DEFINE_LISTS(k)                                                                            \
  DEFINE(one_longer, several, k)                                                                   \
  DEFINE(one_moved, singles, k)                                                                    \
  DEFINE(jitter, singles, k)                                                                       \
  DEFINE(period4, singles, k) DEFINE(struct4, several, k) DEFINE(random, several, k)

DEFINE_LISTS(4)
DEFINE_LISTS(8)
DEFINE_LISTS(12)
DEFINE_LISTS(64)
