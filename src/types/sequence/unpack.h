/* This header declares the kernel that decodes bit fields around a line. */
#ifndef MPJ_SRC_TYPES_SEQUENCE_UNPACK_H
#define MPJ_SRC_TYPES_SEQUENCE_UNPACK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <mpj/base.h>

struct mpj_fields {
  const unsigned char *bits; /* field 0 starts here */
  const unsigned char *end;  /* readable up to here: 8 bytes or more beyond the last field */
  unsigned width;            /* bits of a field: 0 to 56, or 64 */
  unsigned shift;
  uint64_t base, slope;
};

static inline uint64_t mpj_field(const struct mpj_fields *f, uint64_t i)
{
  if (f->width == 0) return 0;
  uint64_t word, bit = i * f->width;
  memcpy(&word, f->bits + bit / 8, sizeof word);
  word >>= bit % 8;
  return f->width < 64 ? word & ((UINT64_C(1) << f->width) - 1) : word;
}

/* Value i: (base + i * slope + field i) << shift, modulo 2^64. */
static inline MPJ_Count mpj_field_value(const struct mpj_fields *f, uint64_t i)
{
  return (MPJ_Count)((f->base + i * f->slope + mpj_field(f, i)) << f->shift);
}

/* out[k] := value first + k, k < n, by the best kernel of this processor. */
void mpj_unpack(const struct mpj_fields *f, MPJ_Count first, MPJ_Count n, MPJ_Count out[]);

/* out[k] := value first + k less `from`, a multiple of 2^shift, k < n, for fields of at most
 * MPJ_NEAR_WIDTH bits, where all of these fit 32 bits. Up to MPJ_NEAR_SPARE values behind
 * out[n] are overwritten. */
enum { MPJ_NEAR_WIDTH = 25, MPJ_NEAR_SPARE = 16 };
void mpj_unpack_near(const struct mpj_fields *f, MPJ_Count first, MPJ_Count n, MPJ_Count from,
                     int32_t out[]);

/* Kernels by number: 0 plain C; then those this processor has; and with them loops of such a width
 * (widths.h). For tests. */
int mpj_unpack_kernels(void);
void mpj_unpack_use(int kernel);

#endif
