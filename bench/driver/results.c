/* This file keeps the times and condenses them to medians. */
#include "results.h"

#include <stdlib.h>
#include <string.h>

static struct bench_row *find(struct bench_results *r, const char *name, const char *timing, int p,
                              long bytes)
{
  for (int i = 0; i < r->nrows; i++) {
    struct bench_row *row = &r->rows[i];
    if (row->p == p && row->bytes == bytes && !strcmp(row->name, name) &&
        !strcmp(row->timing, timing))
      return row;
  }
  return NULL;
}

static struct bench_row *new_row(struct bench_results *r, const char *name, const char *timing,
                                 int p, long bytes)
{
  if (r->nrows == r->room) {
    int room = r->room ? 2 * r->room : 64;
    struct bench_row *rows = realloc(r->rows, (size_t)room * sizeof *rows);
    if (!rows) return NULL;
    r->rows = rows;
    r->room = room;
  }
  struct bench_row *row = &r->rows[r->nrows++];
  *row = (struct bench_row){.p = p, .bytes = bytes};
  snprintf(row->name, sizeof row->name, "%s", name);
  snprintf(row->timing, sizeof row->timing, "%s", timing);
  return row;
}

bool bench_results_add(struct bench_results *r, int column, const char *name, const char *timing,
                       int p, long bytes, double us)
{
  struct bench_row *row = find(r, name, timing, p, bytes);
  if (!row) row = new_row(r, name, timing, p, bytes);
  if (!row) return false;
  struct bench_times *t = &row->times[column];
  double *all = realloc(t->us, ((size_t)t->n + 1) * sizeof *all);
  if (!all) return false;
  all[t->n] = us;
  t->us = all;
  t->n++;
  return true;
}

void bench_results_free(struct bench_results *r)
{
  for (int i = 0; i < r->nrows; i++)
    for (int column = 0; column < BENCH_COLUMNS; column++)
      free(r->rows[i].times[column].us);
  free(r->rows);
  *r = (struct bench_results){0};
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

struct bench_summary bench_summarise(const struct bench_times *times)
{
  if (times->n == 0) return (struct bench_summary){0};
  int n = times->n;
  qsort(times->us, (size_t)n, sizeof *times->us, by_value);
  double median = n % 2 ? times->us[n / 2] : (times->us[n / 2 - 1] + times->us[n / 2]) / 2;
  return (struct bench_summary){
      .known = true, .median = median, .least = times->us[0], .most = times->us[n - 1]};
}

double bench_gbs(const struct bench_row *row, double us)
{
  return us > 0 ? (double)(row->p - 1) * (double)row->bytes / us * 1e-3 : 0;
}
