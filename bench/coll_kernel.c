/* This file times a case. */
#include "coll_kernel.h"
#include <math.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const long most_calls = 2000000;

double coll_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int coll_agreement_open(struct coll_agreement *a)
{
  *a = (struct coll_agreement){.rank = shim_rank(), .nranks = shim_size()};
  struct coll_shape one = coll_shape_contiguous(a->nranks, 1);
  a->all = calloc((size_t)a->nranks, sizeof *a->all);
  if (!a->all) fprintf(stderr, "no memory for %d doubles\n", a->nranks);
  if (a->all && !shim_types_create(&one, &a->types)) return 0;
  free(a->all);
  return 1;
}

void coll_agreement_close(struct coll_agreement *a)
{
  shim_types_free(a->types);
  free(a->all);
}

int coll_agree(struct coll_agreement *a, double *x)
{
  return shim_bcast(x, a->types, 0);
}

int coll_agree_max(struct coll_agreement *a, double *x)
{
  if (shim_gather(x, a->all, a->types, 0)) return 1;
  if (a->rank == 0)
    for (int i = 0; i < a->nranks; i++)
      if (a->all[i] > *x) *x = a->all[i];
  return coll_agree(a, x);
}

/* *seconds := what one call took here. */
static int separate_call(struct coll_case *c, double *seconds)
{
  if (shim_barrier()) return 1;
  const double start = coll_now();
  if (coll_case_step(c)) return 1;
  *seconds = coll_now() - start;
  return 0;
}

/* *seconds := what `count` calls take on the slowest rank; *all: with the barriers between separate
 * ones. */
static int batch(struct coll_case *c, struct coll_agreement *a, long count, double *seconds,
                 double *all)
{
  const bool separate = c->timing == COLL_SEPARATE;
  if (shim_barrier()) return 1;
  double start = coll_now(), calls = 0, one = 0;
  for (long i = 0; i < count; i++) {
    if (separate ? separate_call(c, &one) : coll_case_step(c)) return 1;
    calls += one;
  }
  *all = coll_now() - start;
  *seconds = separate ? calls : *all;
  return coll_agree_max(a, seconds) || coll_agree_max(a, all);
}

/* *count := how many calls take about `seconds`, once further ones are hardly faster: the first
 * ones meet memory that no rank has touched, 200 calls of 1 KiB along a chain of 16 ranks 20 ms of
 * it. */
static int calibrate(struct coll_case *c, struct coll_agreement *a, double seconds, long *count)
{
  const double hardly = .8;
  double timed, elapsed, last = INFINITY; /* what the same number of calls took before */
  long n = 1;
  if (batch(c, a, n, &timed, &elapsed)) return 1;
  for (;;) {
    if (batch(c, a, n, &timed, &elapsed)) return 1;
    const bool enough = elapsed >= seconds / 8 || n >= most_calls;
    if (enough && elapsed >= hardly * last) break;
    last = enough ? elapsed : INFINITY;
    if (!enough) n *= 10;
  }
  double wanted = (double)n * seconds / elapsed;
  *count = wanted < 1 ? 1 : wanted > (double)most_calls ? most_calls : (long)wanted;
  return 0;
}

/* 0 if every rank holds the right data. */
static int verdict(struct coll_case *c, struct coll_agreement *a)
{
  double wrong = coll_case_check(c) ? 0 : 1;
  return coll_agree_max(a, &wrong) || wrong > 0;
}

int coll_measure(struct coll_case *c, struct coll_agreement *a, double seconds, double *us,
                 long *calls)
{
  long count;
  double elapsed, all;
  if (calibrate(c, a, seconds, &count)) return 1;
  if (batch(c, a, count, &elapsed, &all)) return 1;
  if (verdict(c, a)) return 1;
  *us = 1e6 * elapsed / (double)count;
  *calls = count;
  return 0;
}
