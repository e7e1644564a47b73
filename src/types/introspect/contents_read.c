/* This file reads the arguments of a type's outermost constructor back from its
 * part table, its form and its bounds. */
#include "types/introspect/contents_read.h"

#include <string.h>

#include "types/bucket_index/bucket_contents.h"
#include "types/distribution/distribution_table.h"
#include "types/make/array.h"
#include "types/make/build.h"
#include "types/make/form.h"
#include "types/sparse/sparse.h"

_Static_assert(sizeof(MPJ_Aint) == sizeof(MPJ_Count), "displacements are read as counts");

/* The first counts: all that there are, but for the arrays of indexed types and
 * structs and the blocks of general distributions. */
enum { HEAD_MAX = 4 + 4 * MPJ_DIMS_MAX };

static const struct mpj_array *array_of(const struct mpj_type_spec *spec)
{
  return (const struct mpj_array *)spec->parts;
}

static const struct mpj_distribution *distribution_of(const struct mpj_type_spec *spec)
{
  return mpj_distribution_of(spec->combiner == MPJ_COMBINER_DARRAY ? spec->form->old.parts
                                                                   : spec->parts);
}

/* Coordinates of all general dimensions. */
static MPJ_Count general_blocks(const struct mpj_distribution *dist)
{
  MPJ_Count n = 0;
  for (int d = 0; d < dist->ndims; d++)
    if (dist->dims[d].runs) n += dist->dims[d].psize;
  return n;
}

struct mpj_contents mpj_contents_of(const struct mpj_type_spec *spec)
{
  const MPJ_Count n = spec->parts->count;
  switch ((enum mpj_combiner)spec->combiner) {
  case MPJ_COMBINER_DUP:
    return (struct mpj_contents){0, 0, 1};
  case MPJ_COMBINER_CONTIGUOUS:
    return (struct mpj_contents){1, 0, 1};
  case MPJ_COMBINER_VECTOR:
    return (struct mpj_contents){3, 0, 1};
  case MPJ_COMBINER_HVECTOR:
    return (struct mpj_contents){2, 1, 1};
  case MPJ_COMBINER_INDEXED:
    return (struct mpj_contents){1 + 2 * n, 0, 1};
  case MPJ_COMBINER_HINDEXED:
    return (struct mpj_contents){1 + n, n, 1};
  case MPJ_COMBINER_INDEXED_BLOCK:
    return (struct mpj_contents){2 + n, 0, 1};
  case MPJ_COMBINER_HINDEXED_BLOCK:
    return (struct mpj_contents){2, n, 1};
  case MPJ_COMBINER_STRUCT:
    return (struct mpj_contents){1 + n, n, n};
  case MPJ_COMBINER_SUBARRAY:
    return (struct mpj_contents){2 + 3 * (MPJ_Count)array_of(spec)->ndims, 0, 1};
  case MPJ_COMBINER_RESIZED:
    return (struct mpj_contents){0, 2, 1};
  case MPJ_COMBINER_BUCKET_INDEX:
  case MPJ_COMBINER_HBUCKET_INDEX:
  case MPJ_COMBINER_BUCKET_STRUCT:
    return mpj_buckets_contents(spec);
  case MPJ_COMBINER_SEGMENT:
    return (struct mpj_contents){1 + n, 0, 1};
  case MPJ_COMBINER_SLICE:
    return (struct mpj_contents){2, 0, 1};
  case MPJ_COMBINER_SPARSE: {
    const MPJ_Count given = mpj_sparse_of(spec->parts)->given.n;
    return (struct mpj_contents){2 + given, given, given};
  }
  case MPJ_COMBINER_DARRAY:
  case MPJ_COMBINER_DISTRIBUTION: {
    const struct mpj_distribution *dist = distribution_of(spec);
    const MPJ_Count own = spec->combiner == MPJ_COMBINER_DARRAY ? 4 : 2;
    return (struct mpj_contents){own + 4 * dist->ndims + general_blocks(dist), 0, 1};
  }
  default:
    return (struct mpj_contents){0, 0, 0};
  }
}

static void blocks(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                   MPJ_Count copies[], MPJ_Aint displs[], const struct mpj_type_spec *olds[])
{
  spec->parts->ops->blocks(spec->parts, first, n, copies, displs, olds);
}

