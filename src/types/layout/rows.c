/* This file collects the different values of a series in a small hash table. */
#include "types/layout/rows.h"

#include <string.h>

enum { CHUNK = 128, SLOT_BITS = 10 };

/* The slot that holds value, or the free one where it belongs. */
static unsigned slot_of(const struct mpj_rows *rows, MPJ_Count value)
{
  uint64_t hash = (uint64_t)value * UINT64_C(0x9e3779b97f4a7c15);
  unsigned slot = (unsigned)(hash >> (64 - SLOT_BITS));
  while (rows->slots[slot] && rows->met[rows->slots[slot] - 1] != value)
    slot = (slot + 1) % MPJ_ROWS_SLOTS;
  return slot;
}

static bool add(struct mpj_rows *rows, MPJ_Count value)
{
  unsigned slot = slot_of(rows, value);
  if (rows->slots[slot]) return true;
  if (rows->n == rows->limit) return false;
  rows->met[rows->n++] = value;
  rows->slots[slot] = (short)rows->n;
  return true;
}

/* The rows that the series' numbers name. */
static bool add_named(const struct mpj_series *values, struct mpj_rows *rows)
{
  bool named[MPJ_ROWS_MAX] = {false};
  for (MPJ_Count i = 0; i < values->n; i++)
    named[values->numbers[i]] = true;
  for (MPJ_Count r = 0; r < values->rows; r++)
    if (named[r] && !add(rows, mpj_series_of_row(values, r))) return false;
  return true;
}

static bool add_all(const struct mpj_series *values, struct mpj_rows *rows)
{
  MPJ_Count v[CHUNK];
  for (MPJ_Count i = 0; i < values->n; i += CHUNK) {
    MPJ_Count m = values->n - i < CHUNK ? values->n - i : CHUNK;
    mpj_series_read(values, i, m, v);
    for (MPJ_Count k = 0; k < m; k++)
      if (!add(rows, v[k])) return false;
  }
  return true;
}

/* By counting, for each value, the smaller ones. */
void mpj_rows_sort(struct mpj_rows *rows)
{
  for (MPJ_Count i = 0; i < rows->n; i++) {
    short rank = 0;
    for (MPJ_Count j = 0; j < rows->n; j++)
      rank = (short)(rank + (rows->met[j] < rows->met[i]));
    rows->rank[i] = rank;
    rows->sorted[rank] = rows->met[i];
  }
}

bool mpj_rows_collect(const struct mpj_series *values, MPJ_Count limit, struct mpj_rows *rows)
{
  bool numbered = mpj_series_is_numbered(values);
  rows->n = 0;
  rows->limit = limit < MPJ_ROWS_MAX ? limit : MPJ_ROWS_MAX;
  memset(rows->slots, 0, sizeof rows->slots);
  return numbered ? add_named(values, rows) : add_all(values, rows);
}

MPJ_Count mpj_rows_find(const struct mpj_rows *rows, MPJ_Count value)
{
  short at = rows->slots[slot_of(rows, value)];
  return at ? rows->rank[at - 1] : 0;
}
