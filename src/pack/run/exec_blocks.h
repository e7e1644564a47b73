/* This header declares how whole blocks are run. */
#ifndef MPJ_SRC_PACK_RUN_EXEC_BLOCKS_H
#define MPJ_SRC_PACK_RUN_EXEC_BLOCKS_H

#include "pack/run/exec_whole.h"

/* The whole program. */
void mpj_exec_program(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                      char *other);

/* n copies of child. */
void mpj_exec_copies(const struct mpj_exec *x, const struct mpj_program *child, MPJ_Aint stride,
                     char *mem, char *other, MPJ_Count n);

/* Blocks [first, end) of an INDEX. */
void mpj_exec_blocks(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                     MPJ_Count first, MPJ_Count end);

/* Pieces [first, end) of a SEQ that are not listed; they begin at packed byte `start`. */
void mpj_exec_frames(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                     MPJ_Count start, MPJ_Count first, MPJ_Count end);

#endif
