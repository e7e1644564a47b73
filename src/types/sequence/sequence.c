/* This file reads, compares and counts sequences. */
#include "types/sequence/sequence.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/sequence/sequence_forms.h"

struct mpj_sequence *mpj_sequence_retain(struct mpj_sequence *s)
{
  if (s) mpj_refcount_up(&s->references);
  return s;
}

void mpj_sequence_release(struct mpj_sequence *s)
{
  while (s && mpj_refcount_down(&s->references) == 1) {
    struct mpj_sequence *inner = s->inner;
    if (s->form == MPJ_SEQUENCE_LINES) mpj_free(s->u.lines.all);
    if (s->form == MPJ_SEQUENCE_TABLE) mpj_free(s->u.table.values);
    mpj_free(s);
    s = inner;
  }
}

int mpj_sequence_window(struct mpj_sequence *parent, MPJ_Count first, MPJ_Count n, MPJ_Count origin,
                        struct mpj_sequence **out)
{
  const size_t bytes = mpj_sequence_own_bytes(MPJ_SEQUENCE_WINDOW, n);
  struct mpj_sequence *s = mpj_alloc_array(1, bytes);
  if (!s) return mpj_error(MPJ_ERR_NO_MEM, "window of %zu bytes could not be allocated", bytes);
  if (parent->form == MPJ_SEQUENCE_WINDOW) {
    first += parent->u.window.offset;
    origin = mpj_wrap_muladd(1, origin, parent->u.window.origin);
    parent = parent->inner;
  }
  s->form = MPJ_SEQUENCE_WINDOW;
  atomic_init(&s->references, 1);
  s->n = n;
  s->inner = mpj_sequence_retain(parent);
  s->u.window.offset = first;
  s->u.window.origin = origin;
  *out = s;
  return MPJ_SUCCESS;
}

MPJ_Count mpj_sequence_length(const struct mpj_sequence *s)
{
  return s->n;
}

/* The line that holds value i. */
static const struct mpj_line *line_of(const struct mpj_sequence *s, MPJ_Count i)
{
  const struct mpj_line *all = s->u.lines.all;
  MPJ_Count low = 0, high = s->u.lines.count;
  while (high - low > 1) {
    MPJ_Count middle = low + (high - low) / 2;
    if (all[middle].first <= i)
      low = middle;
    else
      high = middle;
  }
  return &all[low];
}

static MPJ_Count on_line(const struct mpj_line *line, MPJ_Count i)
{
  return mpj_wrap_muladd(i - line->first, line->slope, line->base);
}

MPJ_Count mpj_sequence_at(const struct mpj_sequence *s, MPJ_Count i)
{
  switch (s->form) {
  case MPJ_SEQUENCE_LINE:
    return on_line(&s->u.line, i);
  case MPJ_SEQUENCE_FEW:
    return s->u.few[i];
  case MPJ_SEQUENCE_PERIODS:
    return mpj_wrap_muladd(i / s->u.periods.period, s->u.periods.step,
                           mpj_sequence_at(s->inner, i % s->u.periods.period));
  case MPJ_SEQUENCE_LINES:
    return on_line(line_of(s, i), i);
  case MPJ_SEQUENCE_FRAMES:
    return mpj_frames_at(&s->u.frames, i);
  case MPJ_SEQUENCE_TABLE:
    return s->u.table.values[mpj_sequence_at(s->inner, i)];
  case MPJ_SEQUENCE_WINDOW:
    break;
  }
  return mpj_wrap_sub(mpj_sequence_at(s->inner, s->u.window.offset + i), s->u.window.origin);
}

MPJ_Count mpj_sequence_row(const struct mpj_sequence *s, MPJ_Count i, MPJ_Count *base,
                           MPJ_Count *slope)
{
  const struct mpj_sequence *of = s->form == MPJ_SEQUENCE_WINDOW ? s->inner : s;
  const struct mpj_line *line = &of->u.line;
  const MPJ_Count at = of == s ? i : s->u.window.offset + i;
  MPJ_Count end = of->n;
  if (of->form != MPJ_SEQUENCE_LINE && of->form != MPJ_SEQUENCE_LINES) return 1;
  if (of->form == MPJ_SEQUENCE_LINES) {
    line = line_of(of, at);
    if (line + 1 < of->u.lines.all + of->u.lines.count) end = line[1].first;
  }
  *base = mpj_sequence_at(s, i);
  *slope = line->slope;
  return end - at < s->n - i ? end - at : s->n - i;
}

static void read_line(const struct mpj_line *line, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  MPJ_Count start = on_line(line, first);
  for (MPJ_Count k = 0; k < n; k++)
    out[k] = mpj_wrap_muladd(k, line->slope, start);
}

