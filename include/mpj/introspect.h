/* This header declares what a datatype can be asked beyond its size: how it was
 * made, its name, its attributes, its text and its encoded form.
 *
 * All functions return a status and set outputs only on MPJ_SUCCESS. Any may
 * return MPJ_ERR_TYPE (null or freed handle), MPJ_ERR_ARG (a NULL pointer) and
 * MPJ_ERR_NO_MEM. Threads: any, unless said otherwise. */
#ifndef MPJ_INTROSPECT_H
#define MPJ_INTROSPECT_H

#include <mpj/datatype.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The outermost constructor of a type. The numbers are part of the encoded form
 * and never change. */
enum mpj_combiner {
  MPJ_COMBINER_NAMED = 0, /* a basic type */
  MPJ_COMBINER_DUP = 1,
  MPJ_COMBINER_CONTIGUOUS = 2,
  MPJ_COMBINER_VECTOR = 3,
  MPJ_COMBINER_HVECTOR = 4,
  MPJ_COMBINER_INDEXED = 5,
  MPJ_COMBINER_HINDEXED = 6,
  MPJ_COMBINER_INDEXED_BLOCK = 7,
  MPJ_COMBINER_HINDEXED_BLOCK = 8,
  MPJ_COMBINER_STRUCT = 9,
  MPJ_COMBINER_SUBARRAY = 10,
  MPJ_COMBINER_DARRAY = 11,
  MPJ_COMBINER_RESIZED = 12,
  MPJ_COMBINER_DISTRIBUTION = 13,
  MPJ_COMBINER_BUCKET_INDEX = 14,
  MPJ_COMBINER_HBUCKET_INDEX = 15,
  MPJ_COMBINER_BUCKET_STRUCT = 16,
  MPJ_COMBINER_SEGMENT = 17,
  MPJ_COMBINER_SLICE = 18
};

#ifdef __cplusplus
}
#endif
#endif