/* The one old type. */
static const struct mpj_type_spec *old_of(const struct mpj_type_spec *spec)
{
  const struct mpj_type_spec *old;
  switch ((enum mpj_combiner)spec->combiner) {
  case MPJ_COMBINER_DUP:
  case MPJ_COMBINER_RESIZED:
  case MPJ_COMBINER_SLICE:
    return &spec->form->old;
  case MPJ_COMBINER_SUBARRAY:
    return &array_of(spec)->old;
  case MPJ_COMBINER_DARRAY:
  case MPJ_COMBINER_DISTRIBUTION:
    return &distribution_of(spec)->old;
  default:
    blocks(spec, 0, 1, NULL, NULL, &old);
    return old;
  }
}

/* bytes[n], multiples of the old type's extent, in extents; where that is 0, any
 * number is right. A division without remainder is a shift, and a product with the
 * inverse of the odd rest modulo 2^64, which Newton's iteration finds. */
static void turn_to_extents(const struct mpj_type_spec *old, MPJ_Count n, MPJ_Count bytes[])
{
  const MPJ_Aint extent = mpj_spec_extent(old);
  const int shift = extent == 0 ? 0 : __builtin_ctzll((uint64_t)extent);
  const uint64_t odd = (uint64_t)(extent >> shift);
  uint64_t inverse = odd; /* right in 3 bits, then in 6, 12, 24, 48, 96 */
  for (int round = 0; round < 5; round++)
    inverse *= 2 - odd * inverse;
  for (MPJ_Count i = 0; i < n; i++)
    bytes[i] = (MPJ_Count)((uint64_t)(bytes[i] >> shift) * inverse);
}

static MPJ_Count in_extents(MPJ_Aint bytes, const struct mpj_type_spec *old)
{
  MPJ_Count turned = bytes;
  turn_to_extents(old, 1, &turned);
  return turned;
}

static MPJ_Aint stride_of(const struct mpj_type_spec *spec)
{
  MPJ_Aint displs[2];
  blocks(spec, 0, 2, NULL, displs, NULL);
  return displs[1] - displs[0];
}

static MPJ_Count blocklen_of(const struct mpj_type_spec *spec)
{
  MPJ_Count blocklen = 0;
  const bool regular =
      spec->combiner == MPJ_COMBINER_VECTOR || spec->combiner == MPJ_COMBINER_HVECTOR;
  if (regular || spec->parts->count > 0) blocks(spec, 0, 1, &blocklen, NULL, NULL);
  return blocklen;
}

static MPJ_Count subarray_head(const struct mpj_type_spec *spec, MPJ_Count head[])
{
  const struct mpj_array *array = array_of(spec);
  const MPJ_Count n = 3 * (MPJ_Count)array->ndims;
  head[0] = array->ndims;
  memcpy(head + 1, array->box, (size_t)n * sizeof *head);
  head[1 + n] = array->order;
  return 2 + n;
}

static MPJ_Count distribution_head(const struct mpj_type_spec *spec, MPJ_Count head[])
{
  const struct mpj_distribution *dist = distribution_of(spec);
  MPJ_Count n = 0;
  if (spec->combiner == MPJ_COMBINER_DARRAY) {
    head[n++] = dist->head.count;
    head[n++] = spec->form->rank;
  }
  head[n++] = dist->ndims;
  for (int d = 0; d < dist->ndims; d++) {
    head[n + d] = dist->dims[d].gsize;
    head[n + dist->ndims + d] = dist->dims[d].distrib;
    head[n + 2 * dist->ndims + d] = dist->dims[d].darg;
    head[n + 3 * dist->ndims + d] = dist->dims[d].psize;
  }
  n += 4 * dist->ndims;
  head[n++] = dist->order;
  return n;
}

