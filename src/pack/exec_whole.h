/* This header declares the execution of whole copy programs and of whole pieces of
 * them, for the one of ranges and its own recursion.
 *
 * Everywhere `mem` and `other` are the places of packed byte 0 of the program at hand,
 * and the step is the distance in `other` between copies that are `stride` apart in mem. */
#ifndef MPJ_SRC_PACK_EXEC_WHOLE_H
#define MPJ_SRC_PACK_EXEC_WHOLE_H

#include "pack/exec.h"

static inline MPJ_Aint mpj_exec_step(const struct mpj_exec *x, const struct mpj_program *child,
                                     MPJ_Aint stride)
{
  return x->twin ? stride : child->bytes;
}

/* Whether an INDEX runs by its list of units. */
static inline bool mpj_exec_is_flat(const struct mpj_exec *x, const struct mpj_program *p)
{
  return p->u.index.flat && !x->twin;
}

/* The whole program. */
void mpj_exec_program(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                      char *other);

/* n copies of child. */
void mpj_exec_copies(const struct mpj_exec *x, const struct mpj_program *child, MPJ_Aint stride,
                     char *mem, char *other, MPJ_Count n);

/* Units [first, end) of a flat INDEX. */
void mpj_exec_units(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                    MPJ_Count first, MPJ_Count end);

/* Blocks [first, end) of an INDEX. */
void mpj_exec_blocks(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                     MPJ_Count first, MPJ_Count end);

/* Pieces [first, end) of a SEQ that are not listed; they begin at packed byte `start`. */
void mpj_exec_frames(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                     MPJ_Count start, MPJ_Count first, MPJ_Count end);

#endif
