/* This file chooses the set of kernels, and a block's class. */
#include "pack/kernels/kernels_choose.h"

#include <pthread.h>

#include "base/machine/cpu.h"

_Atomic(const struct mpj_kernels *) mpj_kernels_chosen;

#if defined(__x86_64__)
static struct mpj_kernels gathering;
static pthread_once_t gathering_once = PTHREAD_ONCE_INIT;

static void make_gathering(void)
{
  gathering = mpj_kernels_avx512;
  gathering.name = "avx512 with gathers";
  gathering.pack.indexed[MPJ_BLOCK_4] = mpj_pack_gather_4;
  gathering.pack.indexed[MPJ_BLOCK_8] = mpj_pack_gather_8;
}

static const struct mpj_kernels *gathering_set(void)
{
  pthread_once(&gathering_once, make_gathering);
  return &gathering;
}
#endif

static const struct mpj_kernels *set_of(enum mpj_cpu_level level)
{
#if defined(__x86_64__)
  if (level == MPJ_CPU_AVX512) return mpj_cpu_gathers() ? gathering_set() : &mpj_kernels_avx512;
  if (level == MPJ_CPU_AVX2) return &mpj_kernels_avx2;
#endif
  (void)level;
  return &mpj_kernels_plain;
}

const struct mpj_kernels *mpj_kernels_choose(void)
{
  const struct mpj_kernels *set = set_of(mpj_cpu_level());
  atomic_store_explicit(&mpj_kernels_chosen, set, memory_order_release);
  return set;
}

int mpj_kernels_sets(const struct mpj_kernels *sets[MPJ_KERNEL_SETS])
{
  int n = 0;
  sets[n++] = &mpj_kernels_plain;
#if defined(__x86_64__)
  if (mpj_cpu_best() >= MPJ_CPU_AVX2) sets[n++] = &mpj_kernels_avx2;
  if (mpj_cpu_best() < MPJ_CPU_AVX512) return n;
  sets[n++] = &mpj_kernels_avx512;
  sets[n++] = gathering_set();
#endif
  return n;
}

/* 3, 7, ... entries of one class. */
#define THREE(c) c, c, c
#define SEVEN(c) THREE(c), c, THREE(c)
#define FIFTEEN(c) SEVEN(c), c, SEVEN(c)
#define SIXTY_THREE(c) FIFTEEN(c), c, FIFTEEN(c), c, FIFTEEN(c), c, FIFTEEN(c)

const unsigned char mpj_block_classes[MPJ_BLOCK_TABLE] = {
    MPJ_BLOCK_TO_4,   MPJ_BLOCK_1,
    MPJ_BLOCK_2,      MPJ_BLOCK_TO_4,
    MPJ_BLOCK_4,      THREE(MPJ_BLOCK_TO_8),
    MPJ_BLOCK_8,      THREE(MPJ_BLOCK_TO_16),
    MPJ_BLOCK_12,     THREE(MPJ_BLOCK_TO_16),
    MPJ_BLOCK_16,     SEVEN(MPJ_BLOCK_TO_32),
    MPJ_BLOCK_24,     SEVEN(MPJ_BLOCK_TO_32),
    MPJ_BLOCK_32,     SEVEN(MPJ_BLOCK_TO_64),
    MPJ_BLOCK_40,     SEVEN(MPJ_BLOCK_TO_64),
    MPJ_BLOCK_48,     FIFTEEN(MPJ_BLOCK_TO_64),
    MPJ_BLOCK_64,     SIXTY_THREE(MPJ_BLOCK_TO_128),
    MPJ_BLOCK_TO_128, SIXTY_THREE(MPJ_BLOCK_TO_256),
    MPJ_BLOCK_TO_256, SIXTY_THREE(MPJ_BLOCK_TO_256),
    MPJ_BLOCK_TO_256};
