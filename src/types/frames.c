/* This file encodes integers in frames and finds them again. */
#include "types/frames.h"

#include <string.h>

#include "base/memory.h"
#include "types/unpack.h"
#include "types/wide.h"

enum { PADDING = 8, WIDEST = 56 };

static MPJ_Count frames_of(MPJ_Count n)
{
  return (n + MPJ_FRAME - 1) / MPJ_FRAME;
}

static MPJ_Count least(MPJ_Count a, MPJ_Count b)
{
  return a < b ? a : b;
}

static unsigned width_of(uint64_t range)
{
  unsigned width = range ? 64 - (unsigned)__builtin_clzll(range) : 0;
  return width > WIDEST ? 64 : width;
}

/* A line, and the width of what is left around it. */
struct fit {
  int64_t base;
  int32_t slope;
  unsigned width;
};

static inline MPJ_WIDE_BODY struct fit fit_body(const MPJ_Count v[], MPJ_Count n, int32_t slope)
{
  int64_t low = v[0], high = v[0];
  uint64_t step = (uint64_t)(int64_t)slope;
  for (MPJ_Count i = 1; i < n; i++) {
    int64_t r = (int64_t)((uint64_t)v[i] - (uint64_t)i * step);
    low = r < low ? r : low;
    high = r > high ? r : high;
  }
  return (struct fit){low, slope, width_of((uint64_t)high - (uint64_t)low)};
}

MPJ_WIDE static struct fit fit_wide(const MPJ_Count v[], MPJ_Count n, int32_t slope)
{
  return fit_body(v, n, slope);
}

static struct fit fit_slope(const MPJ_Count v[], MPJ_Count n, int32_t slope)
{
  return mpj_wide ? fit_wide(v, n, slope) : fit_body(v, n, slope);
}

/* The slope from the first to the last value, 0 if it is out of range. */
static int32_t end_slope(const MPJ_Count v[], MPJ_Count n)
{
  int64_t rise;
  if (n < 2 || __builtin_sub_overflow(v[n - 1], v[0], &rise)) return 0;
  rise /= n - 1;
  return rise >= INT32_MIN && rise <= INT32_MAX ? (int32_t)rise : 0;
}

static struct fit fit_frame(const MPJ_Count v[], MPJ_Count n)
{
  int32_t slope = end_slope(v, n);
  struct fit best = fit_slope(v, n, slope);
  if (slope != 0) {
    struct fit level = fit_slope(v, n, 0);
    if (level.width <= best.width) return level;
  }
  return best;
}

/* Frame f of values, in units of 2^shift; returns how many. */
static MPJ_Count read_frame(const struct mpj_series *values, unsigned shift, MPJ_Count f,
                            MPJ_Count v[])
{
  MPJ_Count first = f * MPJ_FRAME, n = least(MPJ_FRAME, values->n - first);
  mpj_series_read(values, first, n, v);
  if (shift > 0) {
    for (MPJ_Count i = 0; i < n; i++)
      v[i] >>= shift;
  }
  return n;
}

/* How often all values can be halved: at least as often as scale and origin, so
 * irregular values tell soon. */
static unsigned common_shift(const struct mpj_series *values)
{
  MPJ_Count v[MPJ_FRAME];
  uint64_t all = 0, least_bit = (uint64_t)(values->scale | values->origin);
  least_bit &= ~least_bit + 1;
  for (MPJ_Count f = 0; f < frames_of(values->n) && !(all & least_bit); f++) {
    MPJ_Count n = read_frame(values, 0, f, v);
    for (MPJ_Count i = 0; i < n; i++)
      all |= (uint64_t)v[i];
  }
  return all ? (unsigned)__builtin_ctzll(all) : 0;
}

