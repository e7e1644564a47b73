/* This header declares how a plain loop is compiled for any processor, and for those with vectors
 * of 256 and of 512 bits, and chosen by what this one has:
 *
 *   static inline MPJ_WIDE_BODY int sum_body(const int v[], int n) { the loop }
 *   MPJ_IN_WIDTHS(int, sum, (const int v[], int n), (v, n))
 *
 * defines sum. Of few values sum_body is as fast. */
#ifndef MPJ_SRC_TYPES_SEQUENCE_WIDTHS_H
#define MPJ_SRC_TYPES_SEQUENCE_WIDTHS_H

enum mpj_width { MPJ_WIDTH_ANY, MPJ_WIDTH_256, MPJ_WIDTH_512 };

#define MPJ_WIDE_BODY __attribute__((always_inline))
#if defined(__x86_64__)
#define MPJ_WIDE_256 __attribute__((target("avx2")))
#define MPJ_WIDE_512 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))
#else
#define MPJ_WIDE_256
#define MPJ_WIDE_512
#endif

#define MPJ_IN_WIDTHS(type, name, parameters, arguments)                                           \
  MPJ_WIDE_256 static type name##_256 parameters                                                   \
  {                                                                                                \
    return name##_body arguments;                                                                  \
  }                                                                                                \
  MPJ_WIDE_512 static type name##_512 parameters                                                   \
  {                                                                                                \
    return name##_body arguments;                                                                  \
  }                                                                                                \
  static type name parameters                                                                      \
  {                                                                                                \
    if (mpj_width == MPJ_WIDTH_512) return name##_512 arguments;                                   \
    return mpj_width == MPJ_WIDTH_256 ? name##_256 arguments : name##_body arguments;              \
  }

/* What this processor has; set when the library is loaded, and then by tests alone. */
extern enum mpj_width mpj_width;

#endif
