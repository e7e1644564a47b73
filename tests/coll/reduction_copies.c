/* This file lays out copies of an element in many ways. */
#include <stdio.h>
#include <stdlib.h>

#include "coll/exchange_layouts.h"
#include "coll/reduction_model.h"

enum { RETYPED_MOST = 300 }; /* elements up to which all copies are laid out one by one */

static void must(int status, const char *what)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s failed: %s\n", what, MPJ_Error_detail());
  exit(2);
}

static void *array(MPJ_Count n, size_t size)
{
  void *p = calloc((size_t)n + 1, size);
  if (!p) exit(2);
  return p;
}

/* The element laid out anew, resized so that copies do not overlap. */
static void make_unit(struct mpj_random *rng, const struct model *model, struct layout *out)
{
  struct layout anew;
  layout_retyped(rng, &model->element, -1, &anew);
  const MPJ_Aint lb = mpj_ref_true_lb(anew.t.ref);
  const MPJ_Aint gap = mpj_random_in(rng, 0, 1) ? mpj_random_in(rng, 0, 12) : 0;
  const MPJ_Aint extent = mpj_ref_true_ub(anew.t.ref) - lb + gap;
  *out = (struct layout){0};
  out->t.ref = mpj_ref_resized(anew.t.ref, lb, extent);
  must(MPJ_Type_create_resized(anew.t.type, lb, extent, &out->t.type), "resized");
  layout_free(&anew);
}

static void make_regular(const struct layout *unit, MPJ_Count n, int stride, struct layout *out)
{
  snprintf(out->t.text, sizeof out->t.text, "vector of %lld, stride %d", (long long)n, stride);
  out->t.ref = mpj_ref_hvector(n, 1, stride * mpj_ref_extent(unit->t.ref), unit->t.ref);
  must(MPJ_Type_vector(n, 1, stride, unit->t.type, &out->t.type), "vector");
}

/* counts[i] copies as block i; the blocks in random order in memory, apart. */
static void make_blocks(struct mpj_random *rng, const struct layout *unit, MPJ_Count nblocks,
                        const MPJ_Count counts[], struct layout *out)
{
  MPJ_Aint *displs = array(nblocks, sizeof *displs), at = 0;
  const MPJ_Count first = mpj_random_in(rng, 0, nblocks - 1);
  for (MPJ_Count k = 0; k < nblocks; k++) {
    const MPJ_Count i = (first + k) % nblocks;
    displs[i] = at;
    at += counts[i] * mpj_ref_extent(unit->t.ref) + mpj_random_in(rng, 0, 3) * 16;
  }
  snprintf(out->t.text, sizeof out->t.text, "%lld blocks", (long long)nblocks);
  out->t.ref = mpj_ref_hindexed(nblocks, counts, displs, unit->t.ref);
  must(MPJ_Type_create_hindexed(nblocks, counts, displs, unit->t.type, &out->t.type), "hindexed");
  free(displs);
}

static void make_some_blocks(struct mpj_random *rng, const struct layout *unit, MPJ_Count n,
                             struct layout *out)
{
  MPJ_Count counts[9] = {0};
  const MPJ_Count nblocks = mpj_random_in(rng, 1, 9);
  for (MPJ_Count i = 0; i + 1 < nblocks; i++) {
    counts[i] = mpj_random_in(rng, 0, n / 2);
    n -= counts[i];
  }
  counts[nblocks - 1] = n;
  make_blocks(rng, unit, nblocks, counts, out);
}

/* n copies, n > 0, as a rectangle inside a larger one. */
static void make_rectangle(struct mpj_random *rng, const struct layout *unit, MPJ_Count n,
                           struct layout *out)
{
  MPJ_Count columns = mpj_random_in(rng, 1, 12);
  while (n % columns != 0)
    columns--;
  const MPJ_Count sub[2] = {n / columns, columns};
  const MPJ_Count starts[2] = {mpj_random_in(rng, 0, 2), mpj_random_in(rng, 0, 2)};
  const MPJ_Count sizes[2] = {sub[0] + starts[0], sub[1] + starts[1] + mpj_random_in(rng, 0, 1)};
  const int order = mpj_random_in(rng, 0, 1) ? MPJ_ORDER_C : MPJ_ORDER_FORTRAN;
  snprintf(out->t.text, sizeof out->t.text, "%lld x %lld", (long long)sub[0], (long long)sub[1]);
  out->t.ref = mpj_ref_subarray(2, sizes, sub, starts, order, unit->t.ref);
  must(MPJ_Type_create_subarray(2, sizes, sub, starts, order, unit->t.type, &out->t.type),
       "subarray");
}

void copies_make(struct mpj_random *rng, const struct model *model, MPJ_Count n, struct layout *out)
{
  struct layout unit;
  const int64_t form = mpj_random_in(rng, 0, 4);
  make_unit(rng, model, &unit);
  *out = (struct layout){0};
  if (form == 0)
    make_some_blocks(rng, &unit, n, out);
  else if (form == 1 && n > 0)
    make_rectangle(rng, &unit, n, out);
  else
    make_regular(&unit, n, form == 2 ? 2 : 1, out);
  must(MPJ_Type_commit(&out->t.type), "commit");
  layout_free(&unit);
}

void copies_parted(struct mpj_random *rng, const struct model *model, int nparts,
                   const MPJ_Count counts[], struct layout *out)
{
  struct layout unit, *pieces;
  MPJ_Count all = 0;
  for (int i = 0; i < nparts; i++)
    all += counts[i];
  if (all * mpj_ref_elements(model->element.t.ref) > RETYPED_MOST || mpj_random_in(rng, 0, 1)) {
    make_unit(rng, model, &unit);
    *out = (struct layout){0};
    make_blocks(rng, &unit, nparts, counts, out);
    must(MPJ_Type_commit(&out->t.type), "commit");
    layout_free(&unit);
    return;
  }
  pieces = array(nparts, sizeof *pieces);
  for (int i = 0; i < nparts; i++)
    copies_make(rng, model, counts[i], &pieces[i]);
  parted_of_pieces(rng, nparts, pieces, out);
  free(pieces);
}

/* Elements [first, first + count) of ref laid out anew. */
static void make_stretch(struct mpj_random *rng, const struct mpj_ref *ref, MPJ_Count first,
                         MPJ_Count count, struct layout *out)
{
  struct mpj_ref *slice = mpj_ref_slice(ref, first, count);
  *out = (struct layout){0};
  mpj_random_type_like(rng, slice, &out->t);
  must(MPJ_Type_commit(&out->t.type), "commit");
  mpj_ref_release(slice);
}

MPJ_Count stretches_parted(struct mpj_random *rng, const struct model *model, MPJ_Count n,
                           int nparts, const MPJ_Count counts[], int mine, struct layout *all,
                           struct layout *own)
{
  struct mpj_ref *element = model->element.t.ref;
  struct mpj_ref *copies = mpj_ref_hvector(n, 1, mpj_ref_extent(element), element);
  struct layout *pieces = array(nparts, sizeof *pieces);
  MPJ_Count first = 0, before = 0;
  for (int i = 0; i < nparts; first += counts[i++]) {
    make_stretch(rng, copies, first, counts[i], &pieces[i]);
    if (i < mine) before += mpj_ref_bytes(pieces[i].t.ref);
    if (i == mine) make_stretch(rng, copies, first, counts[i], own);
  }
  parted_of_pieces(rng, nparts, pieces, all);
  free(pieces);
  mpj_ref_release(copies);
  return before;
}
