/* This file turns what the bucket constructors were told into numbers. The bucket of a block
 * of an index is not kept: its length tells. */
#include "types/bucket_index/bucket_contents.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/bucket_index/bucket_table.h"
#include "types/make/form.h"
#include "types/make/form_new.h"
#include "types/parts/parts.h"
#include "types/type.h"

/* Whether bucket a comes before bucket b: by length, and then by number. */
static bool before(const MPJ_Count lens[], int a, int b)
{
  return lens[a] != lens[b] ? lens[a] < lens[b] : a < b;
}

/* Let order[at] sink to its place in the heap of the n first, the last on top. */
static void sink(const MPJ_Count lens[], int order[], int at, int n)
{
  const int item = order[at];
  for (int child; at < n / 2; at = child) {
    child = 2 * at + 1;
    if (child + 1 < n && before(lens, order[child], order[child + 1])) child++;
    if (!before(lens, item, order[child])) break;
    order[at] = order[child];
  }
  order[at] = item;
}

static void sort_by_length(const MPJ_Count lens[], int order[], int n)
{
  for (int i = 0; i < n; i++)
    order[i] = i;
  for (int i = n / 2; i-- > 0;)
    sink(lens, order, i, n);
  for (int end = n; end-- > 1;) {
    const int last = order[0];
    order[0] = order[end];
    order[end] = last;
    sink(lens, order, 0, end);
  }
}

int mpj_buckets_form(int nbuckets, const MPJ_Count bucket_blocklens[],
                     const struct mpj_type_spec *old, struct mpj_form **out)
{
  struct mpj_form *form;
  int status = mpj_form_new(old, &form);
  if (status) return status;
  form->nbuckets = nbuckets;
  form->bucket_lens = mpj_alloc_array((size_t)nbuckets, sizeof *form->bucket_lens);
  form->by_length = mpj_alloc_array((size_t)nbuckets, sizeof *form->by_length);
  if (!form->bucket_lens || !form->by_length) {
    mpj_form_release(form);
    return mpj_error(MPJ_ERR_NO_MEM, "lengths of %d buckets could not be allocated", nbuckets);
  }
  if (nbuckets > 0)
    memcpy(form->bucket_lens, bucket_blocklens, (size_t)nbuckets * sizeof *bucket_blocklens);
  sort_by_length(form->bucket_lens, form->by_length, nbuckets);
  *out = form;
  return MPJ_SUCCESS;
}

/* The first bucket of that length; one of them is. */
static int bucket_of(const struct mpj_form *form, MPJ_Count len)
{
  int low = 0, high = form->nbuckets - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (form->bucket_lens[form->by_length[middle]] < len)
      low = middle + 1;
    else
      high = middle;
  }
  return form->by_length[low];
}

bool mpj_buckets_made(const struct mpj_type_spec *spec)
{
  return spec->combiner == MPJ_COMBINER_BUCKET_INDEX ||
         spec->combiner == MPJ_COMBINER_HBUCKET_INDEX ||
         spec->combiner == MPJ_COMBINER_BUCKET_STRUCT;
}

MPJ_Count mpj_buckets_count(const struct mpj_type_spec *spec)
{
  int nbuckets = 0;
  if (spec->combiner != MPJ_COMBINER_BUCKET_STRUCT) return spec->form->nbuckets;
  mpj_buckets_of(spec->parts, &nbuckets);
  return nbuckets;
}

struct mpj_contents mpj_buckets_contents(const struct mpj_type_spec *spec)
{
  const MPJ_Count n = spec->parts->count, b = mpj_buckets_count(spec);
  if (spec->combiner == MPJ_COMBINER_BUCKET_STRUCT) return (struct mpj_contents){2 + b + n, n, b};
  if (spec->combiner == MPJ_COMBINER_HBUCKET_INDEX) return (struct mpj_contents){2 + b + n, n, 1};
  return (struct mpj_contents){2 + b + 2 * n, 0, 1};
}

static MPJ_Count bucket_len(const struct mpj_type_spec *spec, MPJ_Count b)
{
  int nbuckets;
  if (spec->combiner != MPJ_COMBINER_BUCKET_STRUCT) return spec->form->bucket_lens[b];
  return mpj_buckets_of(spec->parts, &nbuckets)[b].blocklen;
}

static void read_numbers(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                         MPJ_Count out[])
{
  if (spec->combiner == MPJ_COMBINER_BUCKET_STRUCT) {
    mpj_buckets_numbers(spec->parts, first, n, out);
    return;
  }
  spec->parts->ops->blocks(spec->parts, first, n, out, NULL, NULL);
  for (MPJ_Count i = 0; i < n; i++)
    out[i] = bucket_of(spec->form, out[i]);
}

/* Displacements in extents; where those are 0, any number is right. */
static void read_displs(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                        MPJ_Count out[])
{
  const MPJ_Aint extent = mpj_spec_extent(&spec->form->old);
  spec->parts->ops->blocks(spec->parts, first, n, NULL, out, NULL);
  for (MPJ_Count i = 0; i < n; i++)
    out[i] = extent == 0 ? 0 : out[i] / extent;
}

void mpj_buckets_counts(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                        MPJ_Count out[])
{
  const MPJ_Count nbuckets = mpj_buckets_count(spec), nblocks = spec->parts->count;
  for (; n > 0 && first < nbuckets; n--)
    *out++ = bucket_len(spec, first++);
  first -= nbuckets;
  const MPJ_Count left = nblocks - first, now = left < 0 ? 0 : left < n ? left : n;
  if (now > 0) read_numbers(spec, first, now, out);
  if (n > now) read_displs(spec, first + now - nblocks, n - now, out + now);
}

void mpj_buckets_types(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                       const struct mpj_type_spec *out[])
{
  int nbuckets;
  const struct mpj_bucket *buckets = mpj_buckets_of(spec->parts, &nbuckets);
  for (MPJ_Count i = 0; i < n; i++)
    out[i] = &buckets[first + i].old;
}
