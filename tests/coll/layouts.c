/* This file makes the datatypes of the collectives' tests. */
#include "coll/layouts.h"

#include <stdio.h>
#include <stdlib.h>

#include <mpj/introspect.h>

#include "types/basic.h"

enum { MANY_PARTS = 64, LONG_OF_MANY = 12 };

static void must(int status, const struct layout *layout, const char *what)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s of %s failed: %s\n", what, layout->t.text, MPJ_Error_detail());
  exit(2);
}

static void *array(MPJ_Count n, size_t size)
{
  void *p = calloc((size_t)n + 1, size);
  if (!p) exit(2);
  return p;
}

static void commit(struct layout *layout)
{
  must(MPJ_Type_commit(&layout->t.type), layout, "commit");
}

void layout_free(struct layout *layout)
{
  mpj_random_type_free(&layout->t);
}

/* Bytes of one part of `nparts`: nothing, inline, eager or long; the limits now and then. Of very many
 * few are long: each of as many ranks may hold a map of all of them. */
static MPJ_Count draw_bytes(struct mpj_random *rng, MPJ_Count nparts)
{
  const bool may_be_long = nparts <= MANY_PARTS || mpj_random_in(rng, 1, nparts) <= LONG_OF_MANY;
  const MPJ_Count kind = mpj_random_in(rng, 0, 11);
  switch (may_be_long || kind < 2 || kind > 4 ? kind : 5) {
  case 0:
    return 0;
  case 1:
    return mpj_random_in(rng, 23, 25);
  case 2:
    return mpj_random_in(rng, 8191, 8193);
  case 3:
    return mpj_random_in(rng, 8194, 40000);
  case 4:
    return mpj_random_in(rng, 600, 8190);
  case 5:
  case 6:
  case 7:
    return mpj_random_in(rng, 26, 600);
  default:
    return mpj_random_in(rng, 1, 22);
  }
}

/* An element to repeat: a basic type (blocks of it are dense) or a small type
 * with gaps, resized so that copies do not overlap. */
static void make_element(struct mpj_random *rng, struct layout *out)
{
  const struct mpj_random_options options = {.depth = mpj_random_in(rng, 0, 1) ? 2 : 0,
                                             .max_elements = 12,
                                             .max_span = 400,
                                             .receivable = true};
  struct mpj_random_type inner;
  mpj_random_type_make(rng, &options, &inner);
  const MPJ_Aint lb = mpj_ref_true_lb(inner.ref);
  const MPJ_Aint gap = options.depth == 0 ? 0 : mpj_random_in(rng, 0, 9);
  const MPJ_Aint extent = mpj_ref_true_ub(inner.ref) - lb + gap;
  *out = (struct layout){0};
  snprintf(out->t.text, sizeof out->t.text, "blocks of %.900s", inner.text);
  out->t.ref = mpj_ref_resized(inner.ref, lb, extent);
  must(MPJ_Type_create_resized(inner.type, lb, extent, &out->t.type), out, "resized");
  mpj_random_type_free(&inner);
}

/* nparts blocks one after another in memory with gaps, in a random order. */
static void make_blocks(struct mpj_random *rng, MPJ_Count nparts, struct layout *out)
{
  struct layout element;
  MPJ_Count *lens = array(nparts, sizeof *lens);
  MPJ_Aint *displs = array(nparts, sizeof *displs), at = 0;
  make_element(rng, &element);
  const MPJ_Count bytes = mpj_ref_bytes(element.t.ref);
  const MPJ_Aint extent = mpj_ref_extent(element.t.ref), lb = mpj_ref_lb(element.t.ref);
  const MPJ_Count first = mpj_random_in(rng, 0, nparts - 1);
  for (MPJ_Count k = 0; k < nparts; k++) {
    const MPJ_Count i = (first + k) % nparts;
    lens[i] = bytes > 0 ? (draw_bytes(rng, nparts) + bytes / 2) / bytes : 1;
    displs[i] = at - lb;
    at += lens[i] * extent + mpj_random_in(rng, 0, 2) * MPJ_BASIC_ALIGN_MAX;
  }
  *out = element;
  out->t.ref = mpj_ref_hindexed(nparts, lens, displs, element.t.ref);
  must(MPJ_Type_create_hindexed(nparts, lens, displs, element.t.type, &out->t.type), out,
       "hindexed");
  layout_free(&element);
  free(displs);
  free(lens);
}

void layout_parted(struct mpj_random *rng, MPJ_Count nparts, struct layout *out)
{
  const struct mpj_random_options options = {
      .depth = 3, .max_elements = 40 * nparts, .receivable = true, .nparts = nparts};
  *out = (struct layout){0};
  if (mpj_random_in(rng, 0, 1))
    mpj_random_type_make(rng, &options, &out->t);
  else
    make_blocks(rng, nparts, out);
  commit(out);
}

