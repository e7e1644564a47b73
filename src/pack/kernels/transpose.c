/* This file chooses the transposition for a unit and this processor. */
#include "pack/kernels/transpose.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/machine/cpu.h"

static const struct mpj_transposes *set_of(enum mpj_cpu_level level)
{
#if defined(__x86_64__)
  if (level == MPJ_CPU_AVX512) return &mpj_transposes_avx512;
  if (level == MPJ_CPU_AVX2) return &mpj_transposes_avx2;
#endif
  (void)level;
  return &mpj_transposes_plain;
}

static const struct mpj_transposes *chosen_set(void)
{
  static _Atomic(const struct mpj_transposes *) chosen;
  const struct mpj_transposes *set = atomic_load_explicit(&chosen, memory_order_acquire);
  if (set) return set;
  set = set_of(mpj_cpu_level());
  atomic_store_explicit(&chosen, set, memory_order_release);
  return set;
}

mpj_transpose_fn *mpj_transpose_of(MPJ_Count unit_bytes)
{
  const struct mpj_transposes *set = chosen_set();
  switch (unit_bytes) {
  case 4:
    return set->of_4;
  case 8:
    return set->of_8;
  case 16:
    return set->of_16;
  default:
    return NULL;
  }
}
