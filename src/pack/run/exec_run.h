/* This header declares how a program is run. */
#ifndef MPJ_SRC_PACK_RUN_EXEC_RUN_H
#define MPJ_SRC_PACK_RUN_EXEC_RUN_H

#include "pack/run/exec.h"

/* Move packed bytes [from, to) of `count` copies of the program, stride bytes
 * apart. mem and other are where packed byte 0 lies (in the stream's case, would
 * lie: only bytes [from, to) of it need exist). 0 <= from < to <= count * bytes.
 * Recursion as deep as the program: at most MPJ_LAYOUT_DEPTH_MAX. */
void mpj_exec(const struct mpj_exec *x, const struct mpj_program *program, MPJ_Count count,
              MPJ_Aint stride, char *mem, char *other, MPJ_Count from, MPJ_Count to);

/* The same of one copy, to or from the stream. */
void mpj_exec_range(const struct mpj_moves *moves, const struct mpj_program *program, char *mem,
                    char *other, MPJ_Count from, MPJ_Count to);

/* Move the whole of a program that is not plain between mem and the stream. */
void mpj_exec_nest(const struct mpj_moves *moves, const struct mpj_program *program, char *mem,
                   char *other);

/* Move the whole of any program so, with as few steps as a plain one needs: this is
 * what a small message pays. */
static inline void mpj_exec_whole(const struct mpj_moves *moves, const struct mpj_program *p,
                                  char *mem, char *other)
{
  if (!p->plain)
    mpj_exec_nest(moves, p, mem, other);
  else if (p->kind == MPJ_PROGRAM_LOOP)
    moves->strided[p->block_class](mem, p->u.loop.stride, other, p->u.loop.child->bytes,
                                   p->u.loop.child->bytes, p->u.loop.count);
  else if (p->kind == MPJ_PROGRAM_INDEX)
    moves->indexed[p->block_class](mem, mpj_program_flat(p), other, p->u.index.unit,
                                   p->u.index.nunits, false);
  else
    moves->dense(mem, other, p->bytes);
}

#endif
