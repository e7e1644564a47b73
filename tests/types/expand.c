/* This file expands a type by its contents. */
#include "types/expand.h"

#include <stdio.h>
#include <stdlib.h>

#include <mpj/introspect.h>

#include "types/basic.h"

enum { DIMS = 8 };
#define FARTHEST ((MPJ_Aint)1 << 40)

/* The arguments of one constructor call; types[] owned. */
struct arguments {
  int combiner;
  MPJ_Count ncounts, naddresses, ntypes, most;
  MPJ_Count *counts;
  MPJ_Aint *addresses;
  MPJ_Datatype *types;
};

static void require(int holds, const char *what)
{
  if (holds) return;
  fprintf(stderr, "expand: %s: %s\n", what, MPJ_Error_detail());
  abort();
}

static void *allocate(MPJ_Count n, size_t size)
{
  void *p = calloc((size_t)n + 1, size);
  require(p != NULL, "memory");
  return p;
}

/* False where the lists are longer than `most`. */
static bool read_arguments(MPJ_Datatype type, MPJ_Count most, struct arguments *a)
{
  int status = MPJ_Type_get_envelope(type, &a->ncounts, &a->naddresses, &a->ntypes, &a->combiner);
  require(status == MPJ_SUCCESS, "envelope");
  if (a->ncounts > most || a->naddresses > most || a->ntypes > most) return false;
  a->most = most;
  a->counts = allocate(a->ncounts, sizeof *a->counts);
  a->addresses = allocate(a->naddresses, sizeof *a->addresses);
  a->types = allocate(a->ntypes, sizeof(MPJ_Datatype));
  status = MPJ_Type_get_contents(type, a->ncounts, a->naddresses, a->ntypes, a->counts,
                                 a->addresses, a->types);
  require(status == MPJ_SUCCESS, "contents");
  return true;
}

static void free_arguments(struct arguments *a)
{
  for (MPJ_Count i = 0; i < a->ntypes; i++)
    if (mpj_basic_of_handle(a->types[i]) < 0)
      require(MPJ_Type_free(&a->types[i]) == MPJ_SUCCESS, "free");
  free(a->types);
  free(a->addresses);
  free(a->counts);
}

/* out := a * b, if that is no further than FARTHEST. */
static bool scale(MPJ_Count a, MPJ_Count b, MPJ_Aint *out)
{
  return !__builtin_mul_overflow(a, b, out) && -FARTHEST <= *out && *out <= FARTHEST;
}

/* Whether n copies of old may be listed, *room entries being left. */
static bool afford(MPJ_Count *room, MPJ_Count n, const struct mpj_ref *old)
{
  MPJ_Count entries;
  MPJ_Aint reach;
  if (__builtin_mul_overflow(n, old->n + 1, &entries) || entries > *room) return false;
  if (!scale(n, mpj_ref_extent(old), &reach)) return false;
  *room -= entries;
  return true;
}

/* Blocks of one old type, [n] each. */
static struct mpj_ref *blocks(const struct arguments *a, MPJ_Count n, const MPJ_Count lens[],
                              const MPJ_Count displs[], MPJ_Aint unit, struct mpj_ref *old)
{
  MPJ_Aint *bytes = allocate(n, sizeof *bytes);
  MPJ_Count room = a->most;
  bool fits = true;
  for (MPJ_Count i = 0; i < n && fits; i++)
    fits = scale(displs[i], unit, &bytes[i]) && afford(&room, lens[i], old);
  struct mpj_ref *ref = fits ? mpj_ref_hindexed(n, lens, bytes, old) : NULL;
  free(bytes);
  return ref;
}

static struct mpj_ref *equal_blocks(const struct arguments *a, MPJ_Count n, MPJ_Count len,
                                    const MPJ_Count displs[], MPJ_Aint unit, struct mpj_ref *old)
{
  MPJ_Count *lens = allocate(n, sizeof *lens);
  for (MPJ_Count i = 0; i < n; i++)
    lens[i] = len;
  struct mpj_ref *ref = blocks(a, n, lens, displs, unit, old);
  free(lens);
  return ref;
}

static struct mpj_ref *vector(const struct arguments *a, MPJ_Count stride, MPJ_Aint unit,
                              struct mpj_ref *old)
{
  const MPJ_Count n = a->counts[0];
  MPJ_Aint bytes, reach;
  if (n > a->most || !scale(stride, unit, &bytes) || !scale(n, bytes, &reach)) return NULL;
  MPJ_Count *displs = allocate(n, sizeof *displs);
  for (MPJ_Count i = 0; i < n; i++)
    displs[i] = i * bytes;
  struct mpj_ref *ref = equal_blocks(a, n, a->counts[1], displs, 1, old);
  free(displs);
  return ref;
}

