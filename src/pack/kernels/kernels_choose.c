/* This file chooses the set of kernels. */
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
