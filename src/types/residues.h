/* This header is arithmetic modulo the prime 2^61 - 1, in which signatures are hashed. All
 * operands and results are below the modulus. */
#ifndef MPJ_SRC_TYPES_RESIDUES_H
#define MPJ_SRC_TYPES_RESIDUES_H

#include <stdint.h>

#define MPJ_RESIDUES ((UINT64_C(1) << 61) - 1)
/* The X of signature.h: any fixed residue far from small roots of unity does. */
#define MPJ_RESIDUE_X UINT64_C(0x0b3a1c9e5d7f2461)

static inline uint64_t mpj_residue_add(uint64_t a, uint64_t b)
{
  const uint64_t sum = a + b;
  return sum >= MPJ_RESIDUES ? sum - MPJ_RESIDUES : sum;
}

static inline uint64_t mpj_residue_subtract(uint64_t a, uint64_t b)
{
  return a >= b ? a - b : a + MPJ_RESIDUES - b;
}

static inline uint64_t mpj_residue_multiply(uint64_t a, uint64_t b)
{
  __extension__ const unsigned __int128 product = (unsigned __int128)a * b;
  return mpj_residue_add((uint64_t)product & MPJ_RESIDUES, (uint64_t)(product >> 61));
}

static inline uint64_t mpj_residue_power(uint64_t a, uint64_t exponent)
{
  uint64_t power = 1;
  for (; exponent > 0; exponent /= 2, a = mpj_residue_multiply(a, a))
    if (exponent % 2) power = mpj_residue_multiply(power, a);
  return power;
}

/* By Fermat's theorem; a is not 0. */
static inline uint64_t mpj_residue_inverse(uint64_t a)
{
  return mpj_residue_power(a, MPJ_RESIDUES - 2);
}

#endif
