/* This file is the part table of sparse types: the table of a struct of the parts that are given,
 * and the list of their numbers, in which a part is looked for. */
#include "types/sparse/sparse.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/layout/footprint.h"
#include "types/layout/intern.h"
#include "types/parts/tables.h"

/* The block that is part i, or -1. O(log n). */
static MPJ_Count block_of(const struct mpj_sparse *t, MPJ_Count i)
{
  const struct mpj_sequence *numbers = t->given.numbers;
  if (!numbers || mpj_sequence_at(numbers, 0) > i) return -1;
  const MPJ_Count k = mpj_sequence_find(numbers, i);
  return mpj_sequence_at(numbers, k) == i ? k : -1;
}

static int view(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *out)
{
  const struct mpj_sparse *t = (const struct mpj_sparse *)parts;
  const MPJ_Count k = block_of(t, i);
  if (k >= 0) return t->blocks->ops->view(t->blocks, k, out);
  *out = (struct mpj_view){mpj_layout_of_nothing(), 1, 0, 0};
  return MPJ_SUCCESS;
}

static int describe(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                    struct mpj_type_spec *spec)
{
  const struct mpj_sparse *t = (const struct mpj_sparse *)parts;
  const MPJ_Count k = block_of(t, i);
  const struct mpj_type_spec *old;
  if (k < 0) {
    const int b = mpj_basic_of_handle(MPJ_BYTE);
    const struct mpj_type_spec byte = {.map = {mpj_layout_of_basic(b), 0},
                                       .parts = mpj_parts_of_basic(b),
                                       .ub = 1,
                                       .alignment = 1};
    *origin = 0;
    return mpj_spec_contiguous(0, &byte, spec);
  }
  t->blocks->ops->blocks(t->blocks, k, 1, NULL, origin, &old);
  *spec = mpj_spec_retain(old);
  return MPJ_SUCCESS;
}

static void blocks(const struct mpj_parts *parts, MPJ_Count first, MPJ_Count n, MPJ_Count copies[],
                   MPJ_Aint displs[], const struct mpj_type_spec *olds[])
{
  const struct mpj_parts *given = ((const struct mpj_sparse *)parts)->blocks;
  given->ops->blocks(given, first, n, copies, displs, olds);
}

static void measure(const struct mpj_parts *parts, struct mpj_footprint *f)
{
  const struct mpj_sparse *t = (const struct mpj_sparse *)parts;
  if (!mpj_footprint_add(f, t)) return;
  t->blocks->ops->measure(t->blocks, f);
  mpj_footprint_sequence(f, t->given.numbers);
  mpj_footprint_sequence(f, t->filled.numbers);
}

static void destroy(struct mpj_parts *parts)
{
  struct mpj_sparse *t = (struct mpj_sparse *)parts;
  mpj_parts_release(t->blocks);
  mpj_sequence_release(t->given.numbers);
  mpj_sequence_release(t->filled.numbers);
  mpj_free(t);
}

static const struct mpj_parts_ops sparse_ops = {"sparse", view,    describe, blocks,
                                                measure,  destroy, false};

const struct mpj_sparse *mpj_sparse_of(const struct mpj_parts *parts)
{
  return parts->ops == &sparse_ops ? (const struct mpj_sparse *)parts : NULL;
}

static int make_list(MPJ_Count n, const MPJ_Count numbers[], struct mpj_part_list *list)
{
  const struct mpj_series series = mpj_series_of(n, numbers, 1);
  if (n == 0) return MPJ_SUCCESS;
  const int status = mpj_sequence_make(&series, &list->numbers);
  if (status) return status;
  list->n = n;
  list->hash = mpj_sequence_hash(list->numbers);
  return MPJ_SUCCESS;
}

/* From given, with `room` for its numbers. */
static int make_filled(struct mpj_sparse *t, const MPJ_Count numbers[], MPJ_Count room[])
{
  MPJ_Count n = 0;
  for (MPJ_Count k = 0; k < t->given.n; k++) {
    const struct mpj_type_spec *old;
    t->blocks->ops->blocks(t->blocks, k, 1, NULL, NULL, &old);
    if (old->map.layout->signature.bytes > 0) room[n++] = numbers[k];
  }
  if (n < t->given.n) return make_list(n, room, &t->filled);
  t->filled = t->given;
  mpj_sequence_retain(t->filled.numbers);
  return MPJ_SUCCESS;
}

int mpj_parts_sparse(MPJ_Count nparts, const MPJ_Count numbers[], struct mpj_parts *given,
                     struct mpj_parts **out)
{
  struct mpj_sparse *t = mpj_alloc_array(1, sizeof *t);
  MPJ_Count *room = mpj_alloc_array((size_t)given->count, sizeof *room);
  int status = MPJ_ERR_NO_MEM;
  if (t && room) {
    t->head.ops = &sparse_ops;
    t->head.count = nparts;
    atomic_init(&t->head.references, 1);
    t->blocks = mpj_parts_retain(given);
    status = make_list(given->count, numbers, &t->given);
    if (!status) status = make_filled(t, numbers, room);
    if (!status) *out = &t->head;
    if (status) destroy(&t->head);
  } else {
    mpj_free(t);
    mpj_error(status, "part table of %" PRId64 " parts could not be allocated", given->count);
  }
  mpj_free(room);
  mpj_parts_release(given);
  return status;
}
