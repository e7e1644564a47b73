/* This file describes lists of n[0] blocks of elements of k bytes (4 and 12 of floats, 8 and 64 of
 * doubles), regular but for a little, and irregular ones:
 *   one_longer_k  one element every third, but two in the block in the middle
 *   one_moved_k   one element every third, but the one in the middle an element further
 *   jitter_k      one element at 9 i + (0 to 7)
 *   period4_k     one element at 0, 2, 5, 9 of every 12, but the one in the middle moved
 *   struct4_k     a struct whose members are of four types, of 1 to 4 elements, at random,
 *                 every eighth
 *   random_k      1 to 4 elements after gaps of 1 to 32
 * index[0] is each block's place and index[1] its length, in elements; the latter is NULL where
 * all have one. */
#include "pattern.h"

#include <stdio.h>
#include <stdlib.h>

enum { MEMBERS = 4 };

static int *numbers(long n)
{
  int *x = calloc((size_t)n, sizeof *x);
  if (x) return x;
  fprintf(stderr, "no memory for a list of %ld\n", n);
  exit(1);
}

static pack_type element(size_t k)
{
  if (k == 4) return pack_float();
  if (k == 8) return pack_double();
  return k % 8 ? pack_contiguous((long)k / 4, pack_float())
               : pack_contiguous((long)k / 8, pack_double());
}

/* Sets the sizes from the lists. */
static void measure(struct pack_shape *s, size_t k)
{
  const long last = s->n[0] - 1;
  long copies = 0;
  for (long i = 0; i <= last; i++)
    copies += s->index[1] ? s->index[1][i] : 1;
  s->bytes = (size_t)copies * k;
  s->memory = (size_t)(s->index[0][last] + (s->index[1] ? s->index[1][last] : 1)) * k;
}

static void every_third(struct pack_shape *s)
{
  s->index[0] = numbers(s->n[0]);
  for (long i = 0; i < s->n[0]; i++)
    s->index[0][i] = (int)(3 * i);
}

static void shape_one_longer(struct pack_shape *s, size_t k)
{
  every_third(s);
  s->index[1] = numbers(s->n[0]);
  for (long i = 0; i < s->n[0]; i++)
    s->index[1][i] = 1 + (i == s->n[0] / 2);
  measure(s, k);
}

static void shape_one_moved(struct pack_shape *s, size_t k)
{
  every_third(s);
  s->index[0][s->n[0] / 2]++;
  measure(s, k);
}

static void shape_jitter(struct pack_shape *s, size_t k)
{
  uint64_t state = PACK_SEED;
  s->index[0] = numbers(s->n[0]);
  for (long i = 0; i < s->n[0]; i++)
    s->index[0][i] = (int)(9 * i + (long)(pack_random(&state) % 8));
  measure(s, k);
}

static void shape_period4(struct pack_shape *s, size_t k)
{
  static const int places[4] = {0, 2, 5, 9};
  s->index[0] = numbers(s->n[0]);
  for (long i = 0; i < s->n[0]; i++)
    s->index[0][i] = (int)(i / 4 * 12) + places[i % 4];
  s->index[0][s->n[0] / 2]++;
  measure(s, k);
}

static void shape_struct4(struct pack_shape *s, size_t k)
{
  uint64_t state = PACK_SEED;
  s->index[0] = numbers(s->n[0]);
  s->index[1] = numbers(s->n[0]);
  for (long i = 0; i < s->n[0]; i++) {
    s->index[0][i] = (int)(8 * i);
    s->index[1][i] = 1 + (int)(pack_random(&state) % MEMBERS);
  }
  measure(s, k);
}

static void shape_random(struct pack_shape *s, size_t k)
{
  uint64_t state = PACK_SEED;
  long at = 0;
  s->index[0] = numbers(s->n[0]);
  s->index[1] = numbers(s->n[0]);
  for (long i = 0; i < s->n[0]; i++) {
    s->index[0][i] = (int)at;
    s->index[1][i] = 1 + (int)(pack_random(&state) % 4);
    at += s->index[1][i] + 1 + (long)(pack_random(&state) % 32);
  }
  measure(s, k);
}

static pack_type type_list(const struct pack_shape *s, size_t k)
{
  if (s->index[1]) return pack_indexed_each(s->n[0], s->index[1], s->index[0], element(k));
  return pack_indexed(s->n[0], 1, s->index[0], element(k));
}

#define type_one_longer type_list
#define type_one_moved type_list
#define type_jitter type_list
#define type_period4 type_list
#define type_random type_list

/* Members of two and four elements are of ints, or they would be one type with the others. */
static pack_type type_struct4(const struct pack_shape *s, size_t k)
{
  pack_type of[MEMBERS], *types = malloc((size_t)s->n[0] * sizeof *types);
  ptrdiff_t *displs = malloc((size_t)s->n[0] * sizeof *displs);
  int *ones = numbers(s->n[0]);
  if (!types || !displs) abort();
  for (int i = 0; i < MEMBERS; i++)
    of[i] = i % 2 ? pack_contiguous((long)k / 4 * (i + 1), pack_int())
                  : pack_contiguous(i + 1, element(k));
  for (long i = 0; i < s->n[0]; i++) {
    types[i] = of[s->index[1][i] - 1];
    displs[i] = s->index[0][i] * (ptrdiff_t)k;
    ones[i] = 1;
  }
  pack_type made = pack_struct((int)s->n[0], ones, displs, types);
  free(ones);
  free(displs);
  free(types);
  return made;
}

#define DEFINE(name, k)                                                                            \
  void pack_shape_##name##_##k(struct pack_shape *s)                                               \
  {                                                                                                \
    shape_##name(s, k);                                                                            \
  }                                                                                                \
  pack_type pack_type_##name##_##k(const struct pack_shape *s)                                     \
  {                                                                                                \
    return type_##name(s, k);                                                                      \
  }
#define DEFINE_LISTS(k)                                                                            \
  DEFINE(one_longer, k)                                                                            \
  DEFINE(one_moved, k)                                                                             \
  DEFINE(jitter, k) DEFINE(period4, k) DEFINE(struct4, k) DEFINE(random, k)

DEFINE_LISTS(4)
DEFINE_LISTS(8)
DEFINE_LISTS(12)
DEFINE_LISTS(64)
