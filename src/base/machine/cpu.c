/* This file finds out what the processor can do. */
#include "base/machine/cpu.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "base/config/config.h"
#include "base/status.h"

enum mpj_cpu_level mpj_cpu_best(void)
{
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) return MPJ_CPU_PORTABLE;
  bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512vbmi");
  return wide ? MPJ_CPU_AVX512 : MPJ_CPU_AVX2;
#else
  return MPJ_CPU_PORTABLE;
#endif
}

/* MPJ_CPU's words are "auto", then the levels in order. */
enum mpj_cpu_level mpj_cpu_level(void)
{
  static atomic_flag warned = ATOMIC_FLAG_INIT;
  enum mpj_cpu_level best = mpj_cpu_best();
  int word = mpj_config()->cpu;
  if (word == 0) return best;
  if (word - 1 <= (int)best) return (enum mpj_cpu_level)(word - 1);
  if (!atomic_flag_test_and_set(&warned))
    mpj_warn("MPJ_CPU names a level that this processor lacks; using the best it has");
  return best;
}

bool mpj_cpu_gathers(void)
{
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("intel") && mpj_cpu_level() == MPJ_CPU_AVX512;
#else
  return false;
#endif
}
