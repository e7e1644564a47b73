/* This header declares the collection of the different values of a series. */
#ifndef MPJ_SRC_TYPES_LAYOUT_ROWS_H
#define MPJ_SRC_TYPES_LAYOUT_ROWS_H

#include <stdbool.h>

#include "types/sequence/series.h"

enum { MPJ_ROWS_MAX = 256, MPJ_ROWS_SLOTS = 1024 };

/* Whether the values are rows of a table that is small enough, and no others. */
static inline bool mpj_series_is_numbered(const struct mpj_series *values)
{
  return values->numbers && values->rows <= MPJ_ROWS_MAX && values->npatches == 0;
}

struct mpj_rows {
  MPJ_Count n, limit;
  MPJ_Count met[MPJ_ROWS_MAX];    /* [n], in order of appearance */
  MPJ_Count sorted[MPJ_ROWS_MAX]; /* [n], rising: once sorted, as is */
  short rank[MPJ_ROWS_MAX];       /* [n]: of met[i] in sorted */
  short slots[MPJ_ROWS_SLOTS];    /* hash table of 1 + indices into met; 0: free */
};

/* Collect the different values; false if there are more than limit, at most
 * MPJ_ROWS_MAX. */
bool mpj_rows_collect(const struct mpj_series *values, MPJ_Count limit, struct mpj_rows *rows);

/* Sort what was collected. O(n^2), n at most MPJ_ROWS_MAX. */
void mpj_rows_sort(struct mpj_rows *rows);

/* The rank of a value among the sorted ones; 0 if it is none of them. */
MPJ_Count mpj_rows_find(const struct mpj_rows *rows, MPJ_Count value);

#endif
