/* This header declares the compilation of sequences, and what lists may take. For the files that
 * compile. */
#ifndef MPJ_SRC_PACK_PROGRAM_COMPILE_SEQ_H
#define MPJ_SRC_PACK_PROGRAM_COMPILE_SEQ_H

#include "pack/program/program.h"

static inline void mpj_program_set_dense(struct mpj_program *p, int basic)
{
  p->kind = MPJ_PROGRAM_DENSE;
  p->basic = basic;
}

/* Whether a list of n entries of `each` bytes, n at most `most`, may be made: then it takes them
 * from *left. */
static inline bool mpj_program_may_list(MPJ_Count n, MPJ_Count most, size_t each, size_t *left)
{
  if (n > most || (size_t)n * each > *left) return false;
  *left -= (size_t)n * each;
  return true;
}

/* Make p, whose bytes are set, the program of a SEQ layout: a dense block if all
 * its pieces adjoin.
 *   programs  [n], moved, even on failure: those of the layout's shapes, if it has them, or else of
 *             its pieces; what they point to is borrowed
 *   left      bytes that lists may still take
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_program_compile_seq(struct mpj_program *p, const struct mpj_layout *layout,
                            const struct mpj_program **programs, MPJ_Count n, size_t *left);

/* Dense runs in such a program. */
MPJ_Count mpj_program_seq_runs(const struct mpj_program *p);

#endif
