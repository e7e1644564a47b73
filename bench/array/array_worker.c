/* This file is the main program of the workers of `mpj-bench array`: array_PEER CASE...
 *
 * For each case it prints one line of JSON: us of making what is made once, of the first run, that
 * included, and of a run that is repeated, the median of RUNS, each that of the slowest rank; and a
 * hash of all bits that have arrived. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array_peer.h"

enum { RUNS = 11 };

static double now_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static uint64_t mixed(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Zeroed, and its pages are there: what calloc gives is first touched by who writes it. */
static void *memory(size_t count, size_t size)
{
  void *p = calloc(count ? count : 1, size);
  for (volatile char *at = p, *end = at + count * size; p && at < end; at += 4096)
    *at = 0;
  if (p) return p;
  fprintf(stderr, "array worker: no memory for %zu bytes\n", count * size);
  exit(1);
}

static void count_remap(const struct array_case *c, struct array_data *d)
{
  size_t *const counts[2] = {&d->from_count, &d->to_count};
  for (int k = 0; k < 2; k++) {
    const struct array_layout l = array_layout_of(c, k, array_peer.size);
    const int me = array_peer.rank;
    *counts[k] = (size_t)(array_share(c->n, l.nb, me / l.pcol, l.prow) *
                          array_share(c->n, l.nb, me % l.pcol, l.pcol));
  }
}

static void count(const struct array_case *c, struct array_data *d)
{
  const size_t p = (size_t)array_peer.size, n = (size_t)c->n;
  int grid[3];
  switch (c->kind) {
  case ARRAY_REMAP:
    count_remap(c, d);
    break;
  case ARRAY_TRANSPOSE:
    d->from_count = d->to_count = n / p * n * (size_t)c->width;
    break;
  case ARRAY_HALO:
  case ARRAY_GHOSTS:
    array_grid(array_peer.size, grid);
    d->from_count = d->to_count = 1;
    for (int k = 0; k < 3; k++) {
      d->from_count *= n / (size_t)grid[k];
      d->to_count *= n / (size_t)grid[k] + 2 * (size_t)c->width;
    }
    break;
  default:
    d->from_count = 10 * n / p;
    d->to_count = n / p;
  }
}

/* Whole numbers, whose sums are exact in any order. */
static void fill(const struct array_case *c, struct array_data *d)
{
  uint64_t state = (uint64_t)array_peer.rank + 1;
  memset(d->to, 0, d->to_count * sizeof *d->to);
  for (size_t i = 0; i < d->from_count; i++)
    d->from[i] = (double)(mixed(((uint64_t)array_peer.rank << 40) + i) >> 40);
  for (size_t i = 0; c->kind == ARRAY_GHOSTS && i < d->to_count; i++)
    d->to[i] = (double)(mixed(((uint64_t)array_peer.rank << 40) + i) >> 40);
  for (size_t i = 0; d->wanted && i < d->to_count; i++) {
    state += UINT64_C(0x9e3779b97f4a7c15);
    d->wanted[i] = (int64_t)(mixed(state) % (uint64_t)(10 * c->n));
    if (c->kind == ARRAY_SCATTER) d->to[i] = (double)(i % 1000);
  }
}

static uint64_t hash_of(const double *values, size_t n)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    sum += mixed(bits + (((uint64_t)array_peer.rank << 40) + i) * UINT64_C(0x9e3779b97f4a7c15));
  }
  return array_peer.sum(sum);
}

static double timed(void (*fn)(void))
{
  array_peer.barrier();
  const double begun = now_us();
  fn();
  return array_peer.most(now_us() - begun);
}

static const struct array_case *the_case;
static struct array_data data;

static void create(void)
{
  array_peer.create(the_case, &data);
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void run_case(void)
{
  double took[RUNS];
  data = (struct array_data){NULL, NULL, 0, 0, NULL};
  count(the_case, &data);
  data.from = memory(data.from_count, sizeof *data.from);
  data.to = memory(data.to_count, sizeof *data.to);
  if (the_case->kind >= ARRAY_GATHER) data.wanted = memory(data.to_count, sizeof *data.wanted);
  fill(the_case, &data);
  const double made = timed(create), first = made + timed(array_peer.run);
  const bool back = the_case->kind == ARRAY_SCATTER;
  const uint64_t hash = hash_of(back ? data.from : data.to, back ? data.from_count : data.to_count);
  for (int i = 0; i < RUNS; i++)
    took[i] = timed(array_peer.run);
  array_peer.destroy();
  qsort(took, RUNS, sizeof *took, by_size);
  if (array_peer.rank == 0)
    printf("{\"case\": \"%s\", \"create\": %.3f, \"first\": %.3f, \"repeat\": %.3f, "
           "\"hash\": \"%016llx\"}\n",
           the_case->name, made, first, took[RUNS / 2], (unsigned long long)hash);
  fflush(stdout);
  free(data.wanted);
  free(data.from);
  free(data.to);
}

int main(int argc, char **argv)
{
  array_peer.begin(&argc, &argv);
  for (int i = 1; i < argc; i++)
    for (the_case = array_cases; the_case->name; the_case++)
      if (!strcmp(the_case->name, argv[i]) && array_peer.serves(the_case)) run_case();
  array_peer.end();
  return 0;
}
