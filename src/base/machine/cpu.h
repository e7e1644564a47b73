/* This header declares what the library asks of the processor. */
#ifndef MPJ_SRC_BASE_MACHINE_CPU_H
#define MPJ_SRC_BASE_MACHINE_CPU_H

#include <stdbool.h>

/* What kernels may use. Each level includes those before it. */
enum mpj_cpu_level {
  MPJ_CPU_PORTABLE, /* what the compiler's target has */
  MPJ_CPU_AVX2,     /* AVX2, BMI2 */
  MPJ_CPU_AVX512    /* AVX-512 F, BW, DQ, VL and VBMI: Ice Lake, Zen 4 and later */
};

/* The best level of this processor, as far as the operating system lets it be
 * used; PORTABLE on any other than x86-64. Threads: any. */
enum mpj_cpu_level mpj_cpu_best(void);

/* The level in use: the best, or the one that MPJ_CPU names. A level that the
 * processor lacks is a warning, and the best is used. Threads: any. */
enum mpj_cpu_level mpj_cpu_level(void);

/* Whether gathers beat single loads here. Measured on Sapphire Rapids, sorted
 * indices of 4 and 8 bytes: 22 and 42 GB/s against 7.5 and 23; on Zen 4 they gain
 * nothing (16.7 against 17.8). Threads: any. */
bool mpj_cpu_gathers(void);

#endif
