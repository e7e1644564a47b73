/* This file is the part table of bucket structs: a bucket number and a
 * displacement for each block, both compressed. */
#include "types/bucket_index/bucket_table.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/layout/footprint.h"
#include "types/sequence/sequence.h"

struct buckets {
  struct mpj_parts head;
  struct mpj_sequence *numbers; /* [count], shared; NULL: no blocks */
  struct mpj_sequence *displs;  /* [count], shared, bytes from `first` */
  MPJ_Aint first;
  int *bucket_of; /* owned: of the numbers, which are then a layout's; or NULL */
  int nbuckets;
  struct mpj_bucket *all; /* [nbuckets], owned */
};

static const struct mpj_bucket *bucket_of(const struct buckets *t, MPJ_Count i)
{
  const MPJ_Count number = mpj_sequence_at(t->numbers, i);
  return &t->all[t->bucket_of ? t->bucket_of[number] : number];
}

static MPJ_Aint displ_of(const struct buckets *t, MPJ_Count i)
{
  return mpj_wrap_muladd(1, mpj_sequence_at(t->displs, i), t->first);
}

static int view(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *out)
{
  const struct buckets *t = (const struct buckets *)parts;
  const struct mpj_piece *block = &bucket_of(t, i)->block;
  bool data = block->layout->kind != MPJ_LAYOUT_EMPTY;
  *out = (struct mpj_view){block->layout, 1, 0, data ? displ_of(t, i) + block->displ : 0};
  return MPJ_SUCCESS;
}

static int describe(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                    struct mpj_type_spec *spec)
{
  const struct buckets *t = (const struct buckets *)parts;
  const struct mpj_bucket *bucket = bucket_of(t, i);
  int status = mpj_spec_contiguous(bucket->blocklen, &bucket->old, spec);
  if (!status) *origin = displ_of(t, i);
  return status;
}

static void blocks(const struct mpj_parts *parts, MPJ_Count first, MPJ_Count n, MPJ_Count copies[],
                   MPJ_Aint displs[], const struct mpj_type_spec *olds[])
{
  const struct buckets *t = (const struct buckets *)parts;
  if (displs && n > 0) mpj_sequence_read(t->displs, first, n, displs);
  for (MPJ_Count i = 0; i < n; i++) {
    const struct mpj_bucket *bucket = bucket_of(t, first + i);
    if (displs) displs[i] = mpj_wrap_muladd(1, displs[i], t->first);
    if (copies) copies[i] = bucket->blocklen;
    if (olds) olds[i] = &bucket->old;
  }
}

const struct mpj_bucket *mpj_buckets_of(const struct mpj_parts *parts, int *nbuckets)
{
  const struct buckets *t = (const struct buckets *)parts;
  *nbuckets = t->nbuckets;
  return t->all;
}

void mpj_buckets_numbers(const struct mpj_parts *parts, MPJ_Count first, MPJ_Count n,
                         MPJ_Count numbers[])
{
  const struct buckets *t = (const struct buckets *)parts;
  if (n > 0) mpj_sequence_read(t->numbers, first, n, numbers);
  for (MPJ_Count i = 0; i < n && t->bucket_of; i++)
    numbers[i] = t->bucket_of[numbers[i]];
}

void mpj_buckets_free(int nbuckets, struct mpj_bucket buckets[])
{
  for (int b = 0; buckets && b < nbuckets; b++) {
    mpj_layout_release(buckets[b].block.layout);
    mpj_spec_release(&buckets[b].old);
  }
  mpj_free(buckets);
}

static void measure(const struct mpj_parts *parts, struct mpj_footprint *f)
{
  const struct buckets *t = (const struct buckets *)parts;
  if (!mpj_footprint_add(f, t)) return;
  mpj_footprint_sequence(f, t->numbers);
  mpj_footprint_sequence(f, t->displs);
  mpj_footprint_add(f, t->bucket_of);
  mpj_footprint_add(f, t->all);
  for (int b = 0; b < t->nbuckets; b++) {
    mpj_footprint_layout(f, t->all[b].block.layout);
    mpj_footprint_spec(f, &t->all[b].old);
  }
}

