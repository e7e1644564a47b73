/* This header declares how arrays of numbers are encoded.
 *
 * Fewer than MPJ_NUMBERS_FRAMED are signed numbers one after another. More come
 * in frames of 128, the last one shorter. A frame of n values v[0] .. v[n-1]:
 *   byte      bits 0-6: width w, 0 to 64; bit 7: differences
 *   byte      shift s, 0 to 63
 *   signed    if differences: v[0] less the last value of the frame before (0)
 *   signed    base b
 *   bits      the residuals r, w bits each, packed from the lowest bit of the
 *             first byte on, the last byte filled with 0
 * Plain frames have n residuals, v[i] = b + (r[i] << s); differences n - 1 of
 * them, v[i] = v[i-1] + b + (r[i-1] << s). All sums are modulo 2^64. */
#ifndef MPJ_SRC_TYPES_ENCODED_NUMBERS_H
#define MPJ_SRC_TYPES_ENCODED_NUMBERS_H

#include "types/encoded/bytes.h"

enum { MPJ_NUMBERS_FRAME = 128, MPJ_NUMBERS_FRAMED = 16, MPJ_FRAME_BYTES_MIN = 3 };

/* Write n <= MPJ_NUMBERS_FRAME values as one frame, in the form that is shorter.
 * *last is the last value of the frame before, and then of this one. */
void mpj_write_frame(struct mpj_writer *w, const int64_t values[], size_t n, int64_t *last);
void mpj_read_frame(struct mpj_reader *r, int64_t values[], size_t n, int64_t *last);

/* Read an array of n values. n must have been checked by mpj_numbers_fit. */
void mpj_read_numbers(struct mpj_reader *r, int64_t values[], uint64_t n);

/* Whether n values can be in what is left to read: bounds what is allocated. */
bool mpj_numbers_fit(const struct mpj_reader *r, uint64_t n);

#endif
