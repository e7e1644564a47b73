/* This file finds the kernel of a predefined operation on a basic type. */
#include "pack/reduce/reduce.h"

#include <stdatomic.h>
#include <string.h>

#include "base/machine/cpu.h"
#include "pack/reduce/reduce_ops.h"
#include "pack/reduce/reduce_spread.h"
#include "types/basic.h"

/* Row: the operations on one kind of elements, by number; NONE where there is
 * none. REPLACE has kernels of its own. */
#define NONE (-1)
#define N(name) MPJ_REDUCTION_##name
#define INTEGER(bits, sign)                                                                        \
  {                                                                                                \
    N(sum_##bits), N(prod_##bits), N(min_##sign##bits), N(max_##sign##bits), N(land_##bits),       \
        N(band_##bits), N(lor_##bits), N(bor_##bits), N(lxor_##bits), N(bxor_##bits), NONE, NONE,  \
        NONE                                                                                       \
  }
#define REAL(bits)                                                                                 \
  {                                                                                                \
    N(sum_f##bits), N(prod_f##bits), N(min_f##bits), N(max_f##bits), NONE, NONE, NONE, NONE, NONE, \
        NONE, NONE, NONE, NONE                                                                     \
  }
#define COMPLEX(bits)                                                                              \
  {                                                                                                \
    N(sum_c##bits), N(prod_c##bits), NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,   \
        NONE                                                                                       \
  }
#define PAIR(kind)                                                                                 \
  {                                                                                                \
    NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, N(minloc_##kind),            \
        N(maxloc_##kind)                                                                           \
  }

typedef short row[MPJ_REDUCE_OPS];

/* By log2 of the size in bytes, from the least there is. */
static const row signed_rows[] = {INTEGER(8, i), INTEGER(16, i), INTEGER(32, i), INTEGER(64, i)};
static const row unsigned_rows[] = {INTEGER(8, u), INTEGER(16, u), INTEGER(32, u), INTEGER(64, u)};
static const row real_rows[] = {REAL(32), REAL(64), REAL(80)};
static const row complex_rows[] = {COMPLEX(32), COMPLEX(64), COMPLEX(80)};
static const row byte_row = {NONE,     NONE, NONE,      NONE, NONE, N(band_8), NONE,
                             N(bor_8), NONE, N(bxor_8), NONE, NONE, NONE};
static const row bool_row = {NONE, NONE,      NONE, NONE, N(land_8), NONE, N(lor_8),
                             NONE, N(lxor_8), NONE, NONE, NONE,      NONE};

/* By log2 of the size in bytes, from the least there is. */
static const row real_pairs[] = {PAIR(f32), PAIR(f64), PAIR(f80)};
static const row signed_pairs[] = {PAIR(i32), PAIR(i64)};
static const row short_pair = PAIR(i16);

/* Types that are for storage. */
static const row no_row = {NONE, NONE, NONE, NONE, NONE, NONE, NONE,
                           NONE, NONE, NONE, NONE, NONE, NONE};

static const short *row_of(const struct mpj_basic *b)
{
  int log2_size = __builtin_ctz((unsigned)b->size);
  switch (b->class) {
  case MPJ_CLASS_SIGNED:
    return signed_rows[log2_size];
  case MPJ_CLASS_UNSIGNED:
    return unsigned_rows[log2_size];
  case MPJ_CLASS_REAL: /* half precision has none */
    return log2_size < 2 ? no_row : real_rows[log2_size - 2];
  case MPJ_CLASS_COMPLEX:
    return complex_rows[log2_size - 3];
  case MPJ_CLASS_BOOL:
    return bool_row;
  case MPJ_CLASS_BYTE:
    return byte_row;
  case MPJ_CLASS_PAIR_REAL:
    return real_pairs[log2_size - 3];
  case MPJ_CLASS_PAIR_SIGNED:
    return signed_pairs[log2_size - 3];
  case MPJ_CLASS_PAIR_SHORT:
    return short_pair;
  case MPJ_CLASS_BFLOAT:
    break;
  }
  return no_row;
}

int mpj_reduce_number(enum mpj_reduce_op op, int basic)
{
  return row_of(&mpj_basics[basic])[op];
}

mpj_reduce_kernel *const *mpj_reduce_set_of(enum mpj_cpu_level level)
{
#if defined(__x86_64__)
  if (level == MPJ_CPU_AVX512) return mpj_reduce_avx512;
  if (level == MPJ_CPU_AVX2) return mpj_reduce_avx2;
#endif
  (void)level;
  return mpj_reduce_plain;
}

static _Atomic(mpj_reduce_kernel *const *) chosen;

mpj_reduce_kernel *const *mpj_reduce_set(void)
{
  mpj_reduce_kernel *const *set = atomic_load_explicit(&chosen, memory_order_acquire);
  if (set) return set;
  set = mpj_reduce_set_of(mpj_cpu_level());
  atomic_store_explicit(&chosen, set, memory_order_release);
  return set;
}

/* REPLACE, by log2 of the size in bytes. */
#define REPLACE(bytes)                                                                             \
  static void replace_##bytes(const void *in, void *inout, MPJ_Count n)                            \
  {                                                                                                \
    memcpy(inout, in, (size_t)n *(bytes));                                                         \
  }
REPLACE(1)
REPLACE(2)
REPLACE(4)
REPLACE(8)
REPLACE(16)
REPLACE(32)

static mpj_reduce_kernel *const replacements[] = {replace_1, replace_2,  replace_4,
                                                  replace_8, replace_16, replace_32};

mpj_reduce_kernel *mpj_reduce_kernel_of(enum mpj_reduce_op op, int basic)
{
  if (op == MPJ_REDUCE_REPLACE)
    return replacements[__builtin_ctz((unsigned)mpj_basics[basic].size)];
  int number = mpj_reduce_number(op, basic);
  return number < 0 ? NULL : mpj_reduce_set()[number];
}
