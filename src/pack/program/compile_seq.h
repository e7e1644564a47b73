/* This header declares the compilation of sequences. For the compile*.c files. */
#ifndef MPJ_SRC_PACK_PROGRAM_COMPILE_SEQ_H
#define MPJ_SRC_PACK_PROGRAM_COMPILE_SEQ_H

#include "pack/program/program.h"

static inline void mpj_program_set_dense(struct mpj_program *p, int basic)
{
  p->kind = MPJ_PROGRAM_DENSE;
  p->basic = basic;
}

/* Make p, whose bytes are set, the program of a SEQ layout: a dense block if all
 * its pieces adjoin.
 *   programs  [n], moved, even on failure: those of the layout's shapes, if it has them, or else of
 *             its pieces; what they point to is borrowed
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_program_compile_seq(struct mpj_program *p, const struct mpj_layout *layout,
                            const struct mpj_program **programs, MPJ_Count n);

/* Dense runs in such a program. */
MPJ_Count mpj_program_seq_runs(const struct mpj_program *p);

#endif