static void read_lines(const struct mpj_sequence *s, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  const struct mpj_line *line = line_of(s, first), *end = s->u.lines.all + s->u.lines.count;
  while (n > 0) {
    MPJ_Count stop = line + 1 < end ? line[1].first : s->n;
    MPJ_Count m = stop - first < n ? stop - first : n;
    read_line(line++, first, m, out);
    first += m;
    out += m;
    n -= m;
  }
}

static void read_periods(const struct mpj_sequence *s, MPJ_Count first, MPJ_Count n,
                         MPJ_Count out[])
{
  MPJ_Count period = s->u.periods.period, inside = first % period;
  MPJ_Count above = mpj_wrap_muladd(first / period, s->u.periods.step, 0);
  while (n > 0) {
    MPJ_Count m = period - inside < n ? period - inside : n;
    mpj_sequence_read(s->inner, inside, m, out);
    for (MPJ_Count k = 0; k < m; k++)
      out[k] = mpj_wrap_muladd(1, out[k], above);
    above = mpj_wrap_muladd(1, above, s->u.periods.step);
    inside = 0;
    out += m;
    n -= m;
  }
}

static void read_window(const struct mpj_sequence *s, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  mpj_sequence_read(s->inner, s->u.window.offset + first, n, out);
  for (MPJ_Count k = 0; k < n; k++)
    out[k] = mpj_wrap_sub(out[k], s->u.window.origin);
}

void mpj_sequence_read(const struct mpj_sequence *s, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  switch (s->form) {
  case MPJ_SEQUENCE_LINE:
    read_line(&s->u.line, first, n, out);
    break;
  case MPJ_SEQUENCE_FEW:
    memcpy(out, s->u.few + first, (size_t)n * sizeof out[0]);
    break;
  case MPJ_SEQUENCE_PERIODS:
    read_periods(s, first, n, out);
    break;
  case MPJ_SEQUENCE_LINES:
    read_lines(s, first, n, out);
    break;
  case MPJ_SEQUENCE_FRAMES:
    mpj_frames_read(&s->u.frames, first, n, out);
    break;
  case MPJ_SEQUENCE_TABLE:
    mpj_sequence_read(s->inner, first, n, out);
    for (MPJ_Count k = 0; k < n; k++)
      out[k] = s->u.table.values[out[k]];
    break;
  case MPJ_SEQUENCE_WINDOW:
    read_window(s, first, n, out);
    break;
  }
}

/* By reading them. */
static bool narrow(const struct mpj_sequence *s, MPJ_Count first, MPJ_Count n, MPJ_Count *origin,
                   int32_t out[], MPJ_Count *most)
{
  MPJ_Count values[MPJ_NEAR_MOST];
  MPJ_Count least, largest;
  uint64_t range;
  mpj_sequence_read(s, first, n, values);
  least = largest = values[0];
  for (MPJ_Count k = 1; k < n; k++) {
    least = values[k] < least ? values[k] : least;
    largest = values[k] > largest ? values[k] : largest;
  }
  range = (uint64_t)largest - (uint64_t)least;
  for (MPJ_Count k = 0; k < n; k++)
    out[k] = (int32_t)((uint64_t)values[k] - (uint64_t)least);
  *origin = least;
  *most = (MPJ_Count)range;
  return range < UINT64_C(1) << 30;
}

bool mpj_sequence_near(const struct mpj_sequence *s, MPJ_Count first, MPJ_Count n,
                       MPJ_Count *origin, int32_t out[], MPJ_Count *most)
{
  const struct mpj_sequence *of = s->form == MPJ_SEQUENCE_WINDOW ? s->inner : s;
  const MPJ_Count at = of == s ? first : s->u.window.offset + first;
  if (of->form != MPJ_SEQUENCE_FRAMES || !mpj_frames_near(&of->u.frames, at, n, origin, out, most))
    return narrow(s, first, n, origin, out, most);
  if (of != s) *origin = mpj_wrap_sub(*origin, s->u.window.origin);
  return true;
}

