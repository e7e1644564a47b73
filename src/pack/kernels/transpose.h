/* This header declares the transposition of small units: what a copy needs
 * where the fast dimension of one side is the slow one of the other. */
#ifndef MPJ_SRC_PACK_KERNELS_TRANSPOSE_H
#define MPJ_SRC_PACK_KERNELS_TRANSPOSE_H

#include <stdbool.h>

#include <mpj/base.h>

/* A matrix of rows x cols units: row r of `from` is cols adjoining units at
 * r * from_stride bytes, row c of `to` is rows adjoining units at c * to_stride.
 * Unit (r, c) of from becomes unit (c, r) of to. The two never overlap; neither
 * need be aligned. rows, cols >= 1.
 *   stream  the result is not read soon: go past the caches where that is possible
 * Whole tiles of two dimensions are moved at a time, so each cache line is
 * fetched and stored once, whatever the strides. */
typedef void mpj_transpose_fn(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                              MPJ_Count rows, MPJ_Count cols, bool stream);

struct mpj_transposes {
  mpj_transpose_fn *of_4, *of_8, *of_16; /* by bytes of a unit */
};

extern const struct mpj_transposes mpj_transposes_plain;
extern const struct mpj_transposes mpj_transposes_avx2;   /* on x86-64 only */
extern const struct mpj_transposes mpj_transposes_avx512; /* on x86-64 only */

/* The function for units of so many bytes on this processor, or NULL where there
 * is none. Threads: any. */
mpj_transpose_fn *mpj_transpose_of(MPJ_Count unit_bytes);

#endif
