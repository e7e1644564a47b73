/* This file computes signatures: arithmetic modulo the prime 2^61 - 1 on the
 * polynomial of signature.h (the rolling hash of Karp and Rabin, which composes
 * over concatenation). */
#include "types/signature.h"

#include "base/config/config.h"
#include "types/basic.h"
#include "types/residues.h"

enum { SIGNATURES_EXACT, SIGNATURES_BYTES, SIGNATURES_FIT }; /* the words of MPJ_SIGNATURES */

const struct mpj_signature mpj_signature_empty = {0, 0, 0, 1};

/* So many bytes, as one element. */
static struct mpj_signature signature_of_bytes(MPJ_Count bytes)
{
  const struct mpj_signature byte = {1, 1, 1, MPJ_RESIDUE_X};
  struct mpj_signature all;
  mpj_signature_set_repeat(&all, &byte, bytes);
  all.elements = 1;
  return all;
}

struct mpj_signature mpj_signature_of_basic(int basic)
{
  if (mpj_config()->signatures != SIGNATURES_EXACT)
    return signature_of_bytes(mpj_basics[basic].size);
  return (struct mpj_signature){mpj_basics[basic].size, 1, mpj_basics[basic].letter, MPJ_RESIDUE_X};
}

/* Binary powering of the pair (hash, power), in registers; sizes are plain products.
 * Twice u hashes to H(u) X^|u| + H(u) = H(u) (X^|u| + 1). */
void mpj_signature_set_repeat(struct mpj_signature *out, const struct mpj_signature *a,
                              MPJ_Count count)
{
  uint64_t hash = a->hash, power = a->power; /* of the last 2^k repetitions */
  MPJ_Count rest = count;
  if (count == 0) {
    *out = mpj_signature_empty;
    return;
  }
  for (; rest % 2 == 0; rest /= 2) {
    hash = mpj_residue_multiply(hash, power + 1);
    power = mpj_residue_multiply(power, power);
  }
  uint64_t all_hash = hash, all_power = power; /* of those counted so far */
  while (rest /= 2) {
    hash = mpj_residue_multiply(hash, power + 1);
    power = mpj_residue_multiply(power, power);
    if (rest % 2 == 0) continue;
    all_hash = mpj_residue_add(mpj_residue_multiply(hash, all_power), all_hash);
    all_power = mpj_residue_multiply(power, all_power);
  }
  out->bytes = a->bytes * count;
  out->elements = a->elements * count;
  out->hash = all_hash;
  out->power = all_power;
}

bool mpj_signature_takes_less(const struct mpj_signature *own, MPJ_Count bytes)
{
  return mpj_config()->signatures == SIGNATURES_FIT && 0 <= bytes && bytes < own->bytes;
}

/* Each step of mpj_signature_digest's last, undone. */
uint64_t mpj_signature_hash_of(uint64_t digest, MPJ_Count bytes)
{
  uint64_t x = digest;
  x ^= x >> 33;
  x *= UINT64_C(0x9cb4b2f8129337db);
  x ^= x >> 33;
  x *= UINT64_C(0x4f74430c22a54005);
  x ^= x >> 33;
  return x - (uint64_t)bytes * UINT64_C(0x9e3779b97f4a7c15);
}
