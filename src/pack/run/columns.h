/* This header declares packing and unpacking by columns: a loop over short
 * adjoining blocks, each the head of a longer loop with a wide stride. In stream
 * order every access is to another cache line; as a transposition every line is
 * used whole, once. */
#ifndef MPJ_SRC_PACK_RUN_COLUMNS_H
#define MPJ_SRC_PACK_RUN_COLUMNS_H

#include "pack/run/exec.h"
#include "pack/run/exec_run.h"

/* A result this long exceeds a core's caches, and what is written by the line in the wide strides
 * of a matrix is better not fetched first. 16 MiB, Sapphire Rapids: 6.5 GB/s, without 2.3
 * (mpj-bench pack, fft2). */
static const MPJ_Count MPJ_COLUMNS_STREAM_BYTES = (MPJ_Count)1 << 22;

/* Copies of `child`, `stride` bytes apart, that are columns of one matrix: what a
 * transposition can move. */
static inline bool mpj_columns_are(const struct mpj_exec *x, const struct mpj_program *child,
                                   MPJ_Aint stride)
{
  if (x->same_layout || x->moves->combines || child->kind != MPJ_PROGRAM_LOOP) return false;
  const struct mpj_program *unit = child->u.loop.child;
  return unit->kind == MPJ_PROGRAM_DENSE && unit->bytes == stride &&
         (stride == 8 || stride == 16 || stride == 4);
}

/* Move packed bytes [from, to) of n such columns; places as for mpj_exec.
 * False, with nothing moved, where that is no transposition: the range breaks a
 * block, there is one column only, or the columns overlap. */
bool mpj_columns_move(const struct mpj_exec *x, const struct mpj_program *child, char *mem,
                      char *other, MPJ_Count n, MPJ_Count from, MPJ_Count to);

/* Copy the next `bytes` bytes from whole columns on one side to whole rows of as many
 * blocks on the other, and advance both. False, with nothing moved, where the two are
 * not so, or one of them is inside a row or a column, or there is only one. Neither
 * cursor is of dense data. */
struct mpj_cursor;
bool mpj_columns_copy(struct mpj_cursor *dst, struct mpj_cursor *src, MPJ_Count bytes);

#endif