bool mpj_frames_measure(const struct mpj_series *values, struct mpj_frames *out)
{
  MPJ_Count v[MPJ_FRAME], n = values->n, count = frames_of(n), last = n - (count - 1) * MPJ_FRAME;
  struct mpj_frame *heads = mpj_alloc_array((size_t)count + 1, sizeof *heads);
  unsigned shift = common_shift(values);
  uint64_t at = 0;
  if (!heads) return false;
  for (MPJ_Count f = 0; f < count; f++) {
    struct fit fit = fit_frame(v, read_frame(values, shift, f, v));
    heads[f] = (struct mpj_frame){fit.base, fit.slope, (uint32_t)at};
    at += fit.width;
    if (at > UINT32_MAX) {
      mpj_free(heads);
      return false;
    }
  }
  heads[count].at = (uint32_t)at;
  uint64_t spare = (uint64_t)(MPJ_FRAME - last) * (at - heads[count - 1].at) / 8;
  *out = (struct mpj_frames){n, shift, heads, NULL, (size_t)(at * 16 - spare) + PADDING};
  return true;
}

/* Append n residuals of `width` bits at p, which may be written 8 bytes ahead. */
static void write_fields(unsigned char *p, const struct mpj_frame *head, unsigned width,
                         const MPJ_Count v[], MPJ_Count n)
{
  uint64_t pending = 0, line = (uint64_t)head->base, step = (uint64_t)(int64_t)head->slope;
  unsigned fill = 0; /* bits pending, below 8 between fields */
  for (MPJ_Count i = 0; i < n; i++, line += step) {
    uint64_t field = (uint64_t)v[i] - line;
    if (width == 64) {
      memcpy(p, &field, sizeof field);
      p += sizeof field;
      continue;
    }
    pending |= field << fill;
    memcpy(p, &pending, sizeof pending);
    fill += width;
    p += fill / 8;
    pending >>= fill / 8 * 8;
    fill %= 8;
  }
}

bool mpj_frames_fill(const struct mpj_series *values, struct mpj_frames *frames)
{
  MPJ_Count v[MPJ_FRAME];
  frames->bits = mpj_alloc(frames->nbytes);
  if (!frames->bits) return false;
  memset(frames->bits + frames->nbytes - PADDING, 0, PADDING);
  for (MPJ_Count f = 0; f < frames_of(frames->n); f++) {
    const struct mpj_frame *head = &frames->heads[f];
    MPJ_Count n = read_frame(values, frames->shift, f, v);
    write_fields(frames->bits + (size_t)head->at * 16, head, head[1].at - head->at, v, n);
  }
  return true;
}

void mpj_frames_free(struct mpj_frames *frames)
{
  mpj_free(frames->heads);
  mpj_free(frames->bits);
}

size_t mpj_frames_bytes(const struct mpj_frames *frames)
{
  return ((size_t)frames_of(frames->n) + 1) * sizeof(struct mpj_frame) + frames->nbytes;
}

static struct mpj_fields fields_of(const struct mpj_frames *frames, MPJ_Count f)
{
  const struct mpj_frame *head = &frames->heads[f];
  return (struct mpj_fields){frames->bits + (size_t)head->at * 16,
                             frames->bits + frames->nbytes,
                             head[1].at - head->at,
                             frames->shift,
                             (uint64_t)head->base,
                             (uint64_t)(int64_t)head->slope};
}

MPJ_Count mpj_frames_at(const struct mpj_frames *frames, MPJ_Count i)
{
  struct mpj_fields fields = fields_of(frames, i / MPJ_FRAME);
  return mpj_field_value(&fields, (uint64_t)(i % MPJ_FRAME));
}

void mpj_frames_read(const struct mpj_frames *frames, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  while (n > 0) {
    struct mpj_fields fields = fields_of(frames, first / MPJ_FRAME);
    MPJ_Count inside = first % MPJ_FRAME, m = least(n, MPJ_FRAME - inside);
    mpj_unpack(&fields, inside, m, out);
    out += m;
    first += m;
    n -= m;
  }
}
