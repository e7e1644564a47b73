/* This file encodes integers in frames and finds them again. */
#include "types/sequence/frames.h"

#include <string.h>

#include "base/least.h"
#include "base/memory.h"
#include "types/sequence/unpack.h"
#include "types/sequence/widths.h"

enum { PADDING = 8, WIDEST = 56 };

static MPJ_Count frames_of(MPJ_Count n)
{
  return (n + MPJ_FRAME - 1) / MPJ_FRAME;
}

static unsigned width_of(uint64_t range)
{
  unsigned width = range ? 64 - (unsigned)__builtin_clzll(range) : 0;
  return width > WIDEST ? 64 : width;
}

/* A line, and what is left around it: `base` to `high`, in `width` bits. */
struct fit {
  int64_t base, high;
  int32_t slope;
  unsigned width;
};

static inline MPJ_WIDE_BODY struct fit fit_slope_body(const MPJ_Count v[], MPJ_Count n,
                                                      int32_t slope)
{
  int64_t low = v[0], high = v[0];
  uint64_t step = (uint64_t)(int64_t)slope;
  for (MPJ_Count i = 1; i < n; i++) {
    int64_t r = (int64_t)((uint64_t)v[i] - (uint64_t)i * step);
    low = r < low ? r : low;
    high = r > high ? r : high;
  }
  return (struct fit){low, high, slope, width_of((uint64_t)high - (uint64_t)low)};
}

MPJ_IN_WIDTHS(struct fit, fit_slope, (const MPJ_Count v[], MPJ_Count n, int32_t slope),
              (v, n, slope))

/* The slope from the first to the last value, 0 if it is out of range. */
static int32_t end_slope(const MPJ_Count v[], MPJ_Count n)
{
  int64_t rise;
  if (n < 2 || __builtin_sub_overflow(v[n - 1], v[0], &rise)) return 0;
  rise /= n - 1;
  return rise >= INT32_MIN && rise <= INT32_MAX ? (int32_t)rise : 0;
}

/* The better of the two lines; *level is the level one. */
static struct fit fit_frame(const MPJ_Count v[], MPJ_Count n, struct fit *level)
{
  int32_t slope = end_slope(v, n);
  *level = fit_slope(v, n, 0);
  if (slope == 0) return *level;
  struct fit best = fit_slope(v, n, slope);
  return level->width <= best.width ? *level : best;
}

