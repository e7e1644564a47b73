/* This header declares streaming: rows stored past the caches. */
#ifndef MPJ_SRC_PACK_KERNELS_KERNELS_STREAM_H
#define MPJ_SRC_PACK_KERNELS_KERNELS_STREAM_H

#include <stdbool.h>

#include <mpj/base.h>

/* What is written must reach this many bytes: with as many that are read, that is
 * more than a last-level cache keeps (32 MiB, Zen 4). */
enum { MPJ_STREAM_BYTES = 1 << 24 };

/* Copy count rows of `block` bytes, strides in bytes, with stores that do not read
 * the lines they fill, and return true; or, where the rows are too few or too short
 * for that to pay, or the processor has no such stores, do nothing and return false.
 * whole: bytes that are written one after another, of which these are some.
 * What was stored is visible to whoever sees a later store. Threads: any. */
bool mpj_stream_rows(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                     MPJ_Count block, MPJ_Count count, MPJ_Count whole);

#endif
