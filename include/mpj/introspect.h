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
  MPJ_COMBINER_SLICE = 18,
  MPJ_COMBINER_SPARSE = 19
};

/* How the outermost constructor was called: how many numbers and types it was
 * given, and then these themselves.
 *
 *   combiner         counts                                addresses      types
 *   NAMED
 *   DUP                                                                   old
 *   CONTIGUOUS       count                                                old
 *   VECTOR           count, blocklen, stride                              old
 *   HVECTOR          count, blocklen                       stride         old
 *   INDEXED          count, blocklens[], displs[]                         old
 *   HINDEXED         count, blocklens[]                    displs[]       old
 *   INDEXED_BLOCK    count, blocklen, displs[]                            old
 *   HINDEXED_BLOCK   count, blocklen                       displs[]       old
 *   STRUCT           count, blocklens[]                    displs[]       types[]
 *   SUBARRAY         ndims, sizes[], subsizes[],                          old
 *                    starts[], order
 *   RESIZED                                                lb, extent     old
 *   DISTRIBUTION     ndims, gsizes[], distribs[],                         old
 *                    dargs[], psizes[], order, the blocks
 *                    of each general dimension in turn
 *   BUCKET_INDEX     count, nbuckets, bucket_blocklens[],                 old
 *                    bucket_of_block[], displs[]
 *   HBUCKET_INDEX    count, nbuckets, bucket_blocklens[],  displs[]       old
 *                    bucket_of_block[]
 *   BUCKET_STRUCT    count, nbuckets, bucket_blocklens[],  displs[]       bucket_types[]
 *                    bucket_of_block[]
 *   SEGMENT          count, lengths[]                                     old
 *   SLICE            first, count                                         old
 *   DARRAY           size, rank, then as DISTRIBUTION                     old
 *   SPARSE           nparts, n, parts[]                    displs[]       types[]
 *
 * Parts are types of these as well: a part of a distribution is a DARRAY, a slice
 * of a SUBARRAY one of fewer dimensions; a local array is a SUBARRAY, whose sizes
 * may be 0. Nothing is kept twice for this: where the old type's extent is 0,
 * displacements counted in extents are given as 0, and so is the blocklen of no
 * blocks; dargs of general dimensions are 0; a block of one of several buckets of
 * one length of a BUCKET_INDEX or HBUCKET_INDEX is given the first of them. What
 * MPJ_Type_from_ffi makes of a struct is a CONTIGUOUS of one RESIZED STRUCT.
 *
 *   counts[max_counts], addresses[max_addresses], types[max_types]  set; may be
 *     NULL where there are none. Types that are not basic are new handles, which
 *     the caller frees; not committed.
 * Errors: MPJ_ERR_TRUNCATE (an array is shorter than the envelope says).
 * Cost: O(numbers). Source: MPI 4.1, 5.1.13. */
MPJ_PUBLIC int MPJ_Type_get_envelope(MPJ_Datatype type, MPJ_Count *ncounts, MPJ_Count *naddresses,
                                     MPJ_Count *ntypes, int *combiner);
MPJ_PUBLIC int MPJ_Type_get_contents(MPJ_Datatype type, MPJ_Count max_counts,
                                     MPJ_Count max_addresses, MPJ_Count max_types,
                                     MPJ_Count counts[], MPJ_Aint addresses[],
                                     MPJ_Datatype types[]);

/* The strictest alignment of the basic types in the map, in bytes (1 if none);
 * and how many basic elements the map has, a pair being one. */
MPJ_PUBLIC int MPJ_Type_get_alignment(MPJ_Datatype type, int *bytes);
MPJ_PUBLIC int MPJ_Type_get_element_count(MPJ_Datatype type, MPJ_Count *elements);

/* A name for the handle, for people and tools; "" until it is set. A basic type's
 * is that of its constant and cannot be changed.
 * Threads: one at a time for one handle. Names are not shared by handles.
 * Errors: MPJ_ERR_ARG (MPJ_TYPE_NAME_MAX bytes or more, the final 0 counted). */
#define MPJ_TYPE_NAME_MAX 128
MPJ_PUBLIC int MPJ_Type_set_name(MPJ_Datatype type, const char *name);
MPJ_PUBLIC int MPJ_Type_get_name(MPJ_Datatype type, char name[MPJ_TYPE_NAME_MAX]);

