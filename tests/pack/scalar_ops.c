/* This file applies the predefined operations to single elements: integers all
 * in 64 bits, whatever their size, and complex numbers by their parts. */
#include "pack/scalar_ops.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "types/basic.h"

enum { X87_BYTES = 10 }; /* of a long double's 16 */

static bool is_integer(int basic)
{
  const enum mpj_basic_class class = mpj_basics[basic].class;
  return class == MPJ_CLASS_SIGNED || class == MPJ_CLASS_UNSIGNED;
}

/* Half precision is for storage only. */
static bool is_real(int basic)
{
  return mpj_basics[basic].class == MPJ_CLASS_REAL && mpj_basics[basic].size > 2;
}

bool scalar_applies(enum mpj_reduce_op op, int basic)
{
  const enum mpj_basic_class class = mpj_basics[basic].class;
  switch (op) {
  case MPJ_REDUCE_SUM:
  case MPJ_REDUCE_PROD:
    return is_integer(basic) || is_real(basic) || class == MPJ_CLASS_COMPLEX;
  case MPJ_REDUCE_MIN:
  case MPJ_REDUCE_MAX:
    return is_integer(basic) || is_real(basic);
  case MPJ_REDUCE_LAND:
  case MPJ_REDUCE_LOR:
  case MPJ_REDUCE_LXOR:
    return is_integer(basic) || class == MPJ_CLASS_BOOL;
  case MPJ_REDUCE_BAND:
  case MPJ_REDUCE_BOR:
  case MPJ_REDUCE_BXOR:
    return is_integer(basic) || class == MPJ_CLASS_BYTE;
  default:
    return op == MPJ_REDUCE_REPLACE;
  }
}

/* Integers */

/* The value in 64 bits, the sign extended where the type has one. */
static uint64_t load(int basic, const void *element)
{
  const int size = mpj_basics[basic].size;
  uint64_t value = 0;
  for (int i = size - 1; i >= 0; i--)
    value = value << 8 | ((const unsigned char *)element)[i];
  if (mpj_basics[basic].class != MPJ_CLASS_SIGNED) return value;
  const uint64_t sign = UINT64_C(1) << (8 * size - 1);
  return value & sign ? value | ~(sign - 1) : value;
}

static void store(int basic, uint64_t value, void *element)
{
  for (int i = 0; i < mpj_basics[basic].size; i++, value >>= 8) /* pairs are longer than a value */
    ((unsigned char *)element)[i] = (unsigned char)value;
}

static bool is_less(int basic, uint64_t a, uint64_t b)
{
  const uint64_t top = UINT64_C(1) << 63;
  return mpj_basics[basic].class == MPJ_CLASS_SIGNED ? (a ^ top) < (b ^ top) : a < b;
}

static uint64_t combine_integers(enum mpj_reduce_op op, int basic, uint64_t a, uint64_t b)
{
  switch (op) {
  case MPJ_REDUCE_SUM:
    return a + b;
  case MPJ_REDUCE_PROD:
    return a * b;
  case MPJ_REDUCE_MIN:
    return is_less(basic, a, b) ? a : b;
  case MPJ_REDUCE_MAX:
    return is_less(basic, a, b) ? b : a;
  case MPJ_REDUCE_LAND:
    return a != 0 && b != 0;
  case MPJ_REDUCE_BAND:
    return a & b;
  case MPJ_REDUCE_LOR:
    return a != 0 || b != 0;
  case MPJ_REDUCE_BOR:
    return a | b;
  case MPJ_REDUCE_LXOR:
    return (a != 0) != (b != 0);
  case MPJ_REDUCE_BXOR:
    return a ^ b;
  default:
    return a;
  }
}

/* Reals and complex numbers, one definition a precision. */

#define FLOATING(name, T)                                                                          \
  static void real_##name(enum mpj_reduce_op op, const void *in, void *inout)                      \
  {                                                                                                \
    T a, b;                                                                                        \
    memcpy(&a, in, sizeof a);                                                                      \
    memcpy(&b, inout, sizeof b);                                                                   \
    if (op == MPJ_REDUCE_SUM)                                                                      \
      b = a + b;                                                                                   \
    else if (op == MPJ_REDUCE_PROD)                                                                \
      b = a * b;                                                                                   \
    else if (op == MPJ_REDUCE_MIN)                                                                 \
      b = b < a ? b : a;                                                                           \
    else                                                                                           \
      b = b > a ? b : a;                                                                           \
    memcpy(inout, &b, sizeof b);                                                                   \
  }                                                                                                \
  static void complex_##name(enum mpj_reduce_op op, const void *in, void *inout)                   \
  {                                                                                                \
    T a[2], b[2];                                                                                  \
    memcpy(a, in, sizeof a);                                                                       \
    memcpy(b, inout, sizeof b);                                                                    \
    const T sum[2] = {a[0] + b[0], a[1] + b[1]};                                                   \
    const T product[2] = {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};                   \
    memcpy(inout, op == MPJ_REDUCE_SUM ? sum : product, sizeof b);                                 \
  }                                                                                                \
  static void value_##name(struct mpj_random *rng, T extreme, void *out)                           \
  {                                                                                                \
    const T part = (T)(mpj_random_next(rng) >> 11) / (T)(UINT64_C(1) << 53);                       \
    T value = ((T)0.5 + part * (T)1.5) * (mpj_random_in(rng, 0, 1) ? 1 : -1);                      \
    if (extreme != 0) value = extreme * (mpj_random_in(rng, 0, 1) ? 1 : -1);                       \
    memcpy(out, &value, sizeof value);                                                             \
  }
