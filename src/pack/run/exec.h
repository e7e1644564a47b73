/* This header declares the execution of a copy program over a range of its
 * packed bytes. */
#ifndef MPJ_SRC_PACK_RUN_EXEC_H
#define MPJ_SRC_PACK_RUN_EXEC_H

#include <stdbool.h>

#include "pack/kernels/kernels.h"
#include "pack/program/program.h"

/* What a program moves between: `mem`, laid out as it says, and `other`. */
struct mpj_exec {
  const struct mpj_moves *moves; /* the direction */
  bool twin;                     /* other is laid out as mem is; else it is the packed stream */
};

#endif