/* Attributes: values that a program hangs on a handle under keys of its own.
 *   copy    called by MPJ_Type_dup for each attribute in the order they were set:
 *           if it sets *flag, the new handle gets *value_out. NULL: none is copied
 *   delete  called when an attribute is deleted, replaced, or its handle freed,
 *           the last set first. NULL: nothing to do
 * A callback that returns another value than MPJ_SUCCESS makes the call that led
 * to it fail with that value. Callbacks may call this library. A key that was
 * freed goes on for the attributes that have it, and takes no new ones. Basic
 * types have no attributes.
 * Errors: MPJ_ERR_ARG (no such key; nothing to delete), MPJ_ERR_TYPE.
 * Threads: keys, any; attributes, one at a time for one handle. */
typedef int (*MPJ_Type_copy_attr_fn)(MPJ_Datatype oldtype, int keyval, void *extra_state,
                                     void *value_in, void **value_out, int *flag);
typedef int (*MPJ_Type_delete_attr_fn)(MPJ_Datatype type, int keyval, void *value,
                                       void *extra_state);
MPJ_PUBLIC int MPJ_Type_create_keyval(MPJ_Type_copy_attr_fn copy, MPJ_Type_delete_attr_fn del,
                                      int *keyval, void *extra_state);
/* *keyval becomes MPJ_KEYVAL_INVALID. */
MPJ_PUBLIC int MPJ_Type_free_keyval(int *keyval);
MPJ_PUBLIC int MPJ_Type_set_attr(MPJ_Datatype type, int keyval, void *value);
/* *flag := there is one; *value is set only then. */
MPJ_PUBLIC int MPJ_Type_get_attr(MPJ_Datatype type, int keyval, void **value, int *flag);
MPJ_PUBLIC int MPJ_Type_delete_attr(MPJ_Datatype type, int keyval);

/* A copy callback that hands the value on as it is. */
MPJ_PUBLIC int MPJ_Type_dup_attr(MPJ_Datatype oldtype, int keyval, void *extra_state,
                                 void *value_in, void **value_out, int *flag);

/* Bytes of memory that is kept for the type: its handle, layout, part table,
 * arguments of constructors, the copy programs compiled so far (commit sees to
 * one), name and list of attributes, each object once and as the allocator rounds
 * it. What other types share is counted in full, so the numbers of several types
 * do not add up; basic types are 0. Cost: O(objects), which are few for arrays of
 * numbers, however long. Threads: any, but none that changes its name or
 * attributes meanwhile. */
MPJ_PUBLIC int MPJ_Type_memory(MPJ_Datatype type, MPJ_Count *bytes);

/* The type as bytes that MPJ_Type_decode makes it of again, in this process or in
 * another: constructors, parts and bounds, without names, attributes, and whether
 * it was committed. The format is spec/datatypes-encoding.md.
 *   out[size]  set to them; may be NULL if size is 0: only their number is wanted
 *   needed     set to the number of bytes
 * Equal types give equal bytes where they were built by equal calls.
 * Errors: MPJ_ERR_TRUNCATE (size is not 0 and less than *needed; out is not written to). */
MPJ_PUBLIC int MPJ_Type_encode(MPJ_Datatype type, void *out, MPJ_Count size, MPJ_Count *needed);

/* Make a type of message[bytes], which may come from anyone: all of it is checked,
 * and no more than 4 MiB and 128 KiB for each byte of it is allocated on the way.
 *   newtype  not committed; a basic type's own handle if it is that
 * Errors: MPJ_ERR_FORMAT (not an encoded type, or a damaged one),
 *   MPJ_ERR_UNSUPPORTED (another version, byte order or size of basic types;
 *   distributions and slices with more than 4096 shapes of part and pieces of
 *   their own and 4 more a byte). */
MPJ_PUBLIC int MPJ_Type_decode(const void *message, MPJ_Count bytes, MPJ_Datatype *newtype);

/* The type as text that MPJ_Type_parse reads back, such as
 * "vector(3,2,4,double)" or "indexed([2*1000],[0+8*1000],int)"; the grammar is
 * spec/datatypes-text.md. Parts and bounds are kept, names and attributes not.
 *   text[size]  set to as much as there is room for, always ended by a 0; may be
 *               NULL if size is 0
 *   length      set to the length of the whole text, without the 0
 * Errors: MPJ_ERR_UNSUPPORTED (more than 64 MiB of text). */
MPJ_PUBLIC int MPJ_Type_print(MPJ_Datatype type, char text[], MPJ_Count size, MPJ_Count *length);

/* Make a type of its text, not committed; a basic type's own handle if it is that.
 * Errors: MPJ_ERR_FORMAT (the detail names the position and what was expected
 *   there), the constructors', MPJ_ERR_UNSUPPORTED (more than 1000 constructors
 *   nested). Lists are as long as they are written, whatever memory that takes. */
MPJ_PUBLIC int MPJ_Type_parse(const char *text, MPJ_Datatype *newtype);

#ifdef __cplusplus
}
#endif
#endif
