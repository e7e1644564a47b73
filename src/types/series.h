/* This header declares series: the caller's arrays of lengths or displacements,
 * read without a copy as what they mean. Borrowed, for as long as a constructor
 * runs. Results that would not fit 64 bits wrap: the caller has checked. */
#ifndef MPJ_SRC_TYPES_SERIES_H
#define MPJ_SRC_TYPES_SERIES_H

#include <mpj/base.h>

/* Value i is raw(i) * scale - origin, where raw(i) is values[i], or else
 * table[numbers[i]], or else constant. */
struct mpj_series {
  MPJ_Count n;
  const MPJ_Count *values; /* [n] or NULL */
  const int *numbers;      /* [n] or NULL: rows of table */
  const MPJ_Count *table;  /* [rows] */
  MPJ_Count rows;
  MPJ_Count constant;
  MPJ_Count scale, origin;
};

static inline struct mpj_series mpj_series_of(MPJ_Count n, const MPJ_Count values[],
                                              MPJ_Count scale)
{
  return (struct mpj_series){.n = n, .values = values, .scale = scale};
}

static inline struct mpj_series mpj_series_constant(MPJ_Count n, MPJ_Count constant)
{
  return (struct mpj_series){.n = n, .constant = constant, .scale = 1};
}

/* a * b + c and a - b modulo 2^64. */
static inline MPJ_Count mpj_wrap_muladd(MPJ_Count a, MPJ_Count b, MPJ_Count c)
{
  return (MPJ_Count)((uint64_t)a * (uint64_t)b + (uint64_t)c);
}

static inline MPJ_Count mpj_wrap_sub(MPJ_Count a, MPJ_Count b)
{
  return (MPJ_Count)((uint64_t)a - (uint64_t)b);
}

/* What row r of the table means. */
static inline MPJ_Count mpj_series_of_row(const struct mpj_series *s, MPJ_Count r)
{
  return mpj_wrap_sub(mpj_wrap_muladd(s->table[r], s->scale, 0), s->origin);
}

static inline MPJ_Count mpj_series_at(const struct mpj_series *s, MPJ_Count i)
{
  MPJ_Count raw = s->values ? s->values[i] : s->numbers ? s->table[s->numbers[i]] : s->constant;
  return mpj_wrap_sub(mpj_wrap_muladd(raw, s->scale, 0), s->origin);
}

/* out[k] := value first + k, for k < n. */
static inline void mpj_series_read(const struct mpj_series *s, MPJ_Count first, MPJ_Count n,
                                   MPJ_Count out[])
{
  MPJ_Count scale = s->scale, minus = mpj_wrap_sub(0, s->origin);
  if (s->values) {
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

#endif