FLOATING(float, float)
FLOATING(double, double)
FLOATING(long_double, long double)

static void combine_reals(enum mpj_reduce_op op, int size, const void *in, void *inout)
{
  if (size == sizeof(float))
    real_float(op, in, inout);
  else if (size == sizeof(double))
    real_double(op, in, inout);
  else
    real_long_double(op, in, inout);
}

static void combine_complex(enum mpj_reduce_op op, int size, const void *in, void *inout)
{
  if (size == 2 * sizeof(float))
    complex_float(op, in, inout);
  else if (size == 2 * sizeof(double))
    complex_double(op, in, inout);
  else
    complex_long_double(op, in, inout);
}

void scalar_combine(enum mpj_reduce_op op, int basic, const void *in, void *inout)
{
  const int size = mpj_basics[basic].size;
  if (op == MPJ_REDUCE_REPLACE)
    memcpy(inout, in, (size_t)size);
  else if (mpj_basics[basic].class == MPJ_CLASS_REAL)
    combine_reals(op, size, in, inout);
  else if (mpj_basics[basic].class == MPJ_CLASS_COMPLEX)
    combine_complex(op, size, in, inout);
  else
    store(basic, combine_integers(op, basic, load(basic, in), load(basic, inout)), inout);
}

/* Values */

static void integer_value(struct mpj_random *rng, int basic, void *out)
{
  const uint64_t bits = mpj_random_next(rng);
  switch (mpj_random_in(rng, 0, 5)) {
  case 0:
    store(basic, bits % 3 - 1, out);
    break;
  case 1: /* an end of a range: 0, all ones, the sign alone, all but the sign */
    store(basic, bits & 1 ? ~UINT64_C(0) : 0, out);
    if (bits & 2) ((unsigned char *)out)[mpj_basics[basic].size - 1] ^= 0x80;
    break;
  default:
    store(basic, bits, out);
  }
}

/* A real of `size` bytes; far: 0 for an ordinary one, else an extreme. */
static void real_value(struct mpj_random *rng, int size, int64_t far, void *out)
{
  memset(out, 0, (size_t)size);
  const bool largest = far == 1, least = far == 2;
  if (size == sizeof(float))
    value_float(rng, largest ? FLT_MAX : least ? FLT_MIN : 0, out);
  else if (size == sizeof(double))
    value_double(rng, largest ? DBL_MAX : least ? DBL_MIN : 0, out);
  else if (size == sizeof(long double))
    value_long_double(rng, largest ? LDBL_MAX : least ? LDBL_MIN : 0, out);
  else /* half precision, which C cannot compute with: any bits */
    for (int i = 0; i < size; i++)
      ((unsigned char *)out)[i] = (unsigned char)mpj_random_next(rng);
}

void scalar_value(struct mpj_random *rng, int basic, bool extremes, void *out)
{
  const int size = mpj_basics[basic].size;
  switch (mpj_basics[basic].class) {
  case MPJ_CLASS_BOOL:
    store(basic, mpj_random_next(rng) & 1, out);
    break;
  case MPJ_CLASS_REAL:
    real_value(rng, size, extremes ? mpj_random_in(rng, 0, 7) : 0, out);
    break;
  case MPJ_CLASS_COMPLEX:
    real_value(rng, size / 2, 0, out);
    real_value(rng, size / 2, 0, (char *)out + size / 2);
    break;
  default:
    integer_value(rng, basic, out);
  }
  scalar_settle(basic, out);
}

static void store_real(int size, int value, void *out)
{
  const float f = (float)value;
  const double d = value;
  const long double l = value;
  memset(out, 0, (size_t)size);
  memcpy(out,
         size == sizeof f   ? (const void *)&f
         : size == sizeof d ? (const void *)&d
                            : &l,
         (size_t)size);
}

void scalar_exact_value(struct mpj_random *rng, enum mpj_reduce_op op, int basic, void *out)
{
  const int size = mpj_basics[basic].size;
  int value = (int)mpj_random_in(rng, 1, 8);
  if (mpj_random_in(rng, 0, 1)) value = -value;
  switch (mpj_basics[basic].class) {
  case MPJ_CLASS_REAL:
    store_real(size, op == MPJ_REDUCE_PROD ? (value < 0 ? -1 : 1) : value, out);
    break;
  case MPJ_CLASS_COMPLEX: /* positive: a product has no negative zeros */
    store_real(size / 2, op == MPJ_REDUCE_PROD ? 1 : value, out);
    store_real(size / 2, op == MPJ_REDUCE_PROD ? 0 : -value, (char *)out + size / 2);
    break;
  default:
    scalar_value(rng, basic, false, out);
  }
  scalar_settle(basic, out);
}

void scalar_settle(int basic, void *element)
{
  const struct mpj_basic *b = &mpj_basics[basic];
  const bool complex = b->class == MPJ_CLASS_COMPLEX;
  const int size = complex ? b->size / 2 : b->size;
  if (b->class != MPJ_CLASS_REAL && !complex) return;
  if (size != sizeof(long double) || LDBL_MANT_DIG != 64) return;
  for (int at = 0; at < b->size; at += size)
    memset((char *)element + at + X87_BYTES, 0, (size_t)(size - X87_BYTES));
}
