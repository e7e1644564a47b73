/* This header declares sequences: immutable arrays of 64-bit integers in the
 * smallest of a few forms, counted and shared between layouts and part tables.
 *
 * Forms, n values each:
 *   a line       first + i * step                                     O(1) bytes
 *   few          at most 16 values, as they are                       8 each
 *   periods      value(i mod m) + (i div m) * step, the m in a form   O(1) + those
 *   lines        stretches that are lines                             24 each
 *   frames       128 values each around a line of their own, see frames.h
 *   a table      at most 256 different values, and frames of row numbers
 *   a window     a stretch of another sequence                        O(1)
 * Which one it is follows from the values alone (windows apart), so equal arrays
 * have equal forms. Values are kept modulo 2^64. */
#ifndef MPJ_SRC_TYPES_SEQUENCE_SEQUENCE_H
#define MPJ_SRC_TYPES_SEQUENCE_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "types/sequence/series.h"

struct mpj_sequence;

/* Compress values->n >= 1 values; linear time. *out is owned.
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_sequence_make(const struct mpj_series *values, struct mpj_sequence **out);

/* As mpj_sequence_make of values known to have this period (1: to be a line; 0:
 * not known), without looking at the others. The form may be another. */
int mpj_sequence_make_periodic(const struct mpj_series *values, MPJ_Count period,
                               struct mpj_sequence **out);

/* Values [first, first + n) of parent, n >= 1, with `origin` subtracted. Keeps a
 * reference to parent. Errors: MPJ_ERR_NO_MEM. */
int mpj_sequence_window(struct mpj_sequence *parent, MPJ_Count first, MPJ_Count n, MPJ_Count origin,
                        struct mpj_sequence **out);

/* References; NULL is let pass. Threads: any. */
struct mpj_sequence *mpj_sequence_retain(struct mpj_sequence *s);
void mpj_sequence_release(struct mpj_sequence *s);

MPJ_Count mpj_sequence_length(const struct mpj_sequence *s);

/* Value i, 0 <= i < length. O(1); lines O(log lines). */
MPJ_Count mpj_sequence_at(const struct mpj_sequence *s, MPJ_Count i);

/* How many values from i on are known to be on one line, *base, *base + *slope, ...; 1, and
 * nothing set, where the form does not tell. O(1); lines O(log lines). */
MPJ_Count mpj_sequence_row(const struct mpj_sequence *s, MPJ_Count i, MPJ_Count *base,
                           MPJ_Count *slope);

/* out[k] := value first + k, k < n. */
void mpj_sequence_read(const struct mpj_sequence *s, MPJ_Count first, MPJ_Count n, MPJ_Count out[]);

/* out[k] := value first + k - *origin, k < n, for n at most MPJ_NEAR_MOST, and *most is no less
 * than any of these, and 0 only if all are 0; false if not all fit 32 bits. Up to MPJ_NEAR_SPARE
 * (unpack.h) values behind out[n] are overwritten. */
enum { MPJ_NEAR_MOST = 512 };
bool mpj_sequence_near(const struct mpj_sequence *s, MPJ_Count first, MPJ_Count n,
                       MPJ_Count *origin, int32_t out[], MPJ_Count *most);

/* Of a sequence that never falls: the last i with value(i) <= value, given that
 * value(0) <= value. O(log length) steps. */
MPJ_Count mpj_sequence_find(const struct mpj_sequence *s, MPJ_Count value);

/* Equality of form and values (NULL equals NULL), and a hash that agrees. */
bool mpj_sequence_equal(const struct mpj_sequence *a, const struct mpj_sequence *b);
uint64_t mpj_sequence_hash(const struct mpj_sequence *s);

/* Bytes of this object alone; and the sequence inside it (borrowed), or NULL. */
size_t mpj_sequence_bytes(const struct mpj_sequence *s);
const struct mpj_sequence *mpj_sequence_inner(const struct mpj_sequence *s);

#endif
