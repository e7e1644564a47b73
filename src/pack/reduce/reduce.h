/* This header declares the predefined combining operations on arrays of one
 * basic type: what reductions apply to each run of a layout. */
#ifndef MPJ_SRC_PACK_REDUCE_REDUCE_H
#define MPJ_SRC_PACK_REDUCE_REDUCE_H

#include <mpj/base.h>

enum mpj_reduce_op {
  MPJ_REDUCE_SUM,
  MPJ_REDUCE_PROD,
  MPJ_REDUCE_MIN,
  MPJ_REDUCE_MAX,
  MPJ_REDUCE_LAND,
  MPJ_REDUCE_BAND,
  MPJ_REDUCE_LOR,
  MPJ_REDUCE_BOR,
  MPJ_REDUCE_LXOR,
  MPJ_REDUCE_BXOR,
  MPJ_REDUCE_REPLACE, /* inout := in */
  MPJ_REDUCE_MINLOC,  /* of pairs: the least value with its index, of equal ones the least index */
  MPJ_REDUCE_MAXLOC,
  MPJ_REDUCE_OPS
};

/* inout[i] := in[i] (op) inout[i] for n elements, at any addresses. The arrays do
 * not overlap. Integers wrap around; logical operations give 0
 * or 1; MIN and MAX of a NaN and a number give either. */
typedef void mpj_reduce_kernel(const void *in, void *inout, MPJ_Count n);

/* The kernel of op on the basic type (row of mpj_basics), or NULL where MPI 4.1
 * (6.9.2, 6.9.4) does not define it: arithmetic is for integers, reals and (SUM,
 * PROD) complex; logical for integers and bool; bitwise for integers and bytes;
 * MINLOC and MAXLOC for pairs; REPLACE for all. Threads: any. */
mpj_reduce_kernel *mpj_reduce_kernel_of(enum mpj_reduce_op op, int basic);

#endif
