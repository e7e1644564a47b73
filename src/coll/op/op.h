/* This header declares the operation object, and how reductions use it. */
#ifndef MPJ_SRC_COLL_OP_OP_H
#define MPJ_SRC_COLL_OP_OP_H

#include <mpj/op.h>

#include "coll/op/op_lift.h"
#include "coll/run/control.h"
#include "pack/reduce/reduce.h"

/* Invariant: predefined >= 0 for the constants, whose other fields are unused;
 * else fn and element are set, and element's layout and lift are owned. */
struct mpj_op {
  uint32_t mark;  /* live mark of the handle pool */
  int predefined; /* enum mpj_reduce_op, or -1 */
  bool commutative;
  MPJ_User_function *fn;
  void *ctx;
  struct mpj_piece element;
  MPJ_Aint lb, extent;   /* of elemtype, bytes */
  struct mpj_lift *lift; /* shared; what ctx is of a lifted operation, else NULL */
};

/* Resolve a handle: MPJ_ERR_OP with a detail if it is null or was freed. */
int mpj_op_resolve(MPJ_Op handle, const struct mpj_op **op);

/* "MPJ_SUM" for an enum mpj_reduce_op; "none" for -1, "a user's operation" for less. */
const char *mpj_op_name(int number);

/* Make a call's reduce steps use `op` on data of this type: checks that it
 * applies (MPJ_ERR_OP naming the basic type, or MPJ_ERR_SIGNATURE where the data
 * is no whole multiple of elemtype), and sets what the steps need. call->unit is
 * 0 where a packed stream of this type cannot be cut at regular places. */
int mpj_op_prepare(const struct mpj_op *op, const struct mpj_type *type, const char *argument,
                   struct mpj_call *call);

/* The next `bytes` bytes at the cursor := packed (op) themselves, for a user's
 * operation; whole elements. Works in memory from `scratch`. Errors: MPJ_ERR_NO_MEM. */
int mpj_op_combine(const struct mpj_op *op, struct mpj_cursor *inout, const void *packed,
                   MPJ_Count bytes, struct mpj_scratch *scratch);

/* The bytes [at, at + bytes) of buf's data := packed (op) themselves, whole elements (of a user's
 * operation, too). Errors: those of MPJ_Unpack_reduce. */
int mpj_op_unpack_range(const void *packed, MPJ_Count bytes, void *buf, MPJ_Datatype type,
                        MPJ_Count at, MPJ_Op op);

/* Keep a user's operation beyond its handle: *copy shares what op owns; drop ends
 * that. */
void mpj_op_keep(const struct mpj_op *op, struct mpj_op *copy);
void mpj_op_drop(struct mpj_op *copy);
/* A further handle of it, to be freed by mpj_op_unshare. Errors: MPJ_ERR_OP, MPJ_ERR_NO_MEM. */
int mpj_op_share(MPJ_Op op, MPJ_Op *handle);
void mpj_op_unshare(MPJ_Op handle);

/* Operations alive now; for leak checks. */
size_t mpj_op_live(void);

#endif