static void destroy(struct mpj_parts *parts)
{
  struct buckets *t = (struct buckets *)parts;
  mpj_sequence_release(t->numbers);
  mpj_sequence_release(t->displs);
  mpj_buckets_free(t->nbuckets, t->all);
  mpj_free(t->bucket_of);
  mpj_free(t);
}

static const struct mpj_parts_ops buckets_ops = {"bucket struct", view,    describe, blocks,
                                                 measure,         destroy, false};

/* Whether every row of the layout is one bucket's. */
static bool one_to_one(int nbuckets, const MPJ_Count row_of[])
{
  for (int a = 0; a < nbuckets; a++)
    for (int b = 0; b < a; b++)
      if (row_of[a] >= 0 && row_of[a] == row_of[b]) return false;
  return true;
}

static int no_table(int nbuckets)
{
  return mpj_error(MPJ_ERR_NO_MEM, "table of %d buckets could not be allocated", nbuckets);
}

/* The numbers that the layout has, and the buckets that they mean. */
static int share_numbers(struct buckets *t, const struct mpj_layout *layout,
                         const MPJ_Count row_of[])
{
  t->bucket_of = mpj_alloc_array((size_t)t->nbuckets, sizeof *t->bucket_of);
  if (!t->bucket_of) return no_table(t->nbuckets);
  for (int b = 0; b < t->nbuckets; b++)
    if (row_of[b] >= 0) t->bucket_of[row_of[b]] = b;
  t->numbers = mpj_sequence_retain(layout->u.seq.rows);
  return MPJ_SUCCESS;
}

static int make_numbers(struct buckets *t, const int numbers[])
{
  MPJ_Count *identity = mpj_alloc((size_t)t->nbuckets * sizeof *identity);
  if (!identity) return no_table(t->nbuckets);
  for (int b = 0; b < t->nbuckets; b++)
    identity[b] = b;
  struct mpj_series rows = {
      .n = t->head.count, .numbers = numbers, .table = identity, .rows = t->nbuckets, .scale = 1};
  int status = mpj_sequence_make(&rows, &t->numbers);
  mpj_free(identity);
  return status;
}

static int make_sequences(struct buckets *t, const int numbers[], const MPJ_Aint displs[],
                          const struct mpj_layout *layout, const struct mpj_buckets_made *made)
{
  bool shared = made->same && one_to_one(t->nbuckets, made->row_of);
  int status = shared ? share_numbers(t, layout, made->row_of) : make_numbers(t, numbers);
  if (status) return status;
  t->first = displs[0];
  if (made->same) {
    t->displs = mpj_sequence_retain(layout->u.seq.displs);
    return MPJ_SUCCESS;
  }
  struct mpj_series places = mpj_series_of(t->head.count, displs, 1);
  places.origin = t->first;
  return mpj_sequence_make(&places, &t->displs);
}

int mpj_parts_buckets(MPJ_Count nblocks, const int numbers[], const MPJ_Aint displs[], int nbuckets,
                      struct mpj_bucket *buckets, const struct mpj_layout *layout,
                      const struct mpj_buckets_made *made, struct mpj_parts **out)
{
  struct buckets *t = mpj_alloc_array(1, sizeof *t);
  if (!t) {
    mpj_buckets_free(nbuckets, buckets);
    return mpj_error(MPJ_ERR_NO_MEM, "part table of %" PRId64 " blocks could not be allocated",
                     nblocks);
  }
  t->head.ops = &buckets_ops;
  t->head.count = nblocks;
  atomic_init(&t->head.references, 1);
  t->nbuckets = nbuckets;
  t->all = buckets;
  int status = nblocks > 0 ? make_sequences(t, numbers, displs, layout, made) : MPJ_SUCCESS;
  if (status)
    destroy(&t->head);
  else
    *out = &t->head;
  return status;
}
