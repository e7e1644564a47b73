/* This file holds the plain kernels of the predefined operations: one loop an
 * operation and type, which the compiler vectorises. */
#include "pack/reduce.h"

#include <complex.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#include "types/basic.h"

#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define LAND(a, b) ((a) && (b))
#define BAND(a, b) ((a) & (b))
#define LOR(a, b) ((a) || (b))
#define BOR(a, b) ((a) | (b))
#define LXOR(a, b) (!(a) != !(b))
#define BXOR(a, b) ((a) ^ (b))

/* name(in, inout, n): inout[i] := (T)OP((W)in[i], (W)inout[i]); W is a type in
 * which the operation is defined for all values, as unsigned is for sums. */
#define KERNEL(name, OP, T, W)                                                                      \
  static void name(const void *in, void *inout, MPJ_Count n)                                       \
  {                                                                                                 \
    const T *restrict a = in;                                                                       \
    T *restrict b = inout;                                                                          \
    for (MPJ_Count i = 0; i < n; i++)                                                               \
      b[i] = (T)OP((W)a[i], (W)b[i]);                                                               \
  }

#define ARITHMETIC(suffix, T, W)                                                                    \
  KERNEL(sum_##suffix, SUM, T, W)                                                                   \
  KERNEL(prod_##suffix, PROD, T, W)
#define ORDER(suffix, T)                                                                            \
  KERNEL(min_##suffix, MIN, T, T)                                                                   \
  KERNEL(max_##suffix, MAX, T, T)
#define LOGICAL(suffix, T)                                                                          \
  KERNEL(land_##suffix, LAND, T, T)                                                                 \
  KERNEL(lor_##suffix, LOR, T, T)                                                                   \
  KERNEL(lxor_##suffix, LXOR, T, T)
#define BITWISE(suffix, T, W)                                                                       \
  KERNEL(band_##suffix, BAND, T, W)                                                                 \
  KERNEL(bor_##suffix, BOR, T, W)                                                                   \
  KERNEL(bxor_##suffix, BXOR, T, W)
#define INTEGER(suffix, T, W)                                                                       \
  ARITHMETIC(suffix, T, W) ORDER(suffix, T) LOGICAL(suffix, T) BITWISE(suffix, T, W)

INTEGER(i8, int8_t, uint32_t)
INTEGER(i16, int16_t, uint32_t)
INTEGER(i32, int32_t, uint32_t)
INTEGER(i64, int64_t, uint64_t)
INTEGER(u8, uint8_t, uint32_t)
INTEGER(u16, uint16_t, uint32_t)
INTEGER(u32, uint32_t, uint32_t)
INTEGER(u64, uint64_t, uint64_t)
ARITHMETIC(f32, float, float)
ORDER(f32, float)
ARITHMETIC(f64, double, double)
ORDER(f64, double)
ARITHMETIC(f80, long double, long double)
ORDER(f80, long double)
ARITHMETIC(c32, float complex, float complex)
ARITHMETIC(c64, double complex, double complex)
ARITHMETIC(c80, long double complex, long double complex)
LOGICAL(boolean, bool)

#define INTEGER_ROW(s)                                                                              \
  {                                                                                                 \
    sum_##s, prod_##s, min_##s, max_##s, land_##s, band_##s, lor_##s, bor_##s, lxor_##s, bxor_##s, \
        NULL                                                                                        \
  }
#define REAL_ROW(s) {sum_##s, prod_##s, min_##s, max_##s, NULL, NULL, NULL, NULL, NULL, NULL, NULL}
#define COMPLEX_ROW(s) {sum_##s, prod_##s, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

typedef mpj_reduce_kernel *row[MPJ_REDUCE_OPS];

static const row signed_rows[4] = {INTEGER_ROW(i8), INTEGER_ROW(i16), INTEGER_ROW(i32),
                                   INTEGER_ROW(i64)};
static const row unsigned_rows[4] = {INTEGER_ROW(u8), INTEGER_ROW(u16), INTEGER_ROW(u32),
                                     INTEGER_ROW(u64)};
static const row real_rows[3] = {REAL_ROW(f32), REAL_ROW(f64), REAL_ROW(f80)};
static const row complex_rows[3] = {COMPLEX_ROW(c32), COMPLEX_ROW(c64), COMPLEX_ROW(c80)};
static const row byte_row = {NULL, NULL,   NULL, NULL,    NULL, band_u8,
                             NULL, bor_u8, NULL, bxor_u8, NULL};
static const row bool_row = {NULL,        NULL, NULL,         NULL, land_boolean, NULL,
                             lor_boolean, NULL, lxor_boolean, NULL, NULL};

/* REPLACE, by size of element. */
#define REPLACE(name, bytes)                                                                        \
  static void name(const void *in, void *inout, MPJ_Count n)                                       \
  {                                                                                                 \
    memcpy(inout, in, (size_t)n * (bytes));                                                         \
  }
REPLACE(replace_1, 1)
REPLACE(replace_2, 2)
REPLACE(replace_4, 4)
REPLACE(replace_8, 8)
REPLACE(replace_16, 16)
REPLACE(replace_32, 32)

/* log2 of a size in bytes that is a power of two. */
static int log2_of(int size)
{
  return __builtin_ctz((unsigned)size);
}

static mpj_reduce_kernel *replace_of(int size)
{
  static mpj_reduce_kernel *const by_size[6] = {replace_1, replace_2,  replace_4,
                                                replace_8, replace_16, replace_32};
  return by_size[log2_of(size)];
}

mpj_reduce_kernel *mpj_reduce_kernel_of(enum mpj_reduce_op op, int basic)
{
  const struct mpj_basic *b = &mpj_basics[basic];
  const int size = log2_of(b->size);
  if (op == MPJ_REDUCE_REPLACE) return replace_of(b->size);
  switch (b->class) {
  case MPJ_CLASS_BYTE:
    return byte_row[op];
  case MPJ_CLASS_BOOL:
    return bool_row[op];
  case MPJ_CLASS_SIGNED:
    return signed_rows[size][op];
  case MPJ_CLASS_UNSIGNED:
    return unsigned_rows[size][op];
  case MPJ_CLASS_REAL:
    return real_rows[size - 2][op];
  case MPJ_CLASS_COMPLEX:
    return complex_rows[size - 3][op];
  }
  return NULL;
}
