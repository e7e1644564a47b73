/* This file reads stretches of series. */
#include "types/series.h"

#include <stdbool.h>

/* The caller's own values. */
static void read_raw(const struct mpj_series *s, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  MPJ_Count scale = s->scale, minus = mpj_wrap_sub(0, s->origin);
  bool power = scale > 0 && (scale & (scale - 1)) == 0;
  if (s->values && power) { /* shifts go two at a time where products do not */
    int shift = __builtin_ctzll((uint64_t)scale);
    for (MPJ_Count k = 0; k < n; k++)
      out[k] = (MPJ_Count)(((uint64_t)s->values[first + k] << shift) + (uint64_t)minus);
  } else if (s->values) {
    for (MPJ_Count k = 0; k < n; k++)
      out[k] = mpj_wrap_muladd(s->values[first + k], scale, minus);
  } else if (s->numbers) {
    for (MPJ_Count k = 0; k < n; k++)
      out[k] = mpj_wrap_muladd(s->table[s->numbers[first + k]], scale, minus);
  } else {
    MPJ_Count value = mpj_wrap_muladd(s->constant, scale, minus);
    for (MPJ_Count k = 0; k < n; k++)
      out[k] = value;
  }
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
