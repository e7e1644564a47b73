/* This header declares series: the caller's arrays of lengths or displacements,
 * read without a copy as what they mean. Borrowed, for as long as a constructor
 * runs. Results that would not fit 64 bits wrap: the caller has checked. */
#ifndef MPJ_SRC_TYPES_SEQUENCE_SERIES_H
#define MPJ_SRC_TYPES_SEQUENCE_SERIES_H

#include <stddef.h>

#include <mpj/base.h>

/* A list of blocks with few merged or dropped: block `at` is blocks up to `source`
 * of the caller's in one, of this length at this displacement (as they mean), and
 * the blocks that follow are those that follow there, up to the next patch. */
struct mpj_patch {
  MPJ_Count at, source, len;
  MPJ_Aint displ;
};

/* Value i is raw(i) * scale - origin, where raw(i) is values[i], or else
 * table[numbers[i]], or else constant; with patches, raw's i is counted by them,
 * and at a patch itself stands its length (or displacement) - origin. */
struct mpj_series {
  MPJ_Count n;
  const MPJ_Count *values; /* [n] or NULL */
  const int *numbers;      /* [n] or NULL: rows of table */
  const MPJ_Count *table;  /* [rows] */
  MPJ_Count rows;
  MPJ_Count constant;
  MPJ_Count scale, origin;
  const struct mpj_patch *patches; /* [npatches], `at` and `source` rising */
  MPJ_Count npatches;
  int of_displs; /* which of a patch's two values */
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

/* The last of the patches with at <= i, or NULL. */
static inline const struct mpj_patch *mpj_series_patch(const struct mpj_series *s, MPJ_Count i)
{
  MPJ_Count low = 0, high = s->npatches;
  while (low < high) {
    MPJ_Count middle = low + (high - low) / 2;
    if (s->patches[middle].at <= i)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &s->patches[low - 1] : NULL;
}

static inline MPJ_Count mpj_series_at_patch(const struct mpj_series *s, const struct mpj_patch *p)
{
  return mpj_wrap_sub(s->of_displs ? p->displ : p->len, s->origin);
}

static inline MPJ_Count mpj_series_at(const struct mpj_series *s, MPJ_Count i)
{
  if (s->npatches > 0) {
    const struct mpj_patch *p = mpj_series_patch(s, i);
    if (p && p->at == i) return mpj_series_at_patch(s, p);
    if (p) i += p->source - p->at;
  }
  MPJ_Count raw = s->values ? s->values[i] : s->numbers ? s->table[s->numbers[i]] : s->constant;
  return mpj_wrap_sub(mpj_wrap_muladd(raw, s->scale, 0), s->origin);
}

/* out[k] := value first + k, for k < n. */
void mpj_series_read(const struct mpj_series *s, MPJ_Count first, MPJ_Count n, MPJ_Count out[]);

#endif
