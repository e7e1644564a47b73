/* This header declares what the library asks of the processor. */
#ifndef MPJ_SRC_BASE_CPU_H
#define MPJ_SRC_BASE_CPU_H

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

#endif
