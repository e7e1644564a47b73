/* This header declares the execution of whole copy programs and of whole pieces of
 * them, for the one of ranges and its own recursion.
 *
 * Everywhere `mem` and `other` are the places of packed byte 0 of the program at hand,
 * and the step is the distance in `other` between copies that are `stride` apart in mem. */
#ifndef MPJ_SRC_PACK_RUN_EXEC_WHOLE_H
#define MPJ_SRC_PACK_RUN_EXEC_WHOLE_H

#include "pack/run/exec.h"
#include "pack/run/exec_run.h"

static inline MPJ_Aint mpj_exec_step(const struct mpj_exec *x, const struct mpj_program *child,
                                     MPJ_Aint stride)
{
  return x->same_layout ? stride : child->bytes;
}

/* a / b for a >= 0, b > 0: in 32 bits where that is enough, which many processors
 * divide faster. */
static inline MPJ_Count mpj_quotient(MPJ_Count a, MPJ_Count b)
{
  if (((a | b) >> 32) == 0) return (uint32_t)a / (uint32_t)b;
  return a / b;
}

/* Whether an INDEX runs by its units. */
static inline bool mpj_exec_by_units(const struct mpj_exec *x, const struct mpj_program *p)
{
  return p->u.index.nunits > 0 && !x->same_layout;
}

/* Packed bytes [from, to), from < to, of an INDEX that runs by its units. */
void mpj_exec_units(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                    MPJ_Count from, MPJ_Count to);

/* Bytes [from, to) of the stream of dense blocks, stride bytes apart. */
void mpj_exec_rows(const struct mpj_exec *x, MPJ_Count block, MPJ_Aint stride, char *mem,
                   char *other, MPJ_Count from, MPJ_Count to);

#endif
