/* This header declares the part table of bucket structs. */
#ifndef MPJ_SRC_TYPES_BUCKET_INDEX_BUCKET_TABLE_H
#define MPJ_SRC_TYPES_BUCKET_INDEX_BUCKET_TABLE_H

#include "types/parts/tables.h"

/* A bucket: blocklen copies of old, as the layout `block` from displacement 0. */
struct mpj_bucket {
  struct mpj_piece block;   /* owned */
  struct mpj_type_spec old; /* owned */
  MPJ_Count blocklen;
};

void mpj_buckets_free(int nbuckets, struct mpj_bucket buckets[]);

/* How the layout of all blocks stands to them. */
struct mpj_buckets_made {
  bool same;         /* it is a long sequence whose piece i is block i, */
  MPJ_Count *row_of; /* [nbuckets], and of this shape, if in bucket b; -1: no block is */
};

/* nblocks parts; part i is bucket numbers[i] at displs[i] bytes. Moves the
 * buckets: on failure they have been released.
 *   layout, made  that of all blocks, borrowed, whose sequences are shared */
int mpj_parts_buckets(MPJ_Count nblocks, const int numbers[], const MPJ_Aint displs[], int nbuckets,
                      struct mpj_bucket *buckets, const struct mpj_layout *layout,
                      const struct mpj_buckets_made *made, struct mpj_parts **out);

/* What such a table was told: the buckets (borrowed), and the numbers of blocks
 * [first, first + n). */
const struct mpj_bucket *mpj_buckets_of(const struct mpj_parts *parts, int *nbuckets);
void mpj_buckets_numbers(const struct mpj_parts *parts, MPJ_Count first, MPJ_Count n,
                         MPJ_Count numbers[]);

#endif
