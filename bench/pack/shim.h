/* This header is what a datatype engine, MPJ or an MPI library, offers to the
 * packing benchmark. Each engine implements it in one file, as a user of that
 * engine would write it; everything else is compiled unchanged for all of them.
 *
 * Types are handles of the engine's own. All that are made belong to the shim
 * until pack_types_free. A call that fails ends the program with a sentence on
 * stderr. Counts and displacements must fit an int: MPI's do. */
#ifndef MPJ_BENCH_PACK_SHIM_H
#define MPJ_BENCH_PACK_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "mpj", "mpich" or "openmpi". */
extern const char pack_engine[];

/* Can it pack a range of bytes; can it unpack and add? */
extern const bool pack_has_ranges;
extern const bool pack_has_sum;

void pack_engine_start(void);
void pack_engine_stop(void);

typedef intptr_t pack_type;

pack_type pack_float(void);
pack_type pack_double(void);
pack_type pack_int(void);

/* As MPI's constructors of these names; strides and displacements in units of
 * `old` unless they say bytes. */
pack_type pack_contiguous(long count, pack_type old);
pack_type pack_vector(long count, long blocklen, long stride, pack_type old);
pack_type pack_hvector(long count, long blocklen, ptrdiff_t stride_bytes, pack_type old);
pack_type pack_indexed(long count, long blocklen, const int displs[], pack_type old);
pack_type pack_indexed_each(long count, const int blocklens[], const int displs[], pack_type old);
pack_type pack_struct(int count, const int blocklens[], const ptrdiff_t displs_bytes[],
                      const pack_type types[]);
pack_type pack_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[],
                        pack_type old); /* C order */
pack_type pack_resized(pack_type old, ptrdiff_t extent_bytes);
void pack_commit(pack_type *type);
void pack_types_free(void);

/* One value of type at mem, to or from the `bytes` bytes at packed. */
void pack_pack(const void *mem, pack_type type, void *packed, size_t bytes);
void pack_unpack(const void *packed, size_t bytes, void *mem, pack_type type);

/* Bytes [offset, offset + bytes) of the packed form; only with pack_has_ranges. */
void pack_pack_range(const void *mem, pack_type type, size_t offset, void *packed, size_t bytes);

/* From layout to layout, `bytes` of data; an engine without such a call goes
 * through bounce[bytes]. */
void pack_copy(const void *src, pack_type src_type, void *dst, pack_type dst_type, void *bounce,
               size_t bytes);

/* Add packed doubles to those of type at mem; only with pack_has_sum. */
void pack_unpack_sum(const void *packed, size_t bytes, void *mem, pack_type type);

#endif
