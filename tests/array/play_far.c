/* This file plays subscripts into more memory than caches keep: there a rank's own copy goes on
 * between messages, and what several ranks add is combined window by window. */
#include "array/plays.h"

#include <stdio.h>
#include <stdlib.h>

enum { HELD = 1200000, WANTS = 300000, PLACED = 5000 };

struct far {
  int n;
  uint64_t seed;
  MPJ_Schedule schedule;
  MPJ_Count *index;               /* [n] */
  int32_t *source, *out, *result; /* [HELD], [n], [n] */
  int32_t *times; /* [size][HELD]: how often each rank has named each element here */
};

/* Number k of a rank's subscripts; some are named by all ranks, some repeatedly. */
static MPJ_Count subscript(const struct far *t, int rank, int k, int size)
{
  struct mpj_random rng = {t->seed + (k % 3 == 0 ? 0 : (uint64_t)rank * 1000003)};
  rng.state += (uint64_t)(k - k % 50 % 2) * UINT64_C(0x9e3779b97f4a7c15);
  return (MPJ_Count)(mpj_random_next(&rng) % ((uint64_t)size * HELD));
}

static void fill(const struct run *run, struct far *t)
{
  for (int i = 0; i < HELD; i++)
    t->source[i] = run->rank * HELD + i;
  for (int k = 0; k < t->n; k++)
    t->result[k] = -1;
}

static int differs(const char *what, int rank, long at, int32_t found, int32_t wanted)
{
  if (found == wanted) return 0;
  fprintf(stderr, "rank %d: far, %s: [%ld] is %d, not %d\n", rank, what, at, (int)found,
          (int)wanted);
  return 1;
}

static int check_forward(const struct run *run, struct far *t, int form)
{
  fill(run, t);
  int status = play_forward(t->schedule, form, t->source, t->result) != 0;
  for (int k = 0; k < t->n && !status; k++)
    status = differs("forward", run->rank, k, t->result[k], (int32_t)t->index[k]);
  return status;
}

/* The highest rank wins. */
static int check_replace(const struct run *run, struct far *t, int form)
{
  fill(run, t);
  for (int k = 0; k < t->n; k++)
    t->out[k] = PLACED + run->rank;
  int status = play_backward(t->schedule, form, t->source, t->out, MPJ_REPLACE) != 0;
  for (int i = 0; i < HELD && !status; i++) {
    int32_t wanted = run->rank * HELD + i;
    for (int r = 0; r < run->size; r++)
      if (t->times[r * HELD + i] > 0) wanted = PLACED + r;
    status = differs("replace", run->rank, i, t->source[i], wanted);
  }
  return status;
}

/* Rank r adds 10 + r for each time; it fetches what the lower ones have left. */
static int check_fetch(const struct run *run, struct far *t)
{
  fill(run, t);
  for (int k = 0; k < t->n; k++)
    t->out[k] = 10 + run->rank;
  int status = MPJ_Schedule_fetch_op(t->schedule, t->source, t->out, t->result, MPJ_SUM) != 0;
  for (int i = 0; i < HELD && !status; i++) {
    int32_t wanted = run->rank * HELD + i;
    for (int r = 0; r < run->size; r++)
      wanted += t->times[r * HELD + i] * (10 + r);
    status = differs("add", run->rank, i, t->source[i], wanted);
  }
  for (int k = 0; k < t->n && !status; k++) {
    int32_t wanted = (int32_t)t->index[k];
    const MPJ_Count here = t->index[k] % HELD;
    if (t->index[k] / HELD != run->rank && run->rank > 0)
      continue; /* others' counts are elsewhere */
    for (int r = 0; r < run->rank; r++)
      wanted += t->times[r * HELD + here] * (10 + r);
    status = differs("fetched", run->rank, k, t->result[k], wanted);
  }
  return status;
}

static int make(const struct run *run, struct far *t)
{
  const MPJ_Axis axis = {.size = (MPJ_Count)run->size * HELD, .distribute = MPJ_DISTRIBUTE_BLOCK};
  MPJ_Array array;
  for (int r = 0; r < run->size; r++)
    for (int k = 0; k < t->n; k++) {
      const MPJ_Count g = subscript(t, r, k, run->size);
      if (r == run->rank) t->index[k] = g;
      if (g / HELD == run->rank) t->times[r * HELD + g % HELD]++;
    }
  if (MPJ_Array_create(1, &axis, 1, &run->size, MPJ_ORDER_C, MPJ_INT32, run->comm, &array))
    return 1;
  const int status = MPJ_Subscript_create(array, t->n, t->index, NULL, &t->schedule) != 0;
  MPJ_Array_free(&array);
  return status;
}

int play_far(const struct run *run, struct mpj_random *rng)
{
  struct far t = {.n = WANTS, .seed = mpj_random_next(rng)};
  const int form = play_below(rng, 3);
  t.index = calloc((size_t)t.n, sizeof *t.index);
  t.source = calloc(HELD, sizeof *t.source);
  t.out = calloc((size_t)t.n, sizeof *t.out);
  t.result = calloc((size_t)t.n, sizeof *t.result);
  t.times = calloc((size_t)run->size * HELD, sizeof *t.times);
  int status = !t.index || !t.source || !t.out || !t.result || !t.times || make(run, &t);
  if (!status) status = check_forward(run, &t, form);
  if (!status) status = check_replace(run, &t, form);
  if (!status) status = check_fetch(run, &t);
  if (t.schedule) MPJ_Schedule_free(&t.schedule);
  free(t.index);
  free(t.source);
  free(t.out);
  free(t.result);
  free(t.times);
  return status;
}
