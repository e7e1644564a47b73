/* This header declares constructor calls that the random generator draws: how one
 * is made, what the reference says of it, and how it reads. */
#ifndef MPJ_TESTS_TYPES_RANDOM_CALL_H
#define MPJ_TESTS_TYPES_RANDOM_CALL_H

#include "types/random_type.h"

enum { MAX_DIMS = 3, MAX_BLOCKS = 320, MAX_BUCKETS = 4, MAX_MANY = 300 };

enum kind {
  CONTIGUOUS,
  VECTOR,
  HVECTOR,
  INDEXED,
  HINDEXED,
  STRUCT,
  SPARSE,
  BUCKET_STRUCT,
  INDEXED_BLOCK,
  HINDEXED_BLOCK,
  BUCKET_INDEX,
  HBUCKET_INDEX,
  SEGMENT,
  SLICE,
  SUBARRAY,
  RESIZED,
  DUP,
  DARRAY,
  GENERAL,
  DISTRIBUTION,
  LOCAL,
  KINDS
};

/* A constructor call, so that it can be made several times. Its lists have `most` entries. */
struct call {
  enum kind kind;
  MPJ_Count most;            /* blocks, at least MAX_BLOCKS */
  bool many;                 /* blocks, rather than few */
  MPJ_Count count, blocklen; /* of a slice: its first element, its length */
  MPJ_Aint stride, lb, extent;
  MPJ_Count *lens, *displs;
  int *numbers, nbuckets; /* buckets of blocks */
  MPJ_Count bucket_lens[MAX_BUCKETS];
  MPJ_Datatype bucket_types[MAX_BUCKETS]; /* of a BUCKET_STRUCT */
  MPJ_Aint *bytes;
  MPJ_Datatype *types;
  struct mpj_ref **refs;
  MPJ_Count nparts, *parts; /* of a SPARSE: how many parts, and which are given */
  int ndims, order, distribs[MAX_DIMS], psizes[MAX_DIMS];
  MPJ_Count sizes[MAX_DIMS], subsizes[MAX_DIMS], starts[MAX_DIMS], dargs[MAX_DIMS];
  MPJ_Count *shares[MAX_DIMS];
  const MPJ_Count *blocks[MAX_DIMS]; /* a general dimension's shares, else NULL */
};

/* A call of as many blocks as there are parts, if they are more than MAX_BLOCKS; to be freed by
 * free(). */
struct call *mpj_call_new(MPJ_Count nparts);

/* Processes of the call's grid. */
MPJ_Count mpj_call_grid(const struct call *c);

/* Make the call on old; and what it makes by definition. */
int mpj_call_perform(const struct call *c, MPJ_Datatype old, MPJ_Datatype *out);
struct mpj_ref *mpj_call_expand(const struct call *c, struct mpj_ref *old);

/* Make the call with its first, second, ... allocation failing, until it succeeds. */
void mpj_call_fail_allocations(const struct call *c, MPJ_Datatype old,
                               const struct mpj_random_type *t);

/* Append to t's text; and the constructor with its arguments, before the old types. */
__attribute__((format(printf, 2, 3))) void mpj_call_append(struct mpj_random_type *t,
                                                           const char *format, ...);
void mpj_call_say(const struct call *c, struct mpj_random_type *t);

/* End the program with t's text and the error's detail, unless ok. */
void mpj_call_must(bool ok, const struct mpj_random_type *t, const char *what);

#endif
