/* This file reads stretches of series. */
#include "types/sequence/series.h"

#include "types/sequence/widths.h"

enum { WIDE_PAYS = 16 };

/* The caller's own values. A shift is a product that all vectors have. Returns n. */
static inline MPJ_WIDE_BODY MPJ_Count read_many_body(const struct mpj_series *s, MPJ_Count first,
                                                     MPJ_Count n, MPJ_Count out[])
{
  const uint64_t scale = (uint64_t)s->scale, minus = (uint64_t)mpj_wrap_sub(0, s->origin);
  if (s->values && scale != 0 && (scale & (scale - 1)) == 0) {
    const int shift = __builtin_ctzll(scale);
    for (MPJ_Count k = 0; k < n; k++)
      out[k] = (MPJ_Count)(((uint64_t)s->values[first + k] << shift) + minus);
  } else if (s->values) {
    for (MPJ_Count k = 0; k < n; k++)
      out[k] = (MPJ_Count)((uint64_t)s->values[first + k] * scale + minus);
  } else if (s->numbers) {
    for (MPJ_Count k = 0; k < n; k++)
      out[k] = (MPJ_Count)((uint64_t)s->table[s->numbers[first + k]] * scale + minus);
  } else {
    const MPJ_Count value = (MPJ_Count)((uint64_t)s->constant * scale + minus);
    for (MPJ_Count k = 0; k < n; k++)
      out[k] = value;
  }
  return n;
}

MPJ_IN_WIDTHS(MPJ_Count, read_many,
              (const struct mpj_series *s, MPJ_Count first, MPJ_Count n, MPJ_Count out[]),
              (s, first, n, out))

static void read_raw(const struct mpj_series *s, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  if (n >= WIDE_PAYS)
    read_many(s, first, n, out);
  else
    read_many_body(s, first, n, out);
}

static void read_patched(const struct mpj_series *s, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  const struct mpj_patch *p = mpj_series_patch(s, first), *end = s->patches + s->npatches;
  const struct mpj_patch *next = p ? p + 1 : s->patches;
  while (n > 0) {
    if (p && p->at == first) {
      *out++ = mpj_series_at_patch(s, p);
      first++;
      n--;
    }
    MPJ_Count m = next < end && next->at - first < n ? next->at - first : n;
    read_raw(s, p ? first - p->at + p->source : first, m, out);
    out += m;
    first += m;
    n -= m;
    p = next++;
  }
}

void mpj_series_read(const struct mpj_series *s, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  if (s->npatches > 0)
    read_patched(s, first, n, out);
  else
    read_raw(s, first, n, out);
}
