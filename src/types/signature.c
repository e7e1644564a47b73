/* This file computes signatures: arithmetic modulo the prime 2^61 - 1 on the
 * polynomial of signature.h (the rolling hash of Karp and Rabin, which composes
 * over concatenation). */
#include "types/signature.h"

#include "types/basic.h"

__extension__ typedef unsigned __int128 uint128;

static const uint64_t modulus = (UINT64_C(1) << 61) - 1;
/* X: any fixed residue far from small roots of unity does. */
static const uint64_t base = UINT64_C(0x0b3a1c9e5d7f2461);

const struct mpj_signature mpj_signature_empty = {0, 0, 0, 1};

static uint64_t add_residues(uint64_t a, uint64_t b)
{
  uint64_t sum = a + b;
  return sum >= modulus ? sum - modulus : sum;
}

static uint64_t multiply_residues(uint64_t a, uint64_t b)
{
  uint128 product = (uint128)a * b;
  return add_residues((uint64_t)product & modulus, (uint64_t)(product >> 61));
}

struct mpj_signature mpj_signature_of_basic(int basic)
{
  return (struct mpj_signature){mpj_basics[basic].size, 1, mpj_basics[basic].letter, base};
}

struct mpj_signature mpj_signature_join(struct mpj_signature a, struct mpj_signature b)
{
  return (struct mpj_signature){a.bytes + b.bytes, a.elements + b.elements,
                                add_residues(multiply_residues(a.hash, b.power), b.hash),
                                multiply_residues(a.power, b.power)};
}

/* Binary powering; only hash and power, so that no intermediate size can
 * overflow when the last doubling is not used. */
struct mpj_signature mpj_signature_repeat(struct mpj_signature a, MPJ_Count count)
{
  struct mpj_signature power = {0, 0, a.hash, a.power}, result;
  if (count == 0) return mpj_signature_empty;
  MPJ_Count rest = count;
  for (; rest % 2 == 0; rest /= 2)
    power = mpj_signature_join(power, power);
  result = power;
  while (rest /= 2) {
    power = mpj_signature_join(power, power);
    if (rest % 2) result = mpj_signature_join(power, result);
  }
  result.bytes = a.bytes * count;
  result.elements = a.elements * count;
  return result;
}

/* One round of a 64-bit finaliser (the constants are MurmurHash3's). */
static uint64_t scramble(uint64_t x)
{
  x ^= x >> 33;
  x *= UINT64_C(0xff51afd7ed558ccd);
  x ^= x >> 33;
  x *= UINT64_C(0xc4ceb9fe1a85ec53);
  return x ^ (x >> 33);
}

uint64_t mpj_signature_digest(const struct mpj_signature *s)
{
  uint64_t digest = scramble((uint64_t)s->bytes);
  digest = scramble(digest ^ (uint64_t)s->elements);
  return scramble(digest ^ s->hash);
}
