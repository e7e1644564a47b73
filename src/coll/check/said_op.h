/* This header declares what ranks compare of an operation: which of the predefined ones, or of a
 * user's its elemtype's signature, whether it commutes, and its function. A function is known by
 * its place in a program or library, so where two ranks run files of the same name; one that lies
 * in none (made at run time) is taken to be equal. */
#ifndef MPJ_SRC_COLL_CHECK_SAID_OP_H
#define MPJ_SRC_COLL_CHECK_SAID_OP_H

#include <stdint.h>

#include "coll/op/op.h"

/* A signature; bytes -1: there is nothing to compare. */
struct mpj_said_data {
  int64_t bytes;
  uint64_t digest;
};

/* An operation; all is 0 where there is none. */
struct mpj_said_op {
  int32_t reduce;      /* 1 + enum mpj_reduce_op; 0: none; -1: a user's op, of which: */
  int32_t commutative; /* 0 or 1 */
  uint64_t file, function;
  struct mpj_said_data element;
};

/* Fill in an op; how two ranks' ops differ, as words that follow the second one's name; NULL: they
 * do not. */
void mpj_said_op_fill(struct mpj_said_op *said, const struct mpj_op *op);
const char *mpj_said_op_difference(const struct mpj_said_op *a, const struct mpj_said_op *b);

#endif
