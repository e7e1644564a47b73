/* This file is the table of the algorithms. */
#include "coll/select/algorithms.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "coll/algorithms/shapes/tree.h"

/* How often radix must be multiplied to reach p. */
static int rounds(const struct mpj_facts *f, int radix)
{
  int n = 0;
  for (int64_t reach = 1; reach < f->ranks; reach *= radix)
    n++;
  return n;
}

/* Arrivals */

/* Signals, of which a window has bits for MPJ_BITS_MAX: elsewhere it is as good as none. */
static int signals_of_a_node(const struct mpj_facts *f, int radix, int segments)
{
  (void)radix;
  (void)segments;
  const int most = f->ranks - f->nodes + 1 + rounds(f, 2) + 1;
  return most <= MPJ_BITS_MAX ? most : MPJ_ARRIVALS_MOST + 1;
}

static int one_each(const struct mpj_facts *f, int radix, int segments)
{
  (void)radix;
  (void)segments;
  return f->ranks;
}

static int only_rounds(const struct mpj_facts *f, int radix, int segments)
{
  (void)radix;
  (void)segments;
  return 1 + rounds(f, 2);
}

static int one_a_round(const struct mpj_facts *f, int radix, int segments)
{
  (void)radix;
  return 2 + segments + rounds(f, 2);
}

static int two_each(const struct mpj_facts *f, int radix, int segments)
{
  (void)radix;
  (void)segments;
  return 2 * f->ranks;
}

static int two_each_and_more(const struct mpj_facts *f, int radix, int segments)
{
  return 2 + two_each(f, radix, segments);
}

static int one_each_and_rounds(const struct mpj_facts *f, int radix, int segments)
{
  return one_each(f, radix, segments) + rounds(f, 2) + 1;
}

static int one_a_segment(const struct mpj_facts *f, int radix, int segments)
{
  (void)f;
  (void)radix;
  return 2 + segments;
}

enum { LINE_SEGMENTS = 192 };

/* Verdicts of lines: of n ranks 1 + ceil(log2 n) at most, and two for the chains. */
static int down_lines(const struct mpj_facts *f, int radix, int segments)
{
  (void)radix;
  return 2 + segments + 3 * rounds(f, 2);
}

/* What is not cut is one segment. */
static int pieces(int segments)
{
  return segments > 0 ? segments : 1;
}

static int one_a_child(const struct mpj_facts *f, int radix, int segments)
{
  return 4 + (mpj_tree_most_children(f, MPJ_TREE_TWO_LEVEL, radix) + 1) * pieces(segments);
}

/* Two chains in each of at most log2 p dimensions, and one from above. */
static int of_chains(const struct mpj_facts *f, int radix, int segments)
{
  (void)radix;
  return 4 + (2 * rounds(f, 2) + 1) * pieces(segments);
}

static int one_a_branch(const struct mpj_facts *f, int radix, int segments)
{
  return 4 + (mpj_tree_most_children(f, MPJ_TREE_KARY, radix) + 1) * pieces(segments);
}

static int of_exchange(const struct mpj_facts *f, int radix, int segments)
{
  (void)segments;
  return 3 + radix * (rounds(f, radix) + 1);
}

static int of_halving(const struct mpj_facts *f, int radix, int segments)
{
  (void)radix;
  (void)segments;
  return 6 + 4 * rounds(f, 2);
}

static int of_halving_to_root(const struct mpj_facts *f, int radix, int segments)
{
  return of_halving(f, radix, segments) + f->ranks;
}

static int of_digits(const struct mpj_facts *f, int radix, int segments)
{
  (void)segments;
  return 2 + 2 * radix * rounds(f, radix);
}

/* One of the ranks of a node, one of the nodes, and what comes from the last of a node. */
static int of_two_prefixes(const struct mpj_facts *f, int radix, int segments)
{
  (void)radix;
  (void)segments;
  return 2 + 4 * rounds(f, 2);
}

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
