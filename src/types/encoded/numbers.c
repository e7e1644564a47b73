/* This file encodes arrays of numbers in frames. */
#include "types/encoded/numbers.h"

#include <string.h>

enum { HEADER_MAX = 2 + 2 * 10, DIFFERENCES = 0x80, WIDTH = 0x7f };

/* A way to write n residuals: values are base + (residual << shift). */
struct fit {
  int64_t base;
  unsigned shift, width;
};

static unsigned width_of(uint64_t value)
{
  return value == 0 ? 0 : 64 - (unsigned)__builtin_clzll(value);
}

/* The narrowest fit of n >= 1 values. */
static struct fit fit_values(const int64_t values[], size_t n)
{
  int64_t low = values[0], high = values[0];
  uint64_t any = 0;
  for (size_t i = 1; i < n; i++) {
    low = values[i] < low ? values[i] : low;
    high = values[i] > high ? values[i] : high;
    any |= (uint64_t)values[i] - (uint64_t)values[0];
  }
  if (any == 0) return (struct fit){low, 0, 0};
  const unsigned shift = (unsigned)__builtin_ctzll(any);
  return (struct fit){low, shift, width_of(((uint64_t)high - (uint64_t)low) >> shift)};
}

static void store_word(uint8_t *at, uint64_t word)
{
  for (unsigned b = 0; b < 8; b++)
    at[b] = (uint8_t)(word >> (8 * b));
}

static uint64_t load_word(const uint8_t *at)
{
  uint64_t word = 0;
  for (unsigned b = 0; b < 8; b++)
    word |= (uint64_t)at[b] << (8 * b);
  return word;
}

static size_t packed_bytes(size_t n, unsigned width)
{
  return (n * width + 7) / 8;
}

/* Pack into `out`, which has room for 8 bytes more than the residuals take. */
static void pack(const int64_t values[], size_t n, const struct fit *f, uint8_t *out)
{
  uint64_t word = 0;
  unsigned used = 0;
  for (size_t i = 0; i < n; i++) {
    const uint64_t r = ((uint64_t)values[i] - (uint64_t)f->base) >> f->shift;
    word |= r << used;
    used += f->width;
    if (used < 64) continue;
    store_word(out, word);
    out += 8;
    used -= 64;
    word = used == 0 ? 0 : r >> (f->width - used);
  }
  store_word(out, word);
}

/* values[i] := base + (residual i << shift); `in` is readable 8 bytes beyond. */
static void unpack(const uint8_t *in, size_t n, const struct fit *f, int64_t values[])
{
  const uint64_t mask = f->width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << f->width) - 1;
  size_t bit = 0;
  for (size_t i = 0; i < n; i++, bit += f->width) {
    const unsigned offset = bit % 8;
    uint64_t r = load_word(in + bit / 8) >> offset;
    if (offset + f->width > 64) r |= (uint64_t)in[bit / 8 + 8] << (64 - offset);
    values[i] = (int64_t)((uint64_t)f->base + ((r & mask) << f->shift));
  }
}

static void write_residuals(struct mpj_writer *w, const int64_t values[], size_t n,
                            const struct fit *f)
{
  uint8_t *at = mpj_writer_room(w, packed_bytes(n, f->width) + 8);
  if (!at || f->width == 0) return;
  pack(values, n, f, at);
  w->n += packed_bytes(n, f->width);
}

void mpj_write_frame(struct mpj_writer *w, const int64_t values[], size_t n, int64_t *last)
{
  int64_t steps[MPJ_NUMBERS_FRAME];
  for (size_t i = 1; i < n; i++)
    steps[i - 1] = (int64_t)((uint64_t)values[i] - (uint64_t)values[i - 1]);
  const struct fit plain = fit_values(values, n);
  const struct fit stepped = n > 1 ? fit_values(steps, n - 1) : plain;
  const bool differences =
      n > 1 && packed_bytes(n - 1, stepped.width) + 2 < packed_bytes(n, plain.width);
  const struct fit *f = differences ? &stepped : &plain;
  mpj_write_byte(w, (uint8_t)(f->width | (differences ? DIFFERENCES : 0)));
  mpj_write_byte(w, (uint8_t)f->shift);
  if (differences) mpj_write_signed(w, (int64_t)((uint64_t)values[0] - (uint64_t)*last));
  mpj_write_signed(w, f->base);
  write_residuals(w, differences ? steps : values, differences ? n - 1 : n, f);
  *last = values[n - 1];
}

/* steps[n - 1] to values, the first of which is there. */
static void add_up(int64_t values[], const int64_t steps[], size_t n)
{
  for (size_t i = 1; i < n; i++)
    values[i] = (int64_t)((uint64_t)values[i - 1] + (uint64_t)steps[i - 1]);
}

void mpj_read_frame(struct mpj_reader *r, int64_t values[], size_t n, int64_t *last)
{
  int64_t steps[MPJ_NUMBERS_FRAME];
  uint8_t copy[MPJ_NUMBERS_FRAME * 8 + 16];
  const uint8_t head = mpj_read_byte(r), shift = mpj_read_byte(r);
  const bool differences = (head & DIFFERENCES) != 0;
  struct fit f = {0, shift, head & WIDTH};
  if (f.width > 64 || shift > 63) r->failed = true;
  if (differences) values[0] = (int64_t)((uint64_t)*last + (uint64_t)mpj_read_signed(r));
  f.base = mpj_read_signed(r);
  const size_t residuals = differences ? n - 1 : n;
  const size_t bytes = r->failed ? 0 : packed_bytes(residuals, f.width);
  const uint8_t *in = mpj_read_bytes(r, bytes);
  if (!in) {
    memset(values, 0, n * sizeof *values);
    return;
  }
  memcpy(copy, in, bytes);
  memset(copy + bytes, 0, 16);
  unpack(copy, residuals, &f, differences ? steps : values);
  if (differences) add_up(values, steps, n);
  *last = values[n - 1];
}

void mpj_read_numbers(struct mpj_reader *r, int64_t values[], uint64_t n)
{
  int64_t last = 0;
  if (n < MPJ_NUMBERS_FRAMED) {
    for (uint64_t i = 0; i < n; i++)
      values[i] = mpj_read_signed(r);
    return;
  }
  for (uint64_t i = 0; i < n && !r->failed; i += MPJ_NUMBERS_FRAME) {
    const uint64_t left = n - i;
    mpj_read_frame(r, values + i, left < MPJ_NUMBERS_FRAME ? (size_t)left : MPJ_NUMBERS_FRAME,
                   &last);
  }
}

bool mpj_numbers_fit(const struct mpj_reader *r, uint64_t n)
{
  const size_t left = mpj_reader_left(r);
  if (n < MPJ_NUMBERS_FRAMED) return n <= left;
  return (n - 1) / MPJ_NUMBERS_FRAME < left / MPJ_FRAME_BYTES_MIN;
}