static struct mpj_ref *segments(const struct arguments *a, struct mpj_ref *old)
{
  const MPJ_Count n = a->counts[0], *lens = a->counts + 1;
  MPJ_Count *starts = allocate(n, sizeof *starts), end = 0;
  bool fits = true;
  for (MPJ_Count i = 0; i < n && fits; i++) {
    starts[i] = end;
    fits = !__builtin_add_overflow(end, lens[i], &end);
  }
  struct mpj_ref *ref = fits ? blocks(a, n, lens, starts, mpj_ref_extent(old), old) : NULL;
  free(starts);
  return ref;
}

/* Blocks of a bucket index: head is count, nbuckets, lengths, numbers. */
static MPJ_Count *bucket_lens(const struct arguments *a)
{
  const MPJ_Count n = a->counts[0], *by_bucket = a->counts + 2;
  const MPJ_Count *numbers = by_bucket + a->counts[1];
  MPJ_Count *lens = allocate(n, sizeof *lens);
  for (MPJ_Count i = 0; i < n; i++)
    lens[i] = by_bucket[numbers[i]];
  return lens;
}

static struct mpj_ref *buckets(const struct arguments *a, const MPJ_Count displs[], MPJ_Aint unit,
                               struct mpj_ref *old)
{
  MPJ_Count *lens = bucket_lens(a);
  struct mpj_ref *ref = blocks(a, a->counts[0], lens, displs, unit, old);
  free(lens);
  return ref;
}

static bool product(int n, const MPJ_Count sizes[], MPJ_Count *out)
{
  *out = 1;
  for (int d = 0; d < n; d++)
    if (__builtin_mul_overflow(*out, sizes[d], out)) return false;
  return true;
}

static struct mpj_ref *subarray(const struct arguments *a, struct mpj_ref *old)
{
  const int ndims = (int)a->counts[0], order = (int)a->counts[a->ncounts - 1];
  const MPJ_Count *sizes = a->counts + 1;
  MPJ_Count whole, room = a->most;
  if (!product(ndims, sizes, &whole) || !afford(&room, whole, old)) return NULL;
  return mpj_ref_subarray(ndims, sizes, sizes + ndims, sizes + 2 * ndims, order, old);
}

/* `at`: where a distribution's counts begin. */
static struct mpj_ref *distribution(const struct arguments *a, MPJ_Count at, struct mpj_ref *old)
{
  const int ndims = (int)a->counts[at];
  const MPJ_Count *gsizes = a->counts + at + 1, *dargs = gsizes + 2 * ndims;
  const MPJ_Count *next = gsizes + 4 * ndims + 1, *general[DIMS];
  int distribs[DIMS], psizes[DIMS];
  MPJ_Count parts, whole, room = a->most;
  if (!product(ndims, gsizes, &whole) || !product(ndims, dargs + ndims, &parts)) return NULL;
  if (whole > room || parts > room || !afford(&room, whole * (parts + 1), old)) return NULL;
  for (int d = 0; d < ndims; d++) {
    distribs[d] = (int)gsizes[ndims + d];
    psizes[d] = (int)dargs[ndims + d];
    general[d] = distribs[d] == MPJ_DISTRIBUTE_GENERAL ? next : NULL;
    if (general[d]) next += psizes[d];
  }
  return mpj_ref_distribution(ndims, gsizes, distribs, dargs, general, psizes,
                              (int)gsizes[4 * ndims], old);
}

static struct mpj_ref *darray(const struct arguments *a, struct mpj_ref *old)
{
  struct mpj_ref *whole = distribution(a, 2, old);
  if (!whole) return NULL;
  struct mpj_ref *share = mpj_ref_retain(mpj_ref_part(whole, a->counts[1]).type);
  mpj_ref_release(whole);
  return share;
}

static struct mpj_ref *resized(const struct arguments *a, struct mpj_ref *old)
{
  MPJ_Aint lb, extent;
  if (!scale(a->addresses[0], 1, &lb) || !scale(a->addresses[1], 1, &extent)) return NULL;
  return mpj_ref_resized(old, lb, extent);
}

