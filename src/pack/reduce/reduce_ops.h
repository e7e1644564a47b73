/* This header lists the predefined operations as expressions, and every kernel
 * that is made of them: a name, an operation, and the type of its elements.
 *
 * Signed and unsigned integers share a kernel where the bits of the result are
 * the same; all sums and products are unsigned, so they wrap around. Elements may
 * lie at any address. */
#ifndef MPJ_SRC_PACK_REDUCE_REDUCE_OPS_H
#define MPJ_SRC_PACK_REDUCE_REDUCE_OPS_H

#include <stdint.h>

#include "base/machine/cpu.h"
#include "pack/reduce/reduce.h"

#define ANYWHERE __attribute__((aligned(1), may_alias))

typedef int8_t ANYWHERE mpj_red_i8;
typedef int16_t ANYWHERE mpj_red_i16;
typedef int32_t ANYWHERE mpj_red_i32;
typedef int64_t ANYWHERE mpj_red_i64;
typedef uint8_t ANYWHERE mpj_red_u8;
typedef uint16_t ANYWHERE mpj_red_u16;
typedef uint32_t ANYWHERE mpj_red_u32;
typedef uint64_t ANYWHERE mpj_red_u64;
typedef float ANYWHERE mpj_red_f32;
typedef double ANYWHERE mpj_red_f64;
typedef long double ANYWHERE mpj_red_f80;
typedef struct {
  mpj_red_f32 re, im;
} mpj_red_c32;
typedef struct {
  mpj_red_f64 re, im;
} mpj_red_c64;
typedef struct {
  mpj_red_f80 re, im;
} mpj_red_c80;

/* The pairs of a value and an index, as C lays them out, padding included. */
typedef struct {
  mpj_red_f32 value;
  mpj_red_i32 index;
} mpj_red_pf32;
typedef struct {
  mpj_red_f64 value;
  mpj_red_i32 index;
  char padding[4];
} mpj_red_pf64;
typedef struct {
  mpj_red_f80 value;
  mpj_red_i32 index;
  char padding[sizeof(long double) - sizeof(int32_t)];
} mpj_red_pf80;
typedef struct {
  mpj_red_i16 value;
  char gap[2];
  mpj_red_i32 index;
} mpj_red_pi16;
typedef struct {
  mpj_red_i32 value, index;
} mpj_red_pi32;
typedef struct {
  mpj_red_i64 value;
  mpj_red_i32 index;
  char padding[4];
} mpj_red_pi64;

/* The operations on elements a and b of type T, computed in W, in which products
 * of two elements are defined. */
#define OP_SUM(T, W, a, b) (T)((W)(a) + (W)(b))
#define OP_PROD(T, W, a, b) (T)((W)(a) * (W)(b))
#define OP_MIN(T, W, a, b) ((a) < (b) ? (a) : (b))
#define OP_MAX(T, W, a, b) ((a) > (b) ? (a) : (b))
#define OP_LAND(T, W, a, b) (T)(((a) != 0) & ((b) != 0))
#define OP_LOR(T, W, a, b) (T)(((a) != 0) | ((b) != 0))
#define OP_LXOR(T, W, a, b) (T)(((a) != 0) ^ ((b) != 0))
#define OP_BAND(T, W, a, b) (T)((a) & (b))
#define OP_BOR(T, W, a, b) (T)((a) | (b))
#define OP_BXOR(T, W, a, b) (T)((a) ^ (b))
#define OP_CSUM(T, W, a, b) ((T){(a).re + (b).re, (a).im + (b).im})
/* The plain formula: no rescue of infinities, as Annex G of C11 has it. */
#define OP_CPROD(T, W, a, b)                                                                       \
  ((T){(a).re * (b).re - (a).im * (b).im, (a).re * (b).im + (a).im * (b).re})

/* Of values that compare neither way (equal, or one is no number) the one with the
 * least index. */
#define OP_MINLOC(T, W, a, b)                                                                      \
  ((a).value < (b).value || (!((b).value < (a).value) && (a).index < (b).index) ? (a) : (b))
#define OP_MAXLOC(T, W, a, b)                                                                      \
  ((a).value > (b).value || (!((b).value > (a).value) && (a).index < (b).index) ? (a) : (b))

