/* This file converts basic types to external32 and back: big-endian integers of
 * given sizes, and IEEE numbers of 4, 8 and 16 bytes. */
#include "pack/external/external.h"

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "types/basic.h"

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BIG_8(x) (x)
#define BIG_16(x) (x)
#define BIG_32(x) (x)
#define BIG_64(x) (x)
#else
#define BIG_8(x) (x)
#define BIG_16(x) __builtin_bswap16(x)
#define BIG_32(x) __builtin_bswap32(x)
#define BIG_64(x) __builtin_bswap64(x)
#endif

/* Words of one size on both sides: there and back are the same. */
#define SAME(bits)                                                                                 \
  static bool same_##bits(const char *from, char *to, MPJ_Count n)                                 \
  {                                                                                                \
    for (MPJ_Count i = 0; i < n; i++) {                                                            \
      uint##bits##_t x;                                                                            \
      memcpy(&x, from + i * (MPJ_Count)sizeof x, sizeof x);                                        \
      x = BIG_##bits(x);                                                                           \
      memcpy(to + i * (MPJ_Count)sizeof x, &x, sizeof x);                                          \
    }                                                                                              \
    return true;                                                                                   \
  }
SAME(8)
SAME(16)
SAME(32)
SAME(64)

/* Integers whose external form, of `bits` bits, is the shorter one. */
#define NARROW(name, native, external, bits)                                                       \
  static bool pack_##name(const char *from, char *to, MPJ_Count n)                                 \
  {                                                                                                \
    for (MPJ_Count i = 0; i < n; i++) {                                                            \
      native x;                                                                                    \
      memcpy(&x, from + i * (MPJ_Count)sizeof x, sizeof x);                                        \
      external value = (external)x;                                                                \
      if ((native)value != x) return false;                                                        \
      uint##bits##_t word = BIG_##bits((uint##bits##_t)value);                                     \
      memcpy(to + i * (MPJ_Count)sizeof word, &word, sizeof word);                                 \
    }                                                                                              \
    return true;                                                                                   \
  }                                                                                                \
  static bool unpack_##name(const char *from, char *to, MPJ_Count n)                               \
  {                                                                                                \
    for (MPJ_Count i = 0; i < n; i++) {                                                            \
      uint##bits##_t word;                                                                         \
      memcpy(&word, from + i * (MPJ_Count)sizeof word, sizeof word);                               \
      native x = (native)(external)BIG_##bits(word);                                               \
      memcpy(to + i * (MPJ_Count)sizeof x, &x, sizeof x);                                          \
    }                                                                                              \
    return true;                                                                                   \
  }
NARROW(long, long, int32_t, 32)
NARROW(unsigned_long, unsigned long, uint32_t, 32)
NARROW(wchar, uint32_t, uint16_t, 16)

/* Any other value than 0 is true. */
static bool bool_both(const char *from, char *to, MPJ_Count n)
{
  for (MPJ_Count i = 0; i < n; i++)
    to[i] = from[i] != 0;
  return true;
}

enum { QUAD = 16, LONG_DOUBLE = sizeof(long double) }; /* bytes */

#if LDBL_MANT_DIG == 113 || (LDBL_MANT_DIG == 64 && defined(__SIZEOF_INT128__))
#define HAVE_QUAD 1
__extension__ typedef unsigned __int128 quad; /* the bits of a binary128 */
#endif

#if LDBL_MANT_DIG == 113
static quad quad_of(const char *at)
{
  quad q;
  memcpy(&q, at, sizeof q);
  return q;
}

static void long_double_of(quad q, char *at)
{
  memcpy(at, &q, sizeof q);
}
#elif defined(HAVE_QUAD)
/* The 80-bit format: 64 bits of significand with the integer bit, then sign and
 * exponent, whose bias is binary128's. That has 112 bits of fraction. */
enum { FRACTION = 112, DROPPED = FRACTION - 63, EXPONENT_MASK = 0x7fff, SIGN = 0x8000 };
#define INTEGER_BIT (UINT64_C(1) << 63)

