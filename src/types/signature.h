/* This header declares signatures: a type map's sequence of basic types
 * condensed to sizes and a hash that composes.
 *
 * A basic type's letter stands for its class (integer, real, complex, ...) and
 * size, so long and int64_t share one. The hash is the polynomial
 *   H(a1 .. an) = sum of letter(ai) * X^(n-i)   modulo 2^61 - 1
 * so H(uv) = H(u) * X^|v| + H(v); power = X^n is kept beside it. Two sequences
 * of one length collide with probability at most n / 2^61. The number of elements is not
 * compared: the hash tells it.
 *
 * With MPJ_SIGNATURES=bytes every byte of a basic type is one and the same letter: two
 * sequences of equally many bytes then have equal signatures, whatever they consist of. */
#ifndef MPJ_SRC_TYPES_SIGNATURE_H
#define MPJ_SRC_TYPES_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpj/base.h>

#include "types/residues.h"

struct mpj_signature {
  MPJ_Count bytes;    /* of data */
  MPJ_Count elements; /* basic types in the sequence */
  uint64_t hash;      /* H, below 2^61 - 1 */
  uint64_t power;     /* X^elements */
};

extern const struct mpj_signature mpj_signature_empty;

/* The signature of one element of the basic type. */
struct mpj_signature mpj_signature_of_basic(int basic);

/* That of a then b, also to a itself; of count copies of a (O(log count)), also to
 * *out, which is not a. Sizes must have been checked: bytes and elements must not
 * overflow. */
static inline void mpj_signature_append(struct mpj_signature *a, const struct mpj_signature *b)
{
  a->bytes += b->bytes;
  a->elements += b->elements;
  a->hash = mpj_residue_add(mpj_residue_multiply(a->hash, b->power), b->hash);
  a->power = mpj_residue_multiply(a->power, b->power);
}
static inline struct mpj_signature mpj_signature_join(struct mpj_signature a,
                                                      struct mpj_signature b)
{
  mpj_signature_append(&a, &b);
  return a;
}
void mpj_signature_set_repeat(struct mpj_signature *out, const struct mpj_signature *a,
                              MPJ_Count count);
static inline struct mpj_signature mpj_signature_repeat(struct mpj_signature a, MPJ_Count count)
{
  struct mpj_signature repeated;
  mpj_signature_set_repeat(&repeated, &a, count);
  return repeated;
}

static inline bool mpj_signature_equal(const struct mpj_signature *a, const struct mpj_signature *b)
{
  return a->bytes == b->bytes && a->hash == b->hash;
}

/* Whether what has room for `own` may receive these fewer bytes instead, into its beginning, in an
 * operation whose ranks know nothing of each other's sizes: with MPJ_SIGNATURES=fit. */
bool mpj_signature_takes_less(const struct mpj_signature *own, MPJ_Count bytes);

/* bytes and hash in 64 bits, for message headers: a sum with an odd factor, then the
 * finaliser whose constants are MurmurHash3's. */
static inline uint64_t mpj_signature_digest(const struct mpj_signature *s)
{
  uint64_t x = s->hash + (uint64_t)s->bytes * UINT64_C(0x9e3779b97f4a7c15);
  x ^= x >> 33;
  x *= UINT64_C(0xff51afd7ed558ccd);
  x ^= x >> 33;
  x *= UINT64_C(0xc4ceb9fe1a85ec53);
  return x ^ (x >> 33);
}

/* The hash that so many bytes have with this digest. From a peer it may be any number. */
uint64_t mpj_signature_hash_of(uint64_t digest, MPJ_Count bytes);

#endif
