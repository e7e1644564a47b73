/* This file holds the reduction kernels for blocks at a stride and at offsets.
 * One element at a time: a store an element bounds them whatever the width of
 * the vectors. Elements are combined in stream order. */
#include "pack/kernels/kernels_choose.h"
#include "pack/reduce/reduce_spread.h"

#include <pthread.h>
#include <stdatomic.h>

#include "pack/reduce/reduce_ops.h"

#define SPREAD(name, op, T, W)                                                                     \
  static inline void name(const char *in, char *inout)                                             \
  {                                                                                                \
    const T *a = (const T *)in;                                                                    \
    T *b = (T *)inout;                                                                             \
    *b = op(T, W, *a, *b);                                                                         \
  }                                                                                                \
  static inline void block_##name(const char *in, char *inout, MPJ_Count bytes)                    \
  {                                                                                                \
    for (MPJ_Count i = 0; i < bytes; i += (MPJ_Count)sizeof(T))                                    \
      name(in + i, inout + i);                                                                     \
  }                                                                                                \
  static void dense_##name(char *mem, char *other, MPJ_Count bytes)                                \
  {                                                                                                \
    mpj_reduce_set()[MPJ_REDUCTION_##name](other, mem, bytes / (MPJ_Count)sizeof(T));              \
  }                                                                                                \
  static void strided_##name(char *mem, MPJ_Aint stride, char *other, MPJ_Aint other_stride,       \
                             MPJ_Count block, MPJ_Count count)                                     \
  {                                                                                                \
    const MPJ_Count size = (MPJ_Count)sizeof(T);                                                   \
    if (block == size && other_stride == size) {                                                   \
      for (; count >= 4; count -= 4, mem += 4 * stride, other += 4 * size) {                       \
        name(other, mem);                                                                          \
        name(other + size, mem + stride);                                                          \
        name(other + 2 * size, mem + 2 * stride);                                                  \
        name(other + 3 * size, mem + 3 * stride);                                                  \
      }                                                                                            \
    }                                                                                              \
    for (; count > 0; count--, mem += stride, other += other_stride)                               \
      block_##name(other, mem, block);                                                             \
  }                                                                                                \
  static void indexed_##name(char *mem, const int32_t offsets[], char *other, MPJ_Count block,     \
                             MPJ_Count count, bool far)                                            \
  {                                                                                                \
    (void)far;                                                                                     \
    if (block == (MPJ_Count)sizeof(T))                                                             \
      for (MPJ_Count i = 0; i < count; i++)                                                        \
        name(other + i * (MPJ_Count)sizeof(T), mem + offsets[i]);                                  \
    else                                                                                           \
      for (MPJ_Count i = 0; i < count; i++)                                                        \
        block_##name(other + i * block, mem + offsets[i], block);                                  \
  }                                                                                                \
  static void varied_##name(char *mem, const MPJ_Aint displs[], const MPJ_Count copies[],          \
                            MPJ_Count unit, char *other, MPJ_Count count)                          \
  {                                                                                                \
    for (MPJ_Count i = 0; i < count; other += copies[i] * unit, i++)                               \
      block_##name(other, mem + displs[i], copies[i] * unit);                                      \
  }
FOR_EACH_REDUCTION(SPREAD)

/* The kernels of a reduction, each for every class of block sizes. */
static const struct kernels {
  __typeof__(((struct mpj_moves *)0)->dense) dense;
  __typeof__(((struct mpj_moves *)0)->varied) varied;
  __typeof__(((struct mpj_moves *)0)->strided[0]) strided;
  __typeof__(((struct mpj_moves *)0)->indexed[0]) indexed;
} kernels[MPJ_REDUCTIONS] = {
#define ENTRY(name, op, T, W)                                                                      \
  [MPJ_REDUCTION_##name] = {dense_##name, varied_##name, strided_##name, indexed_##name},
    FOR_EACH_REDUCTION(ENTRY)};

/* Their moves, made when they are first asked for: all of them are 25 KiB of pointers, which each
 * process would have of its own. */
static struct mpj_moves moves[MPJ_REDUCTIONS];
static _Atomic bool made[MPJ_REDUCTIONS];
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void make(int number)
{
  const struct kernels *k = &kernels[number];
  struct mpj_moves *m = &moves[number];
  pthread_mutex_lock(&making);
  if (!atomic_load_explicit(&made[number], memory_order_relaxed)) {
    *m = (struct mpj_moves){.combines = true, .dense = k->dense, .varied = k->varied};
    for (int i = 0; i < MPJ_BLOCK_CLASSES; i++) {
      m->strided[i] = k->strided;
      m->indexed[i] = k->indexed;
    }
    atomic_store_explicit(&made[number], true, memory_order_release);
  }
  pthread_mutex_unlock(&making);
}

const struct mpj_moves *mpj_reduce_moves(enum mpj_reduce_op op, int basic)
{
  if (op == MPJ_REDUCE_REPLACE) return &mpj_kernels()->unpack;
  const int number = mpj_reduce_number(op, basic);
  if (number < 0) return NULL;
  if (!atomic_load_explicit(&made[number], memory_order_acquire)) make(number);
  return &moves[number];
}
