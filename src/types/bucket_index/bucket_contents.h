/* This header declares the arguments of the bucket constructors: how they are
 * kept, read back, and given to the constructors again. For contents*.c. */
#ifndef MPJ_SRC_TYPES_BUCKET_INDEX_BUCKET_CONTENTS_H
#define MPJ_SRC_TYPES_BUCKET_INDEX_BUCKET_CONTENTS_H

#include "types/introspect/contents.h"

/* A form over old that keeps the lengths of the buckets: the numbers of the blocks
 * follow from their lengths. *out is owned. Errors: MPJ_ERR_NO_MEM. */
int mpj_buckets_form(int nbuckets, const MPJ_Count bucket_blocklens[],
                     const struct mpj_type_spec *old, struct mpj_form **out);

bool mpj_buckets_made(const struct mpj_type_spec *spec);

/* For what they made: how many arguments there are; the counts after the first two
 * (nblocks and nbuckets), from number `first` of those on; and, of a bucket struct,
 * the old types, borrowed. */
struct mpj_contents mpj_buckets_contents(const struct mpj_type_spec *spec);
MPJ_Count mpj_buckets_count(const struct mpj_type_spec *spec);
void mpj_buckets_counts(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                        MPJ_Count out[]);
void mpj_buckets_types(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                       const struct mpj_type_spec *out[]);

/* As mpj_contents_make for the three combiners. */
int mpj_buckets_make(int combiner, const struct mpj_contents *n, const MPJ_Count counts[],
                     const MPJ_Aint addresses[], const MPJ_Datatype types[], MPJ_Datatype *newtype);

#endif
