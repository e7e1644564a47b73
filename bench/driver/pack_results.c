/* This file keeps the times of packing and condenses them. */
#include "pack_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pack_results_open(struct pack_results *r)
{
  r->n = 0;
  r->all = calloc(PACK_CASES_MOST, sizeof *r->all);
  return r->all;
}

void pack_results_close(struct pack_results *r)
{
  free(r->all);
  *r = (struct pack_results){0};
}

static struct pack_result *find(struct pack_results *r, enum pack_row row, const char *name,
                                enum pack_size size)
{
  for (int i = 0; i < r->n; i++)
    if (r->all[i].row == row && r->all[i].size == size && !strcmp(r->all[i].name, name))
      return &r->all[i];
  return NULL;
}

struct pack_times *pack_results_at(struct pack_results *r, enum pack_row row, const char *name,
                                   enum pack_size size, long bytes, enum pack_engine_id engine)
{
  struct pack_result *result = find(r, row, name, size);
  if (!result) {
    if (r->n == PACK_CASES_MOST) return NULL;
    result = &r->all[r->n++];
    result->row = row;
    result->size = size;
    result->bytes = bytes;
    snprintf(result->name, sizeof result->name, "%s", name);
  }
  return &result->times[engine];
}

void pack_series_add(struct pack_series *s, double best, double median)
{
  if (s->n == PACK_ROUNDS_MOST) return;
  if (s->n == 0 || best < s->best) s->best = best;
  s->medians[s->n++] = median;
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double pack_series_median(const struct pack_series *s)
{
  double sorted[PACK_ROUNDS_MOST];
  if (s->n == 0) return 0;
  memcpy(sorted, s->medians, (size_t)s->n * sizeof *sorted);
  qsort(sorted, (size_t)s->n, sizeof *sorted, by_value);
  return s->n % 2 ? sorted[s->n / 2] : (sorted[s->n / 2 - 1] + sorted[s->n / 2]) / 2;
}

double pack_ratio(const struct pack_times *t)
{
  return t->engine.n && t->hand.n ? t->hand.best / t->engine.best : 0;
}

double pack_gbs(long bytes, const struct pack_series *s)
{
  return s->n ? (double)bytes / s->best * 1e-3 : 0;
}

struct bench_ratio pack_compare(const struct pack_result *one)
{
  const struct pack_series *ours = &one->times[PACK_BY_MPJ].engine;
  const struct pack_series *theirs = &one->times[PACK_BY_OTHER].engine;
  struct bench_time mpj[PACK_ROUNDS_MOST], other[PACK_ROUNDS_MOST];
  const int n = ours->n == theirs->n ? ours->n : 0; /* one worker brings both */
  for (int i = 0; i < n; i++) {
    mpj[i] = (struct bench_time){i, ours->medians[i]};
    other[i] = (struct bench_time){i, theirs->medians[i]};
  }
  return bench_compare(&(struct bench_times){n, mpj}, &(struct bench_times){n, other});
}

static double ratio_of(const struct pack_result *one, enum pack_engine_id engine)
{
  return pack_ratio(&one->times[engine]);
}

static double ratio_to_other(const struct pack_result *one, enum pack_engine_id engine)
{
  (void)engine;
  return pack_compare(one).median;
}

static struct pack_summary summarise(const struct pack_results *r, enum pack_row row,
                                     enum pack_size size, enum pack_engine_id engine,
                                     double (*ratio_in)(const struct pack_result *one,
                                                        enum pack_engine_id engine))
{
  struct pack_summary s = {0};
  double logarithms = 0;
  for (int i = 0; i < r->n; i++) {
    const struct pack_result *one = &r->all[i];
    double ratio = one->row == row && one->size == size ? ratio_in(one, engine) : 0;
    if (ratio <= 0) continue;
    logarithms += log(ratio);
    if (s.n++ && ratio >= s.worst) continue;
    s.worst = ratio;
    s.worst_name = one->name;
  }
  s.mean = s.n ? exp(logarithms / s.n) : 0;
  return s;
}

struct pack_summary pack_summarise(const struct pack_results *r, enum pack_row row,
                                   enum pack_size size, enum pack_engine_id engine)
{
  return summarise(r, row, size, engine, ratio_of);
}

struct pack_summary pack_summarise_other(const struct pack_results *r, enum pack_row row,
                                         enum pack_size size)
{
  return summarise(r, row, size, PACK_BY_OTHER, ratio_to_other);
}
