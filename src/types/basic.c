/* This file is the table of basic types: C's arithmetic types, two formats for
 * storage, and the pairs of a value and an index, with size, alignment, and class. */
#include "types/basic.h"

#include <complex.h>
#include <limits.h>
#include <stdalign.h>
#include <stdbool.h>
#include <wchar.h>

/* Distinct below 2^61 - 1 for distinct (class, size): multiplication by an odd
 * constant scatters the few small keys. */
#define LETTER(class_, size_)                                                                      \
  (((((uint64_t)(class_) + 1) << 8 | (uint64_t)(size_)) * UINT64_C(0x9e3779b97f4a7c15)) >> 4)
#define ROW(name_, ctype, class_)                                                                  \
  {                                                                                                \
    name_, (int)sizeof(ctype), (int)alignof(ctype), class_, LETTER(class_, sizeof(ctype))          \
  }

#if CHAR_MIN < 0
#define CHAR_CLASS MPJ_CLASS_SIGNED
#else
#define CHAR_CLASS MPJ_CLASS_UNSIGNED
#endif
#if WCHAR_MIN < 0
#define WCHAR_CLASS MPJ_CLASS_SIGNED
#else
#define WCHAR_CLASS MPJ_CLASS_UNSIGNED
#endif

/* The pairs of a value and where it was found. */
#define PAIR(name_, ctype)                                                                         \
  struct name_ {                                                                                   \
    ctype value;                                                                                   \
    int index;                                                                                     \
  }
PAIR(float_int, float);
PAIR(double_int, double);
PAIR(long_double_int, long double);
PAIR(long_int, long);
PAIR(two_int, int);
PAIR(short_int, short);

const struct mpj_basic mpj_basics[MPJ_BASIC_COUNT] = {
    ROW("MPJ_BYTE", unsigned char, MPJ_CLASS_BYTE),
    ROW("MPJ_CHAR", char, CHAR_CLASS),
    ROW("MPJ_SIGNED_CHAR", signed char, MPJ_CLASS_SIGNED),
    ROW("MPJ_UNSIGNED_CHAR", unsigned char, MPJ_CLASS_UNSIGNED),
    ROW("MPJ_SHORT", short, MPJ_CLASS_SIGNED),
    ROW("MPJ_UNSIGNED_SHORT", unsigned short, MPJ_CLASS_UNSIGNED),
    ROW("MPJ_INT", int, MPJ_CLASS_SIGNED),
    ROW("MPJ_UNSIGNED", unsigned, MPJ_CLASS_UNSIGNED),
    ROW("MPJ_LONG", long, MPJ_CLASS_SIGNED),
    ROW("MPJ_UNSIGNED_LONG", unsigned long, MPJ_CLASS_UNSIGNED),
    ROW("MPJ_LONG_LONG", long long, MPJ_CLASS_SIGNED),
    ROW("MPJ_UNSIGNED_LONG_LONG", unsigned long long, MPJ_CLASS_UNSIGNED),
    ROW("MPJ_INT8", int8_t, MPJ_CLASS_SIGNED),
    ROW("MPJ_INT16", int16_t, MPJ_CLASS_SIGNED),
    ROW("MPJ_INT32", int32_t, MPJ_CLASS_SIGNED),
    ROW("MPJ_INT64", int64_t, MPJ_CLASS_SIGNED),
    ROW("MPJ_UINT8", uint8_t, MPJ_CLASS_UNSIGNED),
    ROW("MPJ_UINT16", uint16_t, MPJ_CLASS_UNSIGNED),
    ROW("MPJ_UINT32", uint32_t, MPJ_CLASS_UNSIGNED),
    ROW("MPJ_UINT64", uint64_t, MPJ_CLASS_UNSIGNED),
    ROW("MPJ_FLOAT", float, MPJ_CLASS_REAL),
    ROW("MPJ_DOUBLE", double, MPJ_CLASS_REAL),
    ROW("MPJ_LONG_DOUBLE", long double, MPJ_CLASS_REAL),
    ROW("MPJ_C_BOOL", bool, MPJ_CLASS_BOOL),
    ROW("MPJ_C_FLOAT_COMPLEX", float complex, MPJ_CLASS_COMPLEX),
    ROW("MPJ_C_DOUBLE_COMPLEX", double complex, MPJ_CLASS_COMPLEX),
    ROW("MPJ_C_LONG_DOUBLE_COMPLEX", long double complex, MPJ_CLASS_COMPLEX),
    ROW("MPJ_WCHAR", wchar_t, WCHAR_CLASS),
    ROW("MPJ_AINT", MPJ_Aint, MPJ_CLASS_SIGNED),
    ROW("MPJ_COUNT", MPJ_Count, MPJ_CLASS_SIGNED),
    ROW("MPJ_PACKED", unsigned char, MPJ_CLASS_BYTE),
    ROW("MPJ_FLOAT16", uint16_t, MPJ_CLASS_REAL),
    ROW("MPJ_BFLOAT16", uint16_t, MPJ_CLASS_BFLOAT),
    ROW("MPJ_FLOAT_INT", struct float_int, MPJ_CLASS_PAIR_REAL),
    ROW("MPJ_DOUBLE_INT", struct double_int, MPJ_CLASS_PAIR_REAL),
    ROW("MPJ_LONG_DOUBLE_INT", struct long_double_int, MPJ_CLASS_PAIR_REAL),
    ROW("MPJ_LONG_INT", struct long_int, MPJ_CLASS_PAIR_SIGNED),
    ROW("MPJ_2INT", struct two_int, MPJ_CLASS_PAIR_SIGNED),
    ROW("MPJ_SHORT_INT", struct short_int, MPJ_CLASS_PAIR_SHORT),
};
