/* This header declares reductions into a layout: an operation in the form of
 * kernels, so that a copy program runs it as it runs a copy. */
#ifndef MPJ_SRC_PACK_REDUCE_REDUCE_SPREAD_H
#define MPJ_SRC_PACK_REDUCE_REDUCE_SPREAD_H

#include "pack/kernels/kernels.h"
#include "pack/reduce/reduce.h"

/* The kernels of mem := other (op) mem for data of one basic type, in blocks of
 * whole elements at any addresses; NULL where mpj_reduce_kernel_of gives NULL.
 * Threads: any. */
const struct mpj_moves *mpj_reduce_moves(enum mpj_reduce_op op, int basic);

/* For mpj_reduce_moves: which kernel, a number of reduce_ops.h, or -1. */
int mpj_reduce_number(enum mpj_reduce_op op, int basic);

#endif
