/* This file measures what only MPJ has: bucket indices, and the parts of types. */
#include <stdio.h>
#include <stdlib.h>

#include "types/type.h"
#include "types_measure.h"

enum { MILLION = 1000000, PARTS = 1000000, PROBES = 20000 };

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "types: %s\n", MPJ_Error_detail());
  exit(1);
}

/* 1e6 blocks in 4 buckets. */
static void buckets(void)
{
  static const MPJ_Count lens[] = {1, 10, 100, 1000};
  MPJ_Count *displs = malloc(MILLION * sizeof *displs), at = 0;
  int *numbers = malloc(MILLION * sizeof *numbers);
  double best = 0;
  size_t kept = 0;
  if (!displs || !numbers) exit(1);
  for (int i = 0; i < MILLION; i++) {
    numbers[i] = (int)types_random(4);
    at += types_random(4096);
    displs[i] = at;
    at += lens[numbers[i]];
  }
  for (int r = 0; r < 5; r++) {
    MPJ_Datatype type;
    size_t before = types_heap();
    double start = types_now();
    must(MPJ_Type_create_bucket_index(MILLION, 4, lens, numbers, displs, MPJ_DOUBLE, &type));
    must(MPJ_Type_commit(&type));
    double ms = types_now() - start;
    kept = types_kept(type, before);
    if (r == 0 || ms < best) best = ms;
    must(MPJ_Type_free(&type));
  }
  types_report("bucket-index", best, kept);
  free(displs);
  free(numbers);
}

/* Milliseconds of one part as a view, and of one as a handle that is freed. */
static void probe(const char *name, MPJ_Datatype type, size_t bytes)
{
  char full[64];
  struct mpj_type *object;
  double best_view = 0, best_handle = 0;
  must(mpj_type_resolve(type, "type", &object));
  for (int r = 0; r < 5; r++) {
    struct mpj_view view;
    volatile MPJ_Aint sink = 0;
    double start = types_now();
    for (int i = 0; i < PROBES; i++) {
      must(mpj_type_part_view(object, types_random(PARTS), &view));
      sink = sink + view.displ;
    }
    double ms = (types_now() - start) / PROBES;
    if (r == 0 || ms < best_view) best_view = ms;
    start = types_now();
    for (int i = 0; i < PROBES; i++) {
      MPJ_Aint displ;
      MPJ_Datatype part;
      must(MPJ_Type_part(type, types_random(PARTS), &displ, &part));
      must(MPJ_Type_free(&part));
    }
    ms = (types_now() - start) / PROBES;
    if (r == 0 || ms < best_handle) best_handle = ms;
  }
  snprintf(full, sizeof full, "part-view-%s", name);
  types_report(full, best_view, bytes);
  snprintf(full, sizeof full, "part-handle-%s", name);
  types_report(full, best_handle, bytes);
}

static MPJ_Datatype indexed_parts(int irregular)
{
  MPJ_Count *lens = malloc(PARTS * sizeof *lens), *displs = malloc(PARTS * sizeof *displs);
  MPJ_Datatype type;
  if (!lens || !displs) exit(1);
  types_irregular(PARTS, lens, displs);
  for (int i = 0; i < PARTS && !irregular; i++) {
    lens[i] = 2;
    displs[i] = i / 1000 * 5000 + i % 1000 * 3;
  }
  must(MPJ_Type_indexed(PARTS, lens, displs, MPJ_DOUBLE, &type));
  free(lens);
  free(displs);
  return type;
}

static MPJ_Datatype grid_parts(void)
{
  const MPJ_Count sizes[] = {5003, 7001}, dargs[] = {MPJ_DISTRIBUTE_DFLT_DARG, 2};
  const int distribs[] = {MPJ_DISTRIBUTE_BLOCK, MPJ_DISTRIBUTE_CYCLIC}, grid[] = {1000, 1000};
  MPJ_Datatype type;
  must(MPJ_Type_create_distribution(2, sizes, distribs, dargs, grid, MPJ_ORDER_C, MPJ_DOUBLE,
                                    &type));
  return type;
}

static MPJ_Datatype make_parts(int kind)
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  if (kind == 0) must(MPJ_Type_contiguous(PARTS, MPJ_DOUBLE, &type));
  if (kind == 1) must(MPJ_Type_vector(PARTS, 3, 5, MPJ_DOUBLE, &type));
  if (kind == 2) type = grid_parts();
  if (kind == 3 || kind == 4) type = indexed_parts(kind == 4);
  must(MPJ_Type_commit(&type));
  return type;
}

void types_mpj_cases(void)
{
  static const char *const names[] = {"contiguous", "vector", "distribution", "two-level",
                                      "irregular"};
  buckets();
  for (int kind = 0; kind < 5; kind++) {
    size_t before = types_heap();
    MPJ_Datatype type = make_parts(kind);
    probe(names[kind], type, types_kept(type, before));
    must(MPJ_Type_free(&type));
  }
}
