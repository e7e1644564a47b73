/* This file makes bucket indices: blocks of one old type, of a few lengths. They
 * are indexed types whose lengths are read from the buckets and stored as bucket
 * numbers, or as less. Source: J. L. Traeff, Parallel Computing 38 (2012). */
#include "types/bucket_index/bucket_index.h"

#include <inttypes.h>

#include "base/entry.h"
#include "base/status.h"
#include "types/bucket_index/bucket_contents.h"
#include "types/make/build.h"
#include "types/make/indexed.h"

static int check_numbers(MPJ_Count nblocks, int nbuckets, const int bucket_of_block[])
{
  bool outside = false;
  for (MPJ_Count i = 0; i < nblocks; i++)
    outside |= (unsigned)bucket_of_block[i] >= (unsigned)nbuckets;
  for (MPJ_Count i = 0; i < nblocks && outside; i++) {
    if (bucket_of_block[i] < 0 || bucket_of_block[i] >= nbuckets)
      return mpj_error(MPJ_ERR_ARG,
                       "bucket_of_block[%" PRId64 "] is %d, must be 0 to %d (nbuckets is %d)", i,
                       bucket_of_block[i], nbuckets - 1, nbuckets);
  }
  return MPJ_SUCCESS;
}

int mpj_buckets_check(MPJ_Count nblocks, int nbuckets, const MPJ_Count bucket_blocklens[],
                      const int bucket_of_block[], const void *displs)
{
  if (nbuckets < 0) return mpj_error(MPJ_ERR_ARG, "nbuckets is %d, must not be negative", nbuckets);
  int status = nbuckets > 0 ? mpj_need(bucket_blocklens, "bucket_blocklens") : MPJ_SUCCESS;
  for (int b = 0; b < nbuckets && !status; b++) {
    if (bucket_blocklens[b] < 0)
      status = mpj_error(MPJ_ERR_ARG, "bucket_blocklens[%d] is %" PRId64 ", must not be negative",
                         b, bucket_blocklens[b]);
  }
  if (status || nblocks == 0) return status;
  status = mpj_need(bucket_of_block, "bucket_of_block");
  if (!status) status = mpj_need(displs, "displs");
  return status ? status : check_numbers(nblocks, nbuckets, bucket_of_block);
}

static int create(enum mpj_combiner combiner, MPJ_Count nblocks, int nbuckets,
                  const MPJ_Count bucket_blocklens[], const int bucket_of_block[],
                  const MPJ_Count displs[], bool in_bytes, MPJ_Datatype oldtype,
                  MPJ_Datatype *newtype)
{
  struct mpj_type_spec old;
  int status = mpj_build_begin(nblocks, oldtype, newtype, &old);
  if (!status)
    status = mpj_buckets_check(nblocks, nbuckets, bucket_blocklens, bucket_of_block, displs);
  struct mpj_form *form = NULL;
  if (!status) status = mpj_buckets_form(nbuckets, bucket_blocklens, &old, &form);
  if (status) return status;
  struct mpj_series lens = {.n = nblocks,
                            .numbers = bucket_of_block,
                            .table = bucket_blocklens,
                            .rows = nbuckets,
                            .scale = 1};
  return mpj_create_indexed(combiner, &lens, displs, in_bytes ? 1 : mpj_spec_extent(&old), &old,
                            form, newtype);
}

int MPJ_Type_create_bucket_index(MPJ_Count nblocks, int nbuckets,
                                 const MPJ_Count bucket_blocklens[], const int bucket_of_block[],
                                 const MPJ_Count displs[], MPJ_Datatype oldtype,
                                 MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  return create(MPJ_COMBINER_BUCKET_INDEX, nblocks, nbuckets, bucket_blocklens, bucket_of_block,
                displs, false, oldtype, newtype);
}

int MPJ_Type_create_hbucket_index(MPJ_Count nblocks, int nbuckets,
                                  const MPJ_Count bucket_blocklens[], const int bucket_of_block[],
                                  const MPJ_Aint displs[], MPJ_Datatype oldtype,
                                  MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  return create(MPJ_COMBINER_HBUCKET_INDEX, nblocks, nbuckets, bucket_blocklens, bucket_of_block,
                displs, true, oldtype, newtype);
}
