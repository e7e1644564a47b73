/* This header declares the computation of the example: each element becomes a
 * function of itself alone, so the layout of the matrix cannot change a bit of
 * the result. */
#ifndef EXAMPLES_COMPUTE_H
#define EXAMPLES_COMPUTE_H

#include "npy.h"

/* Replace each of `count` elements x, in place:
 *   f4, f8      twelve Newton steps towards the cube root of x, in the element's
 *               own precision; infinities and NaN stay as they are
 *   c8, c16     the same with the real and the imaginary part, each for itself
 *   i4, i8, u1  twelve steps x := x (2x + 1) + 1 modulo 2 to the element's bits,
 *               which sends different x to different results, so that a
 *               misplaced element shows (R. L. Rivest, Permutation polynomials
 *               modulo 2^w, 2001) */
void compute(enum npy_type type, void *elements, int64_t count);

#endif