#define INTEGER_KERNELS(X, bits, W)                                                                \
  X(sum_##bits, OP_SUM, mpj_red_u##bits, W)                                                        \
  X(prod_##bits, OP_PROD, mpj_red_u##bits, W)                                                      \
  X(min_i##bits, OP_MIN, mpj_red_i##bits, W)                                                       \
  X(max_i##bits, OP_MAX, mpj_red_i##bits, W)                                                       \
  X(min_u##bits, OP_MIN, mpj_red_u##bits, W)                                                       \
  X(max_u##bits, OP_MAX, mpj_red_u##bits, W)                                                       \
  X(land_##bits, OP_LAND, mpj_red_u##bits, W)                                                      \
  X(lor_##bits, OP_LOR, mpj_red_u##bits, W)                                                        \
  X(lxor_##bits, OP_LXOR, mpj_red_u##bits, W)                                                      \
  X(band_##bits, OP_BAND, mpj_red_u##bits, W)                                                      \
  X(bor_##bits, OP_BOR, mpj_red_u##bits, W)                                                        \
  X(bxor_##bits, OP_BXOR, mpj_red_u##bits, W)

#define REAL_KERNELS(X, bits)                                                                      \
  X(sum_f##bits, OP_SUM, mpj_red_f##bits, mpj_red_f##bits)                                         \
  X(prod_f##bits, OP_PROD, mpj_red_f##bits, mpj_red_f##bits)                                       \
  X(min_f##bits, OP_MIN, mpj_red_f##bits, mpj_red_f##bits)                                         \
  X(max_f##bits, OP_MAX, mpj_red_f##bits, mpj_red_f##bits)

#define COMPLEX_KERNELS(X, bits)                                                                   \
  X(sum_c##bits, OP_CSUM, mpj_red_c##bits, mpj_red_c##bits)                                        \
  X(prod_c##bits, OP_CPROD, mpj_red_c##bits, mpj_red_c##bits)

#define PAIR_KERNELS(X, kind)                                                                      \
  X(minloc_##kind, OP_MINLOC, mpj_red_p##kind, mpj_red_p##kind)                                    \
  X(maxloc_##kind, OP_MAXLOC, mpj_red_p##kind, mpj_red_p##kind)

/* X(name, operation, T, W) for the kernels of single numbers, of complex ones, of
 * pairs, and for all. */
#define FOR_EACH_SINGLE(X)                                                                         \
  INTEGER_KERNELS(X, 8, uint32_t)                                                                  \
  INTEGER_KERNELS(X, 16, uint32_t)                                                                 \
  INTEGER_KERNELS(X, 32, uint32_t)                                                                 \
  INTEGER_KERNELS(X, 64, uint64_t)                                                                 \
  REAL_KERNELS(X, 32)                                                                              \
  REAL_KERNELS(X, 64)                                                                              \
  REAL_KERNELS(X, 80)
#define FOR_EACH_COMPLEX(X)                                                                        \
  COMPLEX_KERNELS(X, 32)                                                                           \
  COMPLEX_KERNELS(X, 64)                                                                           \
  COMPLEX_KERNELS(X, 80)
#define FOR_EACH_PAIR(X)                                                                           \
  PAIR_KERNELS(X, f32)                                                                             \
  PAIR_KERNELS(X, f64)                                                                             \
  PAIR_KERNELS(X, f80)                                                                             \
  PAIR_KERNELS(X, i16)                                                                             \
  PAIR_KERNELS(X, i32)                                                                             \
  PAIR_KERNELS(X, i64)
#define FOR_EACH_REDUCTION(X) FOR_EACH_SINGLE(X) FOR_EACH_COMPLEX(X) FOR_EACH_PAIR(X)

/* The kernels by number. */
enum mpj_reduction {
#define NUMBER(name, op, T, W) MPJ_REDUCTION_##name,
  FOR_EACH_REDUCTION(NUMBER)
#undef NUMBER
      MPJ_REDUCTIONS
};

/* The sets of dense kernels, one for each instruction set (as in kernels.h). */
extern mpj_reduce_kernel *const mpj_reduce_plain[MPJ_REDUCTIONS];
extern mpj_reduce_kernel *const mpj_reduce_avx2[MPJ_REDUCTIONS];
extern mpj_reduce_kernel *const mpj_reduce_avx512[MPJ_REDUCTIONS];

/* The set for a level that the processor has, and the one in use. Threads: any. */
mpj_reduce_kernel *const *mpj_reduce_set_of(enum mpj_cpu_level level);
mpj_reduce_kernel *const *mpj_reduce_set(void);

#endif