void layout_whole(struct mpj_random *rng, struct layout *out)
{
  const struct mpj_random_options options = {.depth = 4, .max_elements = 400, .receivable = true};
  *out = (struct layout){0};
  if (mpj_random_in(rng, 0, 1))
    mpj_random_type_make(rng, &options, &out->t);
  else
    make_blocks(rng, mpj_random_in(rng, 1, 3), out);
  commit(out);
}

/* Another basic type of the same class and size, or the same one. */
static int other_name(struct mpj_random *rng, int basic)
{
  const int candidate = (int)mpj_random_in(rng, 0, MPJ_BASIC_COUNT - 1);
  return mpj_basics[candidate].letter == mpj_basics[basic].letter ? candidate : basic;
}

/* The elements of ref one directly after another. */
static void make_dense(struct mpj_random *rng, const struct mpj_ref *ref, struct layout *out)
{
  const MPJ_Count n = mpj_ref_elements(ref);
  MPJ_Count *lens = array(n, sizeof *lens), kept = 0;
  MPJ_Aint *displs = array(n, sizeof *displs), at = 0;
  MPJ_Datatype *types = array(n, sizeof *types);
  struct mpj_ref **refs = array(n, sizeof *refs);
  int previous = -1;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    const int basic = ref->map[e].basic;
    if (basic < 0) continue;
    if (basic != previous) {
      const int name = other_name(rng, basic);
      types[kept] = MPJ_BASIC_(name);
      refs[kept] = mpj_ref_basic(name);
      displs[kept++] = at;
    }
    previous = basic;
    lens[kept - 1]++;
    at += mpj_basics[basic].size;
  }
  *out = (struct layout){.t.text = "dense"};
  out->t.ref = mpj_ref_struct(kept, lens, displs, refs);
  must(MPJ_Type_create_struct(kept, lens, displs, types, &out->t.type), out, "struct");
  for (MPJ_Count i = 0; i < kept; i++)
    mpj_ref_release(refs[i]);
  free(refs);
  free(types);
  free(displs);
  free(lens);
}

static void make_part(const struct layout *of, MPJ_Count i, struct layout *out)
{
  *out = (struct layout){0};
  snprintf(out->t.text, sizeof out->t.text, "part of %.900s", of->t.text);
  out->t.ref = mpj_ref_retain(mpj_ref_part(of->t.ref, i).type);
  must(MPJ_Type_part(of->t.type, i, &out->shift, &out->t.type), out, "part");
}

static void make_dup(const struct layout *of, struct layout *out)
{
  *out = *of;
  out->t.ref = mpj_ref_dup(of->t.ref);
  must(MPJ_Type_dup(of->t.type, &out->t.type), out, "dup");
}

void layout_retyped(struct mpj_random *rng, const struct layout *of, MPJ_Count i,
                    struct layout *out)
{
  const struct mpj_ref *ref = i < 0 ? of->t.ref : mpj_ref_part(of->t.ref, i).type;
  *out = (struct layout){0};
  switch (mpj_random_in(rng, 0, 3)) {
  case 0:
    if (i < 0)
      make_dup(of, out);
    else
      make_part(of, i, out);
    break;
  case 1:
    mpj_random_type_like(rng, ref, &out->t);
    break;
  default:
    make_dense(rng, ref, out);
    break;
  }
  commit(out);
}

void layout_at_bottom(const struct layout *of, void *base, MPJ_Datatype *type)
{
  const MPJ_Aint address = (MPJ_Aint)(uintptr_t)base;
  MPJ_Count n;
  must(MPJ_Type_parts(of->t.type, &n), of, "parts");
  MPJ_Count *lens = array(n, sizeof *lens), *numbers = array(n, sizeof *numbers);
  MPJ_Aint *displs = array(n, sizeof *displs);
  MPJ_Datatype *parts = array(n, sizeof *parts);
  for (MPJ_Count i = 0; i < n; i++) {
    lens[i] = 1;
    numbers[i] = i;
    must(MPJ_Type_part(of->t.type, i, &displs[i], &parts[i]), of, "part");
    displs[i] += address;
  }
  int combiner;
  MPJ_Count unused;
  must(MPJ_Type_get_envelope(of->t.type, &unused, &unused, &unused, &combiner), of, "envelope");
  if (combiner == MPJ_COMBINER_SPARSE) /* all are given, many of them empty types */
    must(MPJ_Type_create_sparse(n, n, numbers, displs, parts, type), of, "sparse");
  else
    must(MPJ_Type_create_struct(n, lens, displs, parts, type), of, "struct");
  must(MPJ_Type_commit(type), of, "commit");
  for (MPJ_Count i = 0; i < n; i++)
    if (mpj_basic_of_handle(parts[i]) < 0) must(MPJ_Type_free(&parts[i]), of, "free");
  free(parts);
  free(displs);
  free(numbers);
  free(lens);
}