MPJ_Count mpj_sequence_find(const struct mpj_sequence *s, MPJ_Count value)
{
  MPJ_Count low = 0, high = s->n;
  while (high - low > 1) {
    MPJ_Count middle = low + (high - low) / 2;
    if (mpj_sequence_at(s, middle) <= value)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static bool equal_frames(const struct mpj_frames *a, const struct mpj_frames *b)
{
  size_t heads = mpj_frames_bytes(a) - a->nbytes;
  return a->shift == b->shift && a->level == b->level && a->nbytes == b->nbytes &&
         memcmp(a->heads, b->heads, heads) == 0 && memcmp(a->bits, b->bits, a->nbytes) == 0;
}

static bool equal_lines(const struct mpj_sequence *a, const struct mpj_sequence *b)
{
  MPJ_Count count = a->u.lines.count;
  return count == b->u.lines.count &&
         memcmp(a->u.lines.all, b->u.lines.all, (size_t)count * sizeof(struct mpj_line)) == 0;
}

static bool equal_tables(const struct mpj_sequence *a, const struct mpj_sequence *b)
{
  MPJ_Count rows = a->u.table.rows;
  return rows == b->u.table.rows && memcmp(a->u.table.values, b->u.table.values,
                                           (size_t)rows * sizeof a->u.table.values[0]) == 0;
}

static bool equal_here(const struct mpj_sequence *a, const struct mpj_sequence *b)
{
  switch (a->form) {
  case MPJ_SEQUENCE_LINE:
    return a->u.line.base == b->u.line.base && a->u.line.slope == b->u.line.slope;
  case MPJ_SEQUENCE_FEW:
    return memcmp(a->u.few, b->u.few, (size_t)a->n * sizeof a->u.few[0]) == 0;
  case MPJ_SEQUENCE_PERIODS:
    return a->u.periods.period == b->u.periods.period && a->u.periods.step == b->u.periods.step;
  case MPJ_SEQUENCE_LINES:
    return equal_lines(a, b);
  case MPJ_SEQUENCE_FRAMES:
    return equal_frames(&a->u.frames, &b->u.frames);
  case MPJ_SEQUENCE_TABLE:
    return equal_tables(a, b);
  case MPJ_SEQUENCE_WINDOW:
    break;
  }
  return a->u.window.offset == b->u.window.offset && a->u.window.origin == b->u.window.origin;
}

bool mpj_sequence_equal(const struct mpj_sequence *a, const struct mpj_sequence *b)
{
  for (; a != b; a = a->inner, b = b->inner) {
    if (!a || !b || a->form != b->form || a->n != b->n || !equal_here(a, b)) return false;
  }
  return true;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ (hash >> 32);
}

/* Four chains at once, or the multiplications would wait for one another. */
static uint64_t mix_bytes(uint64_t hash, const void *bytes, size_t n)
{
  const unsigned char *p = bytes;
  uint64_t chain[4] = {hash, hash + 1, hash + 2, hash + 3}, word[4];
  for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
    memcpy(word, p, sizeof word);
    for (int k = 0; k < 4; k++)
      chain[k] = mix(chain[k], word[k]);
  }
  memset(word, 0, sizeof word);
  memcpy(word, p, n);
  for (int k = 0; k < 4; k++)
    hash = mix(mix(hash, word[k]), chain[k]);
  return hash;
}

static uint64_t hash_here(const struct mpj_sequence *s, uint64_t hash)
{
  const struct mpj_frames *f = &s->u.frames;
  switch (s->form) {
  case MPJ_SEQUENCE_LINE:
    return mix(mix(hash, (uint64_t)s->u.line.base), (uint64_t)s->u.line.slope);
  case MPJ_SEQUENCE_FEW:
    for (MPJ_Count i = 0; i < s->n; i++)
      hash = mix(hash, (uint64_t)s->u.few[i]);
    return hash;
  case MPJ_SEQUENCE_PERIODS:
    return mix(mix(hash, (uint64_t)s->u.periods.period), (uint64_t)s->u.periods.step);
  case MPJ_SEQUENCE_LINES:
    return mix_bytes(hash, s->u.lines.all, (size_t)s->u.lines.count * sizeof(struct mpj_line));
  case MPJ_SEQUENCE_FRAMES:
    hash = mix_bytes(mix(hash, f->shift), f->heads, mpj_frames_bytes(f) - f->nbytes);
    return mix_bytes(hash, f->bits, f->nbytes);
  case MPJ_SEQUENCE_TABLE:
    return mix_bytes(hash, s->u.table.values, (size_t)s->u.table.rows * sizeof(MPJ_Count));
  case MPJ_SEQUENCE_WINDOW:
    break;
  }
  return mix(mix(hash, (uint64_t)s->u.window.offset), (uint64_t)s->u.window.origin);
}

uint64_t mpj_sequence_hash(const struct mpj_sequence *s)
{
  uint64_t hash = 0;
  for (; s; s = s->inner)
    hash = hash_here(s, mix(mix(hash, (uint64_t)s->form), (uint64_t)s->n));
  return hash;
}

size_t mpj_sequence_bytes(const struct mpj_sequence *s)
{
  size_t bytes = mpj_sequence_own_bytes(s->form, s->n);
  if (s->form == MPJ_SEQUENCE_LINES) bytes += (size_t)s->u.lines.count * sizeof(struct mpj_line);
  if (s->form == MPJ_SEQUENCE_FRAMES) bytes += mpj_frames_bytes(&s->u.frames);
  if (s->form == MPJ_SEQUENCE_TABLE) bytes += (size_t)s->u.table.rows * sizeof(MPJ_Count);
  return bytes;
}

const struct mpj_sequence *mpj_sequence_inner(const struct mpj_sequence *s)
{
  return s->inner;
}