static quad quad_of(const char *at)
{
  uint64_t significand;
  uint16_t head;
  memcpy(&significand, at, sizeof significand);
  memcpy(&head, at + sizeof significand, sizeof head);
  /* Without an exponent the integer bit is a bit like the others, and becomes one. */
  if (head & EXPONENT_MASK) significand &= ~INTEGER_BIT;
  return ((quad)head << FRACTION) + ((quad)significand << DROPPED);
}

/* The upper 63 bits of the fraction, rounded to nearest, ties to even. */
static uint64_t rounded(quad fraction)
{
  uint64_t kept = (uint64_t)(fraction >> DROPPED);
  quad rest = fraction & (((quad)1 << DROPPED) - 1), half = (quad)1 << (DROPPED - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

static void long_double_of(quad q, char *at)
{
  quad fraction = q & (((quad)1 << FRACTION) - 1);
  uint16_t head = (uint16_t)(q >> FRACTION);
  bool special = (head & EXPONENT_MASK) == EXPONENT_MASK;
  uint64_t significand = special ? (uint64_t)(fraction >> DROPPED) : rounded(fraction);
  if (special && fraction) significand |= INTEGER_BIT >> 1; /* a NaN stays one */
  /* A carry out of the fraction goes to the exponent, where the integer bit is due. */
  if (significand & INTEGER_BIT) head++;
  if (head & EXPONENT_MASK) significand |= INTEGER_BIT;
  if (!special && (head & EXPONENT_MASK) == EXPONENT_MASK) significand = INTEGER_BIT;
  memset(at, 0, LONG_DOUBLE);
  memcpy(at, &significand, sizeof significand);
  memcpy(at + sizeof significand, &head, sizeof head);
}
#endif

#ifdef HAVE_QUAD
static void reverse(const char *from, char *to)
{
  for (int i = 0; i < QUAD; i++)
    to[i] = from[QUAD - 1 - i];
}

static void to_big(const char *from, char *to)
{
  if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
    memcpy(to, from, QUAD);
  else
    reverse(from, to);
}

static bool pack_long_double(const char *from, char *to, MPJ_Count n)
{
  for (MPJ_Count i = 0; i < n; i++) {
    quad q = quad_of(from + i * LONG_DOUBLE);
    to_big((const char *)&q, to + i * QUAD);
  }
  return true;
}

static bool unpack_long_double(const char *from, char *to, MPJ_Count n)
{
  for (MPJ_Count i = 0; i < n; i++) {
    quad q;
    to_big(from + i * QUAD, (char *)&q);
    long_double_of(q, to + i * LONG_DOUBLE);
  }
  return true;
}

static bool pack_complex_long_double(const char *from, char *to, MPJ_Count n)
{
  return pack_long_double(from, to, 2 * n);
}

static bool unpack_complex_long_double(const char *from, char *to, MPJ_Count n)
{
  return unpack_long_double(from, to, 2 * n);
}
#else
#define pack_long_double NULL
#define unpack_long_double NULL
#define pack_complex_long_double NULL
#define unpack_complex_long_double NULL
#endif

static bool complex_float(const char *from, char *to, MPJ_Count n)
{
  return same_32(from, to, 2 * n);
}

static bool complex_double(const char *from, char *to, MPJ_Count n)
{
  return same_64(from, to, 2 * n);
}

/* The form of integers and reals of `size` bytes, both sides alike. */
static struct mpj_external form_of_size(int size)
{
  mpj_external_fn *const by_log2[] = {same_8, same_16, same_32, same_64};
  mpj_external_fn *both = by_log2[__builtin_ctz((unsigned)size)];
  return (struct mpj_external){size, both, both};
}

static struct mpj_external form_of_complex(int size)
{
  if (size == 2 * (int)sizeof(float)) return (struct mpj_external){8, complex_float, complex_float};
  if (size == 2 * (int)sizeof(double))
    return (struct mpj_external){16, complex_double, complex_double};
  return (struct mpj_external){2 * QUAD, pack_complex_long_double, unpack_complex_long_double};
}

static bool is(int basic, MPJ_Datatype type)
{
  return basic == mpj_basic_of_handle(type);
}

/* Pairs of a value and an int: the value's form, then the int's, no padding. */
#define PAIR(name, ctype, type)                                                                    \
  struct name {                                                                                    \
    ctype value;                                                                                   \
    int index;                                                                                     \
  };                                                                                               \
  static bool pack_##name(const char *from, char *to, MPJ_Count n)                                 \
  {                                                                                                \
    const struct mpj_external value = mpj_external_of(mpj_basic_of_handle(type));                  \
    for (MPJ_Count i = 0; i < n; i++) {                                                            \
      if (!value.pack || !value.pack(from, to, 1)) return false;                                   \
      same_32(from + offsetof(struct name, index), to + value.size, 1);                            \
      from += sizeof(struct name);                                                                 \
      to += value.size + 4;                                                                        \
    }                                                                                              \
    return true;                                                                                   \
  }                                                                                                \
  static bool unpack_##name(const char *from, char *to, MPJ_Count n)                               \
  {                                                                                                \
    const struct mpj_external value = mpj_external_of(mpj_basic_of_handle(type));                  \
    for (MPJ_Count i = 0; i < n; i++) {                                                            \
      memset(to, 0, sizeof(struct name)); /* the padding too */                                    \
      if (!value.unpack || !value.unpack(from, to, 1)) return false;                               \
      same_32(from + value.size, to + offsetof(struct name, index), 1);                            \
      from += value.size + 4;                                                                      \
      to += sizeof(struct name);                                                                   \
    }                                                                                              \
    return true;                                                                                   \
  }
PAIR(float_int, float, MPJ_FLOAT)
PAIR(double_int, double, MPJ_DOUBLE)
PAIR(long_double_int, long double, MPJ_LONG_DOUBLE)
PAIR(long_int, long, MPJ_LONG)
PAIR(two_int, int, MPJ_INT)
PAIR(short_int, short, MPJ_SHORT)

static struct mpj_external form_of_pair(int basic)
{
  if (is(basic, MPJ_FLOAT_INT)) return (struct mpj_external){8, pack_float_int, unpack_float_int};
  if (is(basic, MPJ_DOUBLE_INT))
    return (struct mpj_external){12, pack_double_int, unpack_double_int};
  if (is(basic, MPJ_LONG_DOUBLE_INT))
    return (struct mpj_external){QUAD + 4, pack_long_double_int, unpack_long_double_int};
  if (is(basic, MPJ_LONG_INT)) return (struct mpj_external){8, pack_long_int, unpack_long_int};
  if (is(basic, MPJ_2INT)) return (struct mpj_external){8, pack_two_int, unpack_two_int};
  return (struct mpj_external){6, pack_short_int, unpack_short_int};
}

static bool is_pair(const struct mpj_basic *b)
{
  return b->class == MPJ_CLASS_PAIR_REAL || b->class == MPJ_CLASS_PAIR_SIGNED ||
         b->class == MPJ_CLASS_PAIR_SHORT;
}

struct mpj_external mpj_external_of(int basic)
{
  const struct mpj_basic *b = &mpj_basics[basic];
  if (b->class == MPJ_CLASS_BOOL) return (struct mpj_external){1, bool_both, bool_both};
  if (b->class == MPJ_CLASS_COMPLEX) return form_of_complex(b->size);
  if (is_pair(b)) return form_of_pair(basic);
  if (is(basic, MPJ_LONG_DOUBLE))
    return (struct mpj_external){QUAD, pack_long_double, unpack_long_double};
  if (is(basic, MPJ_WCHAR) && b->size == 4)
    return (struct mpj_external){2, pack_wchar, unpack_wchar};
  if (is(basic, MPJ_LONG)) return (struct mpj_external){4, pack_long, unpack_long};
  if (is(basic, MPJ_UNSIGNED_LONG))
    return (struct mpj_external){4, pack_unsigned_long, unpack_unsigned_long};
  return form_of_size(b->size);
}
