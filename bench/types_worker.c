/* This file is one worker of the types benchmark: the cases that all libraries
 * have, timed in this one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types_measure.h"
#ifndef TYPES_MPI
#include "types_growth.h"
#endif

enum { MILLION = 1000000, RUNS = 7, BOXES = 1000, VECTORS = 20000 };

static types_count *numbers(types_count n)
{
  types_count *p = malloc((size_t)n * sizeof *p);
  if (!p) {
    fprintf(stderr, "types: no memory for %ld numbers\n", (long)n);
    exit(1);
  }
  return p;
}

static void shuffle(types_count n, types_count v[])
{
  for (types_count i = n - 1; i > 0; i--) {
    types_count j = (types_count)types_random((unsigned)i + 1), t = v[i];
    v[i] = v[j];
    v[j] = t;
  }
}

static void million_blocks(void)
{
  types_count *lens = numbers(MILLION), *displs = numbers(MILLION);
  types_irregular(MILLION, lens, displs);
  types_time_indexed("irregular", RUNS, MILLION, lens, displs);
  shuffle(MILLION, displs);
  types_time_indexed("shuffled", RUNS, MILLION, lens, displs);
  for (types_count i = 0; i < MILLION; i++) {
    lens[i] = 3;
    displs[i] = 5 * i;
  }
  types_time_indexed("regular", RUNS, MILLION, lens, displs);
  for (types_count i = 0; i < MILLION; i++)
    displs[i] = i / 1000 * 100000 + i % 1000 * 7;
  types_time_indexed("two-level", RUNS, MILLION, lens, displs);
  free(lens);
  free(displs);
}

/* Cost against n. */
static void growth(void)
{
  for (types_count n = 100; n <= 10 * MILLION; n *= 10) {
    char name[32];
    types_count *lens = numbers(n), *displs = numbers(n);
    types_irregular(n, lens, displs);
    snprintf(name, sizeof name, "indexed-%ld", (long)n);
    types_time_indexed(name, n > MILLION ? 2 : RUNS, n, lens, displs);
    free(lens);
    free(displs);
  }
}

/* 1000 boxes of several shapes in one struct; only the struct is timed. */
static void boxes(void)
{
  static types_type types[BOXES];
  static types_count lens[BOXES];
  static intptr_t displs[BOXES];
  const types_count sizes[3] = {64, 64, 64};
  double best = 0;
  size_t kept = 0;
  for (int i = 0; i < BOXES; i++) {
    types_count subsizes[3], starts[3];
    for (int d = 0; d < 3; d++) {
      subsizes[d] = 2 + (types_count)types_random(30);
      starts[d] = (types_count)types_random(30);
    }
    types[i] = types_subarray(sizes, subsizes, starts);
    lens[i] = 1;
    displs[i] = (intptr_t)i * 64 * 64 * 64 * 8;
  }
  for (int r = 0; r < 20; r++) {
    size_t before = types_heap();
    double start = types_now();
    types_type type = types_struct(BOXES, lens, displs, types);
    double ms = types_now() - start;
    kept = types_heap() - before; /* the boxes are there anyway */
    if (r == 0 || ms < best) best = ms;
    types_free(&type);
  }
  types_report("struct-of-boxes", best, kept);
  for (int i = 0; i < BOXES; i++)
    types_free(&types[i]);
}

static void small_vector(void)
{
  double best = 0;
  for (int r = 0; r < 10; r++) {
    double start = types_now();
    for (int i = 0; i < VECTORS; i++) {
      types_type type = types_vector(16, 2, 5);
      types_free(&type);
    }
    double ms = (types_now() - start) / VECTORS;
    if (r == 0 || ms < best) best = ms;
  }
  types_report("vector-of-16", best, 0);
}

int main(int argc, char **argv)
{
#ifndef TYPES_MPI
  if (argc == 3 && !strcmp(argv[1], "--growth")) {
    growth_table(atol(argv[2]));
    return 0;
  }
#endif
  types_start(&argc, &argv);
  million_blocks();
  boxes();
  small_vector();
  growth();
#ifndef TYPES_MPI
  types_mpj_cases();
#endif
  types_end();
  return 0;
}
