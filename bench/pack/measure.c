/* This file times subjects in turn. */
#include "measure.h"

#include <stdlib.h>
#include <time.h>

enum { BATCHES_LEAST = 6, BATCHES_MOST = 400 };

static const double batch_us = 200; /* 500 times what reading the clock costs */
static const long runs_most = 1 << 24;

struct series {
  long runs; /* in a batch */
  int n;
  double us[BATCHES_MOST]; /* of one run, [n] */
};

static double cpu_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* The first run is not timed: it finds in the caches what the subject before it
 * left. */
static double batch(const struct pack_subject *s, long runs)
{
  s->run(s->arg);
  double start = cpu_us();
  for (long i = 0; i < runs; i++)
    s->run(s->arg);
  return cpu_us() - start;
}

/* How many runs make a batch long enough; warms the caches as well. */
static long calibrate(const struct pack_subject *s)
{
  long runs = 1;
  while (batch(s, runs) < batch_us && runs < runs_most)
    runs *= 2;
  return runs;
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void conclude(struct pack_subject *s, struct series *t)
{
  qsort(t->us, (size_t)t->n, sizeof *t->us, by_value);
  s->best_us = t->us[0];
  s->median_us = t->us[t->n / 2];
}

void pack_measure(struct pack_subject *subjects, int n, double seconds)
{
  struct series series[PACK_SUBJECTS_MOST] = {0};
  double spent = 0;
  int present = 0;
  for (int i = 0; i < n; i++) {
    if (!subjects[i].run) continue;
    series[i].runs = calibrate(&subjects[i]);
    present++;
  }
  for (int round = 0; round < BATCHES_MOST; round++) {
    if (round >= BATCHES_LEAST && spent >= 1e6 * seconds * present) break;
    for (int turn = 0; turn < n; turn++) {
      int i = round % 2 ? n - 1 - turn : turn;
      if (!subjects[i].run) continue;
      double us = batch(&subjects[i], series[i].runs);
      series[i].us[series[i].n++] = us / (double)series[i].runs;
      spent += us;
    }
  }
  for (int i = 0; i < n; i++)
    if (subjects[i].run) conclude(&subjects[i], &series[i]);
}
