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

#define ROW(op, word, fn, ...)                                                                     \
  {                                                                                                \
    .operation = MPJ_OPERATION_##op, .name = word, .build = fn, __VA_ARGS__                        \
  }

const struct mpj_algorithm mpj_algorithms[] = {
    ROW(BARRIER, "dissemination", mpj_barrier_dissemination, .arrivals = only_rounds),
    ROW(BARRIER, "flat", mpj_barrier_flat, .arrivals = only_rounds, .needs = MPJ_NEEDS_SHARED),
    ROW(BARRIER, "two_level", mpj_barrier_two_level, .arrivals = signals_of_a_node),

    ROW(BCAST, "flat", mpj_bcast_flat, .arrivals = one_each),
    ROW(BCAST, "binomial", mpj_bcast_knomial, .arrivals = one_a_segment, .segmented = true,
        .radix = 2, .least_radix = 2, .fixed_radix = true, .tree = MPJ_TREE_KNOMIAL),
    ROW(BCAST, "knomial", mpj_bcast_knomial, .arrivals = one_a_segment, .segmented = true,
        .radix = 4, .least_radix = 2, .tree = MPJ_TREE_KNOMIAL),
    ROW(BCAST, "kary", mpj_bcast_kary, .arrivals = one_a_segment, .segmented = true, .radix = 2,
        .least_radix = 1, .tree = MPJ_TREE_KARY),
    ROW(BCAST, "chain", mpj_bcast_kary, .arrivals = one_a_segment, .segmented = true, .radix = 1,
        .least_radix = 1, .fixed_radix = true, .tree = MPJ_TREE_KARY),
    ROW(BCAST, "two_level", mpj_bcast_two_level, .arrivals = one_a_segment, .segmented = true,
        .radix = 2, .least_radix = 2, .tree = MPJ_TREE_TWO_LEVEL),
    ROW(BCAST, "scatter_allgather", mpj_bcast_scatter_allgather, .arrivals = two_each,
        .needs = MPJ_NEEDS_CUTTABLE),
    ROW(BCAST, "circulant", mpj_bcast_circulant, .arrivals = one_a_segment, .segmented = true),

    ROW(BCAST, "neighbourhood", mpj_bcast_neighbourhood, .arrivals = down_lines, .segmented = true,
        .most_segments = LINE_SEGMENTS, .judges = true, .answers = true),
    ROW(BCAST, "neighbourhood_line", mpj_bcast_neighbourhood_line, .arrivals = down_lines,
        .segmented = true, .most_segments = LINE_SEGMENTS, .judges = true),
    ROW(BCAST, "neighbourhood_global", mpj_bcast_neighbourhood_global, .arrivals = down_lines,
        .segmented = true, .most_segments = LINE_SEGMENTS, .judges = true),
    ROW(BCAST, "neighbourhood_none", mpj_bcast_neighbourhood_none, .arrivals = down_lines,
        .segmented = true, .most_segments = LINE_SEGMENTS),

    ROW(GATHER, "flat", mpj_gather_flat, .arrivals = one_each),
    ROW(GATHER, "knomial", mpj_gather_knomial, .arrivals = one_a_child, .radix = 2,
        .least_radix = 2),
    ROW(GATHER, "kary", mpj_gather_kary, .arrivals = one_a_branch, .radix = 2, .least_radix = 1),
    ROW(GATHER, "two_level", mpj_gather_two_level, .arrivals = one_a_child, .radix = 2,
        .least_radix = 2),
    ROW(SCATTER, "flat", mpj_scatter_flat, .arrivals = one_each),
    ROW(SCATTER, "knomial", mpj_scatter_knomial, .arrivals = one_a_child, .radix = 2,
        .least_radix = 2, .tree = MPJ_TREE_KNOMIAL),
    ROW(SCATTER, "kary", mpj_scatter_kary, .arrivals = one_a_branch, .radix = 2, .least_radix = 1,
        .tree = MPJ_TREE_KARY),
    ROW(SCATTER, "two_level", mpj_scatter_two_level, .arrivals = one_a_child, .radix = 2,
        .least_radix = 2, .tree = MPJ_TREE_TWO_LEVEL),
    ROW(ALLGATHER, "flat", mpj_allgather_flat, .arrivals = one_each),
    ROW(ALLGATHER, "ring", mpj_allgather_ring, .arrivals = one_each),
    ROW(ALLGATHER, "bruck", mpj_allgather_bruck, .arrivals = of_digits, .radix = 2,
        .least_radix = 2),
    ROW(ALLGATHER, "circulant", mpj_allgather_circulant, .arrivals = of_halving),
    ROW(ALLGATHER, "exchange", mpj_allgather_exchange, .arrivals = of_exchange, .radix = 2,
        .least_radix = 2),
    ROW(ALLGATHER, "two_level", mpj_allgather_two_level, .arrivals = one_each_and_rounds),

    ROW(ALLTOALL, "flat", mpj_alltoall_flat, .arrivals = one_each),
    ROW(ALLTOALL, "pairwise", mpj_alltoall_pairwise, .arrivals = one_each, .radix = 1,
        .least_radix = 1),
    ROW(ALLTOALL, "bruck", mpj_alltoall_bruck, .arrivals = of_digits, .radix = 2, .least_radix = 2),
    ROW(ALLTOALL, "two_level", mpj_alltoall_two_level, .arrivals = two_each_and_more),
    ROW(ALLTOALL, "sparse", mpj_alltoall_sparse, .arrivals = one_each, .needs = MPJ_NEEDS_SPARSE),

    ROW(REDUCE, "flat", mpj_reduce_flat, .arrivals = one_each),
    ROW(REDUCE, "segments", mpj_reduce_segments, .arrivals = two_each, .needs = MPJ_NEEDS_CUTTABLE),
    ROW(REDUCE, "knomial", mpj_reduce_knomial, .arrivals = one_a_child, .segmented = true,
        .radix = 2, .least_radix = 2),
    ROW(REDUCE, "kary", mpj_reduce_kary, .arrivals = one_a_branch, .segmented = true, .radix = 2,
        .least_radix = 1),
    ROW(REDUCE, "chain", mpj_reduce_kary, .arrivals = one_a_branch, .segmented = true, .radix = 1,
        .least_radix = 1, .fixed_radix = true),
    ROW(REDUCE, "two_level", mpj_reduce_two_level, .arrivals = one_a_child, .segmented = true,
        .radix = 2, .least_radix = 2, .needs = MPJ_NEEDS_ROWS),
    ROW(REDUCE, "rabenseifner", mpj_reduce_rabenseifner, .arrivals = of_halving_to_root,
        .needs = MPJ_NEEDS_CUTTABLE),
    ROW(REDUCE, "circulant", mpj_reduce_circulant, .arrivals = one_a_round, .segmented = true,
        .needs = MPJ_NEEDS_COMMUTATIVE),

    ROW(ALLREDUCE, "flat", mpj_allreduce_flat, .arrivals = one_each),
    ROW(ALLREDUCE, "segments", mpj_allreduce_segments, .arrivals = two_each,
        .needs = MPJ_NEEDS_CUTTABLE),
    ROW(ALLREDUCE, "exchange", mpj_allreduce_exchange, .arrivals = of_exchange, .radix = 2,
        .least_radix = 2),
    ROW(ALLREDUCE, "knomial", mpj_allreduce_knomial, .arrivals = one_a_child, .segmented = true,
        .radix = 2, .least_radix = 2),
    ROW(ALLREDUCE, "kary", mpj_allreduce_kary, .arrivals = one_a_branch, .segmented = true,
        .radix = 2, .least_radix = 1),
    ROW(ALLREDUCE, "chain", mpj_allreduce_kary, .arrivals = one_a_branch, .segmented = true,
        .radix = 1, .least_radix = 1, .fixed_radix = true),
    ROW(ALLREDUCE, "two_level", mpj_allreduce_two_level, .arrivals = one_a_child, .segmented = true,
        .radix = 2, .least_radix = 2, .needs = MPJ_NEEDS_ROWS),
    ROW(ALLREDUCE, "lines", mpj_allreduce_lines, .arrivals = of_chains, .segmented = true,
        .most_segments = LINE_SEGMENTS, .needs = MPJ_NEEDS_COMMUTATIVE),
    ROW(ALLREDUCE, "rabenseifner", mpj_allreduce_rabenseifner, .arrivals = of_halving,
        .needs = MPJ_NEEDS_CUTTABLE),
    ROW(ALLREDUCE, "ring", mpj_allreduce_ring, .arrivals = two_each,
        .needs = MPJ_NEEDS_CUTTABLE | MPJ_NEEDS_COMMUTATIVE),
    ROW(ALLREDUCE, "circulant", mpj_allreduce_circulant, .arrivals = of_halving,
        .needs = MPJ_NEEDS_CUTTABLE | MPJ_NEEDS_COMMUTATIVE),

    ROW(REDUCE_SCATTER, "flat", mpj_reduce_scatter_flat, .arrivals = one_each),
    ROW(REDUCE_SCATTER, "ring", mpj_reduce_scatter_ring, .arrivals = one_each,
        .needs = MPJ_NEEDS_COMMUTATIVE),
    ROW(REDUCE_SCATTER, "circulant", mpj_reduce_scatter_circulant, .arrivals = of_halving,
        .needs = MPJ_NEEDS_COMMUTATIVE),
    ROW(REDUCE_SCATTER, "exchange", mpj_reduce_scatter_exchange, .arrivals = of_exchange,
        .radix = 4, .least_radix = 2, .needs = MPJ_NEEDS_COMMUTATIVE),
    ROW(REDUCE_SCATTER, "two_level", mpj_reduce_scatter_two_level, .arrivals = two_each_and_more,
        .needs = MPJ_NEEDS_STRETCHES),

    ROW(SCAN, "flat", mpj_scan_flat, .arrivals = one_each),
    ROW(SCAN, "exchange", mpj_scan_exchange, .arrivals = of_digits, .radix = 2, .least_radix = 2),
    ROW(SCAN, "two_level", mpj_scan_two_level, .arrivals = of_two_prefixes,
        .needs = MPJ_NEEDS_STRETCHES),
    ROW(SCAN, "chain", mpj_scan_chain, .arrivals = one_a_segment, .segmented = true),

    ROW(EXSCAN, "flat", mpj_exscan_flat, .arrivals = one_each),
    ROW(EXSCAN, "exchange", mpj_exscan_exchange, .arrivals = of_digits, .radix = 2,
        .least_radix = 2),
    ROW(EXSCAN, "two_level", mpj_exscan_two_level, .arrivals = of_two_prefixes,
        .needs = MPJ_NEEDS_STRETCHES),
    ROW(EXSCAN, "chain", mpj_exscan_chain, .arrivals = one_a_segment, .segmented = true),

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
