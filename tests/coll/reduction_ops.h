/* This header declares the users' operations that the reductions are played
 * with; none of them commutes. */
#ifndef MPJ_TESTS_COLL_REDUCTION_OPS_H
#define MPJ_TESTS_COLL_REDUCTION_OPS_H

#include <stdatomic.h>

#include <mpj/op.h>

#include "coll/layouts.h"

struct user_op {
  const char *name;
  MPJ_User_function *fn;
  void *ctx;
  size_t bytes; /* of one element, as C has it */
  /* Make elemtype, committed. */
  void (*make)(struct layout *out);
  /* A random element; padding is 0. */
  void (*value)(struct mpj_random *rng, void *out);
};

enum { USER_MATRIX, USER_TEXT, USER_MAP, USER_OPS };
extern const struct user_op user_ops[USER_OPS];

/* How many elements the functions have been given that no rank has made, or in
 * arrays that are not aligned for them. */
extern _Atomic long user_ops_garbage;

#endif