static MPJ_Count read_head(const struct mpj_type_spec *spec, MPJ_Count head[])
{
  head[0] = spec->parts->count;
  switch ((enum mpj_combiner)spec->combiner) {
  case MPJ_COMBINER_VECTOR:
    head[1] = blocklen_of(spec);
    head[2] = in_extents(stride_of(spec), old_of(spec));
    return 3;
  case MPJ_COMBINER_HVECTOR:
  case MPJ_COMBINER_INDEXED_BLOCK:
  case MPJ_COMBINER_HINDEXED_BLOCK:
    head[1] = blocklen_of(spec);
    return 2;
  case MPJ_COMBINER_BUCKET_INDEX:
  case MPJ_COMBINER_HBUCKET_INDEX:
  case MPJ_COMBINER_BUCKET_STRUCT:
    head[1] = mpj_buckets_count(spec);
    return 2;
  case MPJ_COMBINER_SPARSE:
    head[1] = mpj_sparse_of(spec->parts)->given.n;
    return 2;
  case MPJ_COMBINER_SLICE:
    head[0] = spec->form->first;
    head[1] = spec->form->count;
    return 2;
  case MPJ_COMBINER_SUBARRAY:
    return subarray_head(spec, head);
  case MPJ_COMBINER_DARRAY:
  case MPJ_COMBINER_DISTRIBUTION:
    return distribution_head(spec, head);
  default:
    return 1;
  }
}

/* Block number i of all general dimensions together. */
static MPJ_Count general_block(const struct mpj_distribution *dist, MPJ_Count i)
{
  int d = 0;
  for (; !dist->dims[d].runs || i >= dist->dims[d].psize; d++)
    if (dist->dims[d].runs) i -= dist->dims[d].psize;
  return mpj_share_size(&dist->dims[d], mpj_dimension_share(&dist->dims[d], i));
}

static void displs_in_extents(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                              MPJ_Count out[])
{
  const struct mpj_type_spec *old = old_of(spec);
  blocks(spec, first, n, NULL, out, NULL);
  turn_to_extents(old, n, out);
}

/* Counts after the head. */
static void read_tail(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                      MPJ_Count out[])
{
  if (mpj_buckets_made(spec)) {
    mpj_buckets_counts(spec, first, n, out);
    return;
  }
  if (spec->combiner == MPJ_COMBINER_SPARSE) {
    mpj_sequence_read(mpj_sparse_of(spec->parts)->given.numbers, first, n, out);
    return;
  }
  if (spec->combiner == MPJ_COMBINER_DARRAY || spec->combiner == MPJ_COMBINER_DISTRIBUTION) {
    const struct mpj_distribution *dist = distribution_of(spec);
    for (MPJ_Count i = 0; i < n; i++)
      out[i] = general_block(dist, first + i);
    return;
  }
  const MPJ_Count lens = spec->combiner == MPJ_COMBINER_INDEXED_BLOCK ? 0 : spec->parts->count;
  const MPJ_Count left = lens - first, now = left < 0 ? 0 : left < n ? left : n;
  if (now > 0) blocks(spec, first, now, out, NULL, NULL);
  if (n > now) displs_in_extents(spec, first + now - lens, n - now, out + now);
}

void mpj_contents_counts(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                         MPJ_Count out[])
{
  MPJ_Count head[HEAD_MAX], nhead = read_head(spec, head), now = 0;
  if (first < nhead) {
    now = nhead - first < n ? nhead - first : n;
    memcpy(out, head + first, (size_t)now * sizeof *out);
  }
  if (n > now) read_tail(spec, first + now - nhead, n - now, out + now);
}

void mpj_contents_addresses(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                            MPJ_Aint out[])
{
  if (spec->combiner == MPJ_COMBINER_RESIZED) {
    const MPJ_Aint bounds[2] = {spec->lb, mpj_spec_extent(spec)};
    memcpy(out, bounds + first, (size_t)n * sizeof *out);
  } else if (spec->combiner == MPJ_COMBINER_HVECTOR) {
    if (n > 0) out[0] = stride_of(spec);
  } else if (n > 0) {
    blocks(spec, first, n, NULL, out, NULL);
  }
}

void mpj_contents_types(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                        const struct mpj_type_spec *out[])
{
  if (spec->combiner == MPJ_COMBINER_STRUCT || spec->combiner == MPJ_COMBINER_SPARSE)
    blocks(spec, first, n, NULL, NULL, out);
  else if (spec->combiner == MPJ_COMBINER_BUCKET_STRUCT)
    mpj_buckets_types(spec, first, n, out);
  else if (n > 0)
    out[0] = old_of(spec);
}
