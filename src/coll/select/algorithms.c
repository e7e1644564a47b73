/* This file is the table of the algorithms. */
#include "coll/select/algorithms.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LINE_SEGMENTS = 192 };

const struct mpj_algorithm mpj_algorithms[] = {
#define ROW(op, word, fn, ...)                                                                     \
  {.operation = MPJ_OPERATION_##op, .name = word, .build = fn, __VA_ARGS__},
#include "coll/select/algorithms.def"
#undef ROW
    {.name = NULL}};

const struct mpj_algorithm *mpj_algorithm_find(enum mpj_operation operation, const char *name,
                                               size_t length)
{
  for (const struct mpj_algorithm *a = mpj_algorithms; a->name; a++)
    if (a->operation == operation && strlen(a->name) == length &&
        memcmp(a->name, name, length) == 0)
      return a;
  return NULL;
}

const struct mpj_algorithm *mpj_algorithm_row(unsigned number)
{
  const unsigned n = sizeof mpj_algorithms / sizeof *mpj_algorithms - 1;
  return number < n ? &mpj_algorithms[number] : NULL;
}

const char *mpj_algorithm_name(unsigned number)
{
  const struct mpj_algorithm *a = mpj_algorithm_row(number);
  return a ? a->name : "an unknown algorithm";
}

bool mpj_algorithm_takes_radix(const struct mpj_algorithm *a, int radix, char *why, size_t size)
{
  const bool has = a->radix > 0 && !a->fixed_radix;
  if (radix == 0 || (has && radix >= a->least_radix && radix <= MPJ_RADIX_MOST)) return true;
  if (has)
    snprintf(why, size, "radix is %d, of %s it is %d to %d", radix, a->name, a->least_radix,
             MPJ_RADIX_MOST);
  else
    snprintf(why, size, "radix is %d, but %s has none", radix, a->name);
  return false;
}
