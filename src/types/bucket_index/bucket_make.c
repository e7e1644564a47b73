/* This file calls the bucket constructors with their arguments as numbers. */
#include <inttypes.h>
#include <limits.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/bucket_index/bucket_contents.h"

/* Whether the numbers of arguments fit the combiner and one another. */
static bool fits(int combiner, const struct mpj_contents *n, const MPJ_Count counts[])
{
  if (n->counts < 2) return false;
  const MPJ_Count nblocks = counts[0], nbuckets = counts[1];
  if (nblocks < 0 || nbuckets < 0 || nbuckets > INT_MAX || nbuckets > n->counts - 2) return false;
  const MPJ_Count rest = n->counts - 2 - nbuckets;
  if (n->types != (combiner == MPJ_COMBINER_BUCKET_STRUCT ? nbuckets : 1)) return false;
  if (combiner == MPJ_COMBINER_BUCKET_INDEX)
    return n->addresses == 0 && rest % 2 == 0 && rest / 2 == nblocks;
  return n->addresses == nblocks && rest == nblocks;
}

/* Numbers that are none of a bucket stay so. */
static int to_number(MPJ_Count value)
{
  return value < 0 || value > INT_MAX ? -1 : (int)value;
}

int mpj_buckets_make(int combiner, const struct mpj_contents *n, const MPJ_Count counts[],
                     const MPJ_Aint addresses[], const MPJ_Datatype types[], MPJ_Datatype *newtype)
{
  if (!fits(combiner, n, counts))
    return mpj_error(MPJ_ERR_FORMAT,
                     "bucket constructor has %" PRId64 " counts, %" PRId64 " addresses and %" PRId64
                     " types, which do not fit one another",
                     n->counts, n->addresses, n->types);
  const MPJ_Count nblocks = counts[0], *lens = counts + 2, *numbers = lens + counts[1];
  const int nbuckets = (int)counts[1];
  int *buckets = mpj_alloc_array((size_t)nblocks, sizeof *buckets), status;
  if (!buckets)
    return mpj_error(MPJ_ERR_NO_MEM, "buckets of %" PRId64 " blocks could not be allocated",
                     nblocks);
  for (MPJ_Count i = 0; i < nblocks; i++)
    buckets[i] = to_number(numbers[i]);
  if (combiner == MPJ_COMBINER_BUCKET_STRUCT)
    status =
        MPJ_Type_create_bucket_struct(nblocks, nbuckets, lens, types, buckets, addresses, newtype);
  else if (combiner == MPJ_COMBINER_HBUCKET_INDEX)
    status = MPJ_Type_create_hbucket_index(nblocks, nbuckets, lens, buckets, addresses, types[0],
                                           newtype);
  else
    status = MPJ_Type_create_bucket_index(nblocks, nbuckets, lens, buckets, numbers + nblocks,
                                          types[0], newtype);
  mpj_free(buckets);
  return status;
}
