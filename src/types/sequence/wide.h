/* This header declares how a plain loop is compiled twice, for any processor and
 * for those with 512-bit vectors, and chosen by what this one has:
 *
 *   static inline MPJ_WIDE_BODY void sum_body(...) { the loop }
 *   MPJ_WIDE static void sum_wide(...) { sum_body(...); }
 *   static void sum(...) { mpj_wide ? sum_wide(...) : sum_body(...); }
 */
#ifndef MPJ_SRC_TYPES_SEQUENCE_WIDE_H
#define MPJ_SRC_TYPES_SEQUENCE_WIDE_H

#include <stdbool.h>

#define MPJ_WIDE_BODY __attribute__((always_inline))
#if defined(__x86_64__)
#define MPJ_WIDE __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))
#else
#define MPJ_WIDE
#endif

/* Whether this processor has them; set when the library is loaded. */
extern bool mpj_wide;

#endif