/* Frame f of values, in units of 2^shift; returns how many. */
static MPJ_Count read_frame(const struct mpj_series *values, unsigned shift, MPJ_Count f,
                            MPJ_Count v[])
{
  MPJ_Count first = f * MPJ_FRAME, n = mpj_least(MPJ_FRAME, values->n - first);
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

static size_t heads_of(const struct mpj_frames *frames)
{
  return frames->level ? 2 : (size_t)frames_of(frames->n) + 1;
}

size_t mpj_frames_bytes(const struct mpj_frames *frames)
{
  return heads_of(frames) * sizeof(struct mpj_frame) + frames->nbytes;
}

/* Bytes of the residuals when those of the frames before the last end at `at`. */
static size_t bits_bytes(MPJ_Count n, uint64_t at, unsigned last_width)
{
  MPJ_Count last = n - (frames_of(n) - 1) * MPJ_FRAME;
  return (size_t)(at * 16 + ((uint64_t)last * last_width + 7) / 8) + PADDING;
}

/* Keep one head for all, if that takes less room. */
static void level_heads(struct mpj_frames *frames, int64_t low, int64_t high)
{
  uint64_t whole = (uint64_t)frames_of(frames->n) - 1;
  unsigned width = width_of((uint64_t)high - (uint64_t)low);
  size_t nbytes = bits_bytes(frames->n, whole * width, width);
  if (nbytes + 2 * sizeof(struct mpj_frame) >= mpj_frames_bytes(frames)) return;
  frames->heads[0] = (struct mpj_frame){.base = low};
  frames->heads[1] = (struct mpj_frame){.at = width};
  frames->level = true;
  frames->nbytes = nbytes;
}

bool mpj_frames_measure(const struct mpj_series *values, struct mpj_frames_plan *plan)
{
  MPJ_Count v[MPJ_FRAME], n = values->n, count = frames_of(n);
  struct mpj_frames *out = &plan->frames;
  struct mpj_frame *heads = plan->few;
  struct fit fit = {0}, level;
  int64_t low = INT64_MAX, high = INT64_MIN;
  uint64_t at = 0;
  if (count > MPJ_FRAMES_FEW) heads = mpj_alloc((size_t)(count + 1) * sizeof *heads);
  if (!heads) return false;
  *out = (struct mpj_frames){n, common_shift(values), false, heads, NULL, 0};
  for (MPJ_Count f = 0; f < count; f++) {
    fit = fit_frame(v, read_frame(values, out->shift, f, v), &level);
    heads[f] = (struct mpj_frame){fit.base, fit.slope, (uint32_t)at};
    at += fit.width;
    low = level.base < low ? level.base : low;
    high = level.high > high ? level.high : high;
    if (at > UINT32_MAX) {
      mpj_frames_release(plan);
      return false;
    }
  }
  heads[count] = (struct mpj_frame){.at = (uint32_t)at};
  out->nbytes = bits_bytes(n, at - fit.width, fit.width);
  level_heads(out, low, high);
  return true;
}

void mpj_frames_release(struct mpj_frames_plan *plan)
{
  if (plan->frames.heads != plan->few) mpj_free(plan->frames.heads);
}

/* Where bits go: those that do not fill a byte yet are pending, and have been written, too. */
struct bits {
  unsigned char *p;
  uint64_t pending;
  unsigned fill; /* below 8 */
};

static inline void write_bits(struct bits *b, uint64_t field, unsigned width)
{
  b->pending |= field << b->fill;
  memcpy(b->p, &b->pending, sizeof b->pending);
  b->fill += width;
  b->p += b->fill / 8;
  b->pending >>= b->fill / 8 * 8;
  b->fill %= 8;
}

/* Put the residuals of n values at p, which may be written 8 bytes ahead: as many at once as fit a
 * word, since one that is written waits for the one before. */
static void write_fields(unsigned char *p, const struct mpj_fields *fields, const MPJ_Count v[],
                         MPJ_Count n)
{
  const unsigned width = fields->width;
  const uint64_t base = fields->base, step = fields->slope;
  struct bits bits = {p, 0, 0};
  MPJ_Count i = 0;
  if (width == 64) {
    for (; i < n; i++) {
      const uint64_t field = (uint64_t)v[i] - base - (uint64_t)i * step;
      memcpy(p + 8 * i, &field, sizeof field);
    }
    return;
  }
  for (; width <= WIDEST / 4 && i + 4 <= n; i += 4) {
    const uint64_t line = base + (uint64_t)i * step;
    const uint64_t low = ((uint64_t)v[i] - line) | ((uint64_t)v[i + 1] - line - step) << width;
    const uint64_t high =
        ((uint64_t)v[i + 2] - line - 2 * step) | ((uint64_t)v[i + 3] - line - 3 * step) << width;
    write_bits(&bits, low | high << 2 * width, 4 * width);
  }
  for (; width <= WIDEST / 2 && i + 2 <= n; i += 2) {
    const uint64_t line = base + (uint64_t)i * step;
    write_bits(&bits, ((uint64_t)v[i] - line) | ((uint64_t)v[i + 1] - line - step) << width,
               2 * width);
  }
  for (; i < n; i++)
    write_bits(&bits, (uint64_t)v[i] - base - (uint64_t)i * step, width);
}

/* Where frame f's residuals are. */
static struct mpj_fields fields_of(const struct mpj_frames *frames, MPJ_Count f)
{
  const struct mpj_frame *head = &frames->heads[frames->level ? 0 : f];
  unsigned width = head[1].at - head[0].at;
  size_t at = frames->level ? (size_t)f * width : head->at;
  return (struct mpj_fields){
      frames->bits + at * 16, frames->bits + frames->nbytes, width,
      frames->shift,          (uint64_t)head->base,          (uint64_t)(int64_t)head->slope};
}

void mpj_frames_fill(const struct mpj_series *values, const struct mpj_frames_plan *plan,
                     void *room, struct mpj_frames *out)
{
  MPJ_Count v[MPJ_FRAME];
  const size_t nheads = heads_of(&plan->frames);
  *out = plan->frames;
  out->heads = memcpy(room, plan->frames.heads, nheads * sizeof *out->heads);
  out->bits = (unsigned char *)(out->heads + nheads);
  memset(out->bits + out->nbytes - PADDING, 0, PADDING);
  for (MPJ_Count f = 0; f < frames_of(out->n); f++) {
    struct mpj_fields fields = fields_of(out, f);
    MPJ_Count n = read_frame(values, out->shift, f, v);
    write_fields(out->bits + (fields.bits - out->bits), &fields, v, n);
  }
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
    MPJ_Count inside = first % MPJ_FRAME, m = mpj_least(n, MPJ_FRAME - inside);
    mpj_unpack(&fields, inside, m, out);
    out += m;
    first += m;
    n -= m;
  }
}

/* The first value's line begins at *low, from origin, and no value is over *high; false if they may
 * be far from there. */
static bool near_range(const struct mpj_fields *f, MPJ_Count origin, int64_t *low, int64_t *high)
{
  enum { FAR = 30 }; /* bits: twice that fits 32 */
  const int64_t slope = (int64_t)f->slope, rise = (slope < 0 ? -slope : slope) * MPJ_FRAME;
  if (f->width > MPJ_NEAR_WIDTH || f->shift > FAR) return false;
  if ((rise + (INT64_C(1) << f->width)) >> (FAR - f->shift)) return false;
  *low = mpj_wrap_sub((MPJ_Count)(f->base << f->shift), origin);
  *high = *low + ((rise + (INT64_C(1) << f->width) - 1) << f->shift);
  return *low > -(INT64_C(1) << FAR) && *low < INT64_C(1) << FAR;
}

bool mpj_frames_near(const struct mpj_frames *frames, MPJ_Count first, MPJ_Count n,
                     MPJ_Count *origin, int32_t out[], MPJ_Count *most)
{
  *most = 0;
  for (MPJ_Count done = 0, m; done < n; done += m, first += m) {
    const struct mpj_fields fields = fields_of(frames, first / MPJ_FRAME);
    int64_t low, high;
    if (done == 0) *origin = (MPJ_Count)(fields.base << fields.shift);
    if (!near_range(&fields, *origin, &low, &high)) return false;
    m = mpj_least(n - done, MPJ_FRAME - first % MPJ_FRAME);
    mpj_unpack_near(&fields, first % MPJ_FRAME, m, *origin, out + done);
    if (high > *most) *most = high;
    if (low != 0 && *most == 0) *most = 1;
  }
  return true;
}
