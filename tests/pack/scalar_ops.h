/* This header declares the predefined operations on one element, by their
 * definition: what the kernels and the reductions are checked against. */
#ifndef MPJ_TESTS_PACK_SCALAR_OPS_H
#define MPJ_TESTS_PACK_SCALAR_OPS_H

#include <stdbool.h>

#include "pack/reduce/reduce.h"
#include "types/random_type.h"

/* Whether MPI defines op on the basic type (row of mpj_basics). */
bool scalar_applies(enum mpj_reduce_op op, int basic);

/* *inout := *in (op) *inout, one element where op applies; any alignment. */
void scalar_combine(enum mpj_reduce_op op, int basic, const void *in, void *inout);

/* A random value: integers of all sizes, small ones and the ends of their range
 * among them; reals between 1/2 and 2 or their negatives, and, with `extremes`,
 * the largest and smallest ones. Never a NaN or a negative zero. */
void scalar_value(struct mpj_random *rng, int basic, bool extremes, void *out);

/* A random value such that op is exact on some hundreds of such, whatever is combined
 * first: reals are small whole numbers, for products +-1; complex ones real. */
void scalar_exact_value(struct mpj_random *rng, enum mpj_reduce_op op, int basic, void *out);

/* Make the bytes of an element that are no part of its value 0. */
void scalar_settle(int basic, void *element);

#endif
