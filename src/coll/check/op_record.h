/* This header declares what ranks compare of an operation: which of the predefined ones, or of a
 * user's its elemtype's signature, whether it commutes, and its function. A function is known by
 * its place in a program or library, so where two ranks run files of the same name; one that lies
 * in none (made at run time) is taken to be equal. */
#ifndef MPJ_SRC_COLL_CHECK_OP_RECORD_H
#define MPJ_SRC_COLL_CHECK_OP_RECORD_H

#include <stdint.h>

#include "coll/op/op.h"

/* A signature; bytes -1: there is nothing to compare. */
struct mpj_data_record {
  int64_t bytes;
  uint64_t digest;
};

/* An operation; all is 0 where there is none. */
struct mpj_op_record {
  int32_t reduce;      /* 1 + enum mpj_reduce_op; 0: none; -1: a user's op, of which: */
  int32_t commutative; /* 0 or 1 */
  uint64_t file, function;
  struct mpj_data_record element;
};

/* Fill in an op; how two ranks' ops differ, as words that follow the second one's name; NULL: they
 * do not. */
void mpj_op_record_fill(struct mpj_op_record *said, const struct mpj_op *op);
const char *mpj_op_record_difference(const struct mpj_op_record *a, const struct mpj_op_record *b);

#endif
