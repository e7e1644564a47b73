/* This header declares what the bucket constructors share. */
#ifndef MPJ_SRC_TYPES_BUCKET_INDEX_BUCKET_INDEX_H
#define MPJ_SRC_TYPES_BUCKET_INDEX_BUCKET_INDEX_H

#include <mpj/base.h>

/* Check the numbers of blocks and buckets, the buckets' lengths, and that every
 * block is in one of them. Errors: MPJ_ERR_ARG. */
int mpj_buckets_check(MPJ_Count nblocks, int nbuckets, const MPJ_Count bucket_blocklens[],
                      const int bucket_of_block[], const void *displs);

/* Make a bucket struct that says it was made by `combiner`. The arguments have been checked. */
int mpj_create_buckets(int combiner, MPJ_Count nblocks, int nbuckets,
                       const MPJ_Count bucket_blocklens[], const MPJ_Datatype bucket_types[],
                       const int bucket_of_block[], const MPJ_Aint displs[], MPJ_Datatype *newtype);

#endif
