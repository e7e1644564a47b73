/* This file is the example's computation: arithmetic on one element at a time. */
#include "compute.h"

#include <math.h>

enum { STEPS = 12 };

/* Newton's method for y^3 = x: y := y - (y - x / y^2) / 3. Begun at x, or
 * at +-1 where that is larger, y never vanishes. */
static double root_f8(double x)
{
  const double third = 1.0 / 3;
  double y = fabs(x) < 1 ? copysign(1, x) : x;
  for (int i = 0; i < STEPS; i++)
    y -= (y - x / (y * y)) * third;
  return y;
}

static float root_f4(float x)
{
  const float third = 1.0F / 3;
  float y = fabsf(x) < 1 ? copysignf(1, x) : x;
  for (int i = 0; i < STEPS; i++)
    y -= (y - x / (y * y)) * third;
  return y;
}

/* Low bits of the result depend on low bits of x alone, so this serves every
 * narrower type too. */
static uint64_t mix(uint64_t x)
{
  for (int i = 0; i < STEPS; i++)
    x = x * (2 * x + 1) + 1;
  return x;
}

static void compute_f8(double *x, int64_t count)
{
  for (int64_t i = 0; i < count; i++)
    if (isfinite(x[i])) x[i] = root_f8(x[i]);
}

static void compute_f4(float *x, int64_t count)
{
  for (int64_t i = 0; i < count; i++)
    if (isfinite(x[i])) x[i] = root_f4(x[i]);
}

static void compute_u8(uint64_t *x, int64_t count)
{
  for (int64_t i = 0; i < count; i++)
    x[i] = mix(x[i]);
}

static void compute_u4(uint32_t *x, int64_t count)
{
  for (int64_t i = 0; i < count; i++)
    x[i] = (uint32_t)mix(x[i]);
}

static void compute_u1(uint8_t *x, int64_t count)
{
  for (int64_t i = 0; i < count; i++)
    x[i] = (uint8_t)mix(x[i]);
}

void compute(enum npy_type type, void *elements, int64_t count)
{
  switch (type) {
  case NPY_F4:
    compute_f4(elements, count);
    break;
  case NPY_F8:
    compute_f8(elements, count);
    break;
  case NPY_I4:
    compute_u4(elements, count);
    break;
  case NPY_I8:
    compute_u8(elements, count);
    break;
  case NPY_C8:
    compute_f4(elements, 2 * count);
    break;
  case NPY_C16:
    compute_f8(elements, 2 * count);
    break;
  default:
    compute_u1(elements, count);
    break;
  }
}
