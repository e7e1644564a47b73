/* This header declares the execution of a copy program over a range of its
 * packed bytes. */
#ifndef MPJ_SRC_PACK_RUN_EXEC_H
#define MPJ_SRC_PACK_RUN_EXEC_H

#include <stdbool.h>

#include "pack/kernels/kernels.h"
#include "pack/kernels/kernels_stream.h"
#include "pack/program/program.h"

/* What a program moves between: `mem`, laid out as it says, and `other`. */
struct mpj_exec {
  const struct mpj_moves *moves; /* the direction */
  bool same_layout;              /* other is laid out as mem is; else it is the packed stream */
  MPJ_Count whole;               /* bytes that all of the program's kernels move */
};

/* count blocks, of the class of their size, by the direction's kernel: those of a nest count as a
 * part of the whole. */
static inline void mpj_exec_strided(const struct mpj_exec *x, MPJ_Count block, char *mem,
                                    MPJ_Aint stride, char *other, MPJ_Aint step, MPJ_Count count)
{
  if (x->whole >= MPJ_STREAM_BYTES && x->moves->into_mem &&
      mpj_stream_rows(mem, stride, other, step, block, count, x->whole))
    return;
  x->moves->strided[mpj_block_class(block)](mem, stride, other, step, block, count);
}

#endif
