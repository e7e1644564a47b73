/* This file keeps the times and condenses them to medians. */
#include "results.h"

#include <math.h>
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

bool bench_results_add(struct bench_results *r, int column, int round, const char *name,
                       const char *timing, int p, long bytes, double us)
{
  struct bench_row *row = find(r, name, timing, p, bytes);
  if (!row) row = new_row(r, name, timing, p, bytes);
  if (!row) return false;
  struct bench_times *t = &row->times[column];
  struct bench_time *all = realloc(t->at, ((size_t)t->n + 1) * sizeof *all);
  if (!all) return false;
  all[t->n] = (struct bench_time){round, us};
  t->at = all;
  t->n++;
  return true;
}

void bench_results_free(struct bench_results *r)
{
  for (int i = 0; i < r->nrows; i++)
    for (int column = 0; column < BENCH_COLUMNS; column++)
      free(r->rows[i].times[column].at);
  free(r->rows);
  *r = (struct bench_results){0};
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The times of all rounds or, with `over`, their ratios to its times, from the least to the most,
 * *n of them; NULL if there are none, or no memory. */
static double *sorted(const struct bench_times *of, const struct bench_times *over, int *n)
{
  double *x = of->n ? malloc((size_t)of->n * sizeof *x) : NULL;
  *n = 0;
  if (!x) return NULL;
  for (int i = 0, j = 0; i < of->n; i++) {
    while (over && j < over->n && over->at[j].round < of->at[i].round)
      j++;
    if (!over)
      x[(*n)++] = of->at[i].us;
    else if (j < over->n && over->at[j].round == of->at[i].round)
      x[(*n)++] = of->at[i].us / over->at[j].us;
  }
  qsort(x, (size_t)*n, sizeof *x, by_value);
  return x;
}

static double middle(const double x[], int n)
{
  return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

struct bench_summary bench_summarise(const struct bench_times *times)
{
  struct bench_summary s = {0};
  int n;
  double *x = sorted(times, NULL, &n);
  if (n > 0)
    s = (struct bench_summary){
        .known = true, .median = middle(x, n), .least = x[0], .most = x[n - 1]};
  free(x);
  return s;
}

/* How many of n ratios lie outside the interval at each end: k, the most for which at most k of n
 * throws of a coin are heads with a probability of at most 2.5 %; -1: none will do. */
static int left_out(int n)
{
  double term = pow(0.5, n), sum = 0;
  int k = 0;
  while (k < n && sum + term <= 0.025) {
    sum += term;
    term *= (double)(n - k) / (k + 1);
    k++;
  }
  return k - 1;
}

struct bench_ratio bench_compare(const struct bench_times *mpj, const struct bench_times *peer)
{
  struct bench_ratio r = {0};
  int n;
  double *x = sorted(peer, mpj, &n);
  if (n > 0) {
    const int out = left_out(n);
    r = (struct bench_ratio){.known = true, .median = middle(x, n), .bounded = out >= 0};
    r.low = r.bounded ? x[out] : 0;
    r.high = r.bounded ? x[n - 1 - out] : 0;
  }
  free(x);
  return r;
}

double bench_gbs(const struct bench_row *row, double us)
{
  return us > 0 ? (double)(row->p - 1) * (double)row->bytes / us * 1e-3 : 0;
}