/* Of constructors with one old type. */
static struct mpj_ref *expand_one(const struct arguments *a, struct mpj_ref *old)
{
  const MPJ_Count *c = a->counts, n = a->ncounts > 0 ? c[0] : 0;
  const MPJ_Aint extent = mpj_ref_extent(old), zero = 0;
  MPJ_Count displs_at;
  switch (a->combiner) {
  case MPJ_COMBINER_DUP:
    return mpj_ref_dup(old);
  case MPJ_COMBINER_CONTIGUOUS:
    return blocks(a, 1, c, &zero, 1, old);
  case MPJ_COMBINER_VECTOR:
    return vector(a, c[2], extent, old);
  case MPJ_COMBINER_HVECTOR:
    return vector(a, a->addresses[0], 1, old);
  case MPJ_COMBINER_INDEXED:
    return blocks(a, n, c + 1, c + 1 + n, extent, old);
  case MPJ_COMBINER_HINDEXED:
    return blocks(a, n, c + 1, a->addresses, 1, old);
  case MPJ_COMBINER_INDEXED_BLOCK:
    return equal_blocks(a, n, c[1], c + 2, extent, old);
  case MPJ_COMBINER_HINDEXED_BLOCK:
    return equal_blocks(a, n, c[1], a->addresses, 1, old);
  case MPJ_COMBINER_BUCKET_INDEX:
    displs_at = 2 + c[1] + n;
    return buckets(a, c + displs_at, extent, old);
  case MPJ_COMBINER_HBUCKET_INDEX:
    return buckets(a, a->addresses, 1, old);
  case MPJ_COMBINER_SEGMENT:
    return segments(a, old);
  case MPJ_COMBINER_SLICE:
    return mpj_ref_slice(old, c[0], c[1]);
  case MPJ_COMBINER_SUBARRAY:
    return subarray(a, old);
  case MPJ_COMBINER_RESIZED:
    return resized(a, old);
  case MPJ_COMBINER_DISTRIBUTION:
    return distribution(a, 0, old);
  case MPJ_COMBINER_DARRAY:
    return darray(a, old);
  default:
    require(0, "unknown combiner");
    return NULL;
  }
}

/* Of those with several: old[number[i]] is block i's, number NULL is i itself. */
static struct mpj_ref *expand_several(const struct arguments *a, struct mpj_ref *olds[])
{
  const bool shapes = a->combiner == MPJ_COMBINER_BUCKET_STRUCT;
  const MPJ_Count n = a->counts[0], *numbers = shapes ? a->counts + 2 + a->counts[1] : NULL;
  MPJ_Count *lens = shapes ? bucket_lens(a) : NULL, room = a->most;
  struct mpj_ref **of_block = allocate(n, sizeof *of_block), *ref = NULL;
  const MPJ_Count *each = lens ? lens : a->counts + 1;
  bool fits = true;
  for (MPJ_Count i = 0; i < n && fits; i++) {
    MPJ_Aint displ;
    of_block[i] = olds[numbers ? numbers[i] : i];
    fits = scale(a->addresses[i], 1, &displ) && afford(&room, each[i], of_block[i]);
  }
  if (fits) ref = mpj_ref_struct(n, each, a->addresses, of_block);
  free(of_block);
  free(lens);
  return ref;
}

static struct mpj_ref *sparse(const struct arguments *a, struct mpj_ref *olds[])
{
  MPJ_Count room = a->most;
  MPJ_Aint displ;
  if (a->counts[0] > room) return NULL;
  for (MPJ_Count k = 0; k < a->ntypes; k++)
    if (!scale(a->addresses[k], 1, &displ) || !afford(&room, 1, olds[k])) return NULL;
  return mpj_ref_sparse(a->counts[0], a->ntypes, a->counts + 2, a->addresses, olds);
}

static struct mpj_ref *expand(const struct arguments *a, struct mpj_ref *olds[])
{
  for (MPJ_Count i = 0; i < a->ntypes; i++)
    if (!olds[i]) return NULL;
  if (a->combiner == MPJ_COMBINER_SPARSE) return sparse(a, olds);
  if (a->combiner == MPJ_COMBINER_STRUCT || a->combiner == MPJ_COMBINER_BUCKET_STRUCT)
    return expand_several(a, olds);
  return expand_one(a, olds[0]);
}

struct mpj_ref *mpj_ref_of_type(MPJ_Datatype type, MPJ_Count most)
{
  struct arguments a = {0};
  if (mpj_basic_of_handle(type) >= 0) return mpj_ref_basic(mpj_basic_of_handle(type));
  if (!read_arguments(type, most, &a)) return NULL;
  struct mpj_ref **olds = allocate(a.ntypes, sizeof *olds);
  for (MPJ_Count i = 0; i < a.ntypes && (i == 0 || olds[i - 1]); i++)
    olds[i] = mpj_ref_of_type(a.types[i], most);
  struct mpj_ref *ref = expand(&a, olds);
  for (MPJ_Count i = 0; i < a.ntypes; i++)
    mpj_ref_release(olds[i]);
  free(olds);
  free_arguments(&a);
  return ref;
}
