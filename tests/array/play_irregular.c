/* This file plays irregular schedules: subscripts of random arrays, and graphs of ranks and
 * offsets. */
#include "array/plays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNTOUCHED = -7, WANTS = 40 };

struct irregular {
  enum element element;
  MPJ_Schedule schedule;
  MPJ_Count roots, total; /* of this rank's memory; elements that there are in all, by number */
  MPJ_Count *number;      /* [roots] of each, or -1 */
  int copies;             /* of each */
  int form;               /* of a run */
  MPJ_Count n, room;
  MPJ_Count wanted[WANTS], places[WANTS]; /* numbers */
  char *source, *target, *fetched;
};

static char *at(const struct irregular *t, char *buffer, MPJ_Count i)
{
  return buffer + (size_t)i * element_extent(t->element);
}

static char *memory(const struct irregular *t, MPJ_Count n)
{
  char *buffer = malloc((size_t)n * element_extent(t->element) + 1);
  for (MPJ_Count i = 0; i < n; i++)
    element_set(t->element, at(t, buffer, i), UNTOUCHED);
  return buffer;
}

static int differs(const char *what, int rank, int64_t found, int64_t wanted)
{
  if (found == wanted) return 0;
  fprintf(stderr, "rank %d: %s: %lld, not %lld\n", rank, what, (long long)found, (long long)wanted);
  return 1;
}

static int check_forward(const struct run *run, const struct irregular *t)
{
  int64_t *expected = malloc((size_t)t->room * sizeof *expected);
  int status = 0;
  for (MPJ_Count i = 0; i < t->room; i++)
    expected[i] = UNTOUCHED;
  for (MPJ_Count i = 0; i < t->n; i++)
    expected[t->places[i]] = t->wanted[i];
  for (MPJ_Count i = 0; i < t->room && !status; i++)
    status =
        differs("forward", run->rank, element_get(t->element, at(t, t->target, i)), expected[i]);
  free(expected);
  return status;
}

/* How often each rank has named each element, all ranks on each: counts[size][total]. */
static int64_t *gather_counts(const struct run *run, const struct irregular *t)
{
  int64_t *mine = calloc((size_t)t->total + 1, sizeof *mine);
  int64_t *all = calloc((size_t)(t->total * run->size) + 1, sizeof *all);
  MPJ_Datatype row, rows;
  for (MPJ_Count i = 0; i < t->n; i++)
    mine[t->wanted[i]]++;
  MPJ_Type_contiguous(t->total, MPJ_INT64, &row);
  MPJ_Type_commit(&row);
  MPJ_Type_contiguous(run->size, row, &rows);
  MPJ_Type_commit(&rows);
  MPJ_Allgather(mine, row, all, rows, run->comm);
  MPJ_Type_free(&row);
  MPJ_Type_free(&rows);
  free(mine);
  return all;
}

/* Rank r adds 10 + r for each time that it has named an element. */
static int check_fetch(const struct run *run, struct irregular *t)
{
  int64_t *counts = gather_counts(run, t);
  int status = 0;
  for (MPJ_Count i = 0; i < t->room; i++)
    element_set(t->element, at(t, t->target, i), 10 + run->rank);
  if (play_fetch(t->schedule, t->form, t->source, t->target, t->fetched, MPJ_SUM)) status = 1;
  for (MPJ_Count i = 0; i < t->roots && !status; i++) {
    int64_t wanted = t->number[i];
    if (wanted < 0) continue;
    for (int r = 0; r < run->size; r++)
      wanted += counts[r * t->total + t->number[i]] * (10 + r);
    const int64_t found = element_get(t->element, at(t, t->source, i));
    if (t->copies == 1) status = differs("fetch and add", run->rank, found, wanted);
  }
  for (MPJ_Count i = 0; i < t->n && !status && t->copies == 1; i++) {
    int64_t wanted = t->wanted[i];
    for (int r = 0; r < run->rank; r++)
      wanted += counts[r * t->total + t->wanted[i]] * (10 + r);
    status = differs("fetched", run->rank, element_get(t->element, at(t, t->fetched, t->places[i])),
                     wanted);
  }
  free(counts);
  return status;
}

/* The highest rank that has named an element replaces it. */
static int check_replace(const struct run *run, struct irregular *t)
{
  int64_t *counts = gather_counts(run, t);
  int status = 0;
  for (MPJ_Count i = 0; i < t->room; i++)
    element_set(t->element, at(t, t->target, i), 5000 + run->rank);
  if (play_backward(t->schedule, t->form, t->source, t->target, MPJ_REPLACE)) status = 1;
  for (MPJ_Count i = 0; i < t->roots && !status && t->copies == 1; i++) {
    if (t->number[i] < 0) continue;
    int r = run->size - 1;
    while (r >= 0 && counts[r * t->total + t->number[i]] == 0)
      r--;
    if (r < 0) continue;
    status = differs("replace", run->rank, element_get(t->element, at(t, t->source, i)), 5000 + r);
  }
  free(counts);
  return status;
}

static void random_places(struct irregular *t, struct mpj_random *rng)
{
  t->room = t->n + play_below(rng, 5);
  for (MPJ_Count i = 0; i < t->n; i++)
    t->places[i] = i;
  for (MPJ_Count i = t->n - 1; i > 0; i--) {
    const int other = play_below(rng, (int)i + 1);
    const MPJ_Count place = t->places[i];
    t->places[i] = t->places[other];
    t->places[other] = place;
  }
}

/* The largest of all that ranks name for an element, by any form. */
static int check_max(const struct run *run, struct irregular *t)
{
  int64_t *counts = gather_counts(run, t);
  int status = 0;
  for (MPJ_Count i = 0; i < t->room; i++)
    element_set(t->element, at(t, t->target, i), 9000 - run->rank);
  if (play_backward(t->schedule, t->form, t->source, t->target, MPJ_MAX)) status = 1;
  for (MPJ_Count i = 0; i < t->roots && !status && t->copies == 1; i++) {
    int r = 0;
    if (t->number[i] < 0) continue;
    while (r < run->size && counts[r * t->total + t->number[i]] == 0)
      r++;
    if (r == run->size) continue;
    status = differs("max", run->rank, element_get(t->element, at(t, t->source, i)), 9000 - r);
  }
  free(counts);
  return status;
}

/* An operation for which order counts. */
static void follow(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  const uint64_t *x = in;
  uint64_t *y = inout;
  (void)ctx;
  for (MPJ_Count i = 0; i < n; i++)
    y[i] = 3 * y[i] + x[i];
}

/* All values that ranks name for an element follow one another: those of a rank first. */
static int check_order(const struct run *run, struct irregular *t)
{
  int64_t *counts = gather_counts(run, t);
  int status = 0;
  MPJ_Op op;
  MPJ_Op_create(follow, NULL, MPJ_INT64, 0, &op);
  for (MPJ_Count i = 0; i < t->room; i++)
    element_set(t->element, at(t, t->target, i), 10 + run->rank);
  for (MPJ_Count i = 0; i < t->roots; i++)
    element_set(t->element, at(t, t->source, i), 1);
  MPJ_Request request;
  if (MPJ_Schedule_ibackward(t->schedule, t->source, t->target, op, &request)) status = 1;
  MPJ_Op_free(&op);
  if (!status && MPJ_Wait(&request)) status = 1;
  for (MPJ_Count i = 0; i < t->roots && !status && t->copies == 1; i++) {
    uint64_t wanted = 1;
    if (t->number[i] < 0) continue;
    for (int r = 0; r < run->size; r++) {
      const int64_t n = counts[r * t->total + t->number[i]];
      uint64_t own = n > 0 ? 10 + (uint64_t)r : 0;
      for (int64_t k = 1; k < n; k++)
        own = 3 * own + 10 + (uint64_t)r;
      if (n > 0) wanted = 3 * wanted + own;
    }
    status = differs("in order", run->rank, element_get(t->element, at(t, t->source, i)),
                     (int64_t)wanted);
  }
  free(counts);
  return status;
}

static int play(const struct run *run, struct irregular *t)
{
  t->source = memory(t, t->roots);
  t->target = memory(t, t->room);
  t->fetched = memory(t, t->room);
  for (MPJ_Count i = 0; i < t->roots; i++)
    element_set(t->element, at(t, t->source, i), t->number[i]);
  int status = play_forward(t->schedule, t->form, t->source, t->target) != 0;
  if (!status) status = check_forward(run, t);
  if (!status) status = check_fetch(run, t);
  if (!status) status = check_replace(run, t);
  if (!status && t->element != ELEMENT_STRUCT) status = check_max(run, t);
  if (!status && t->element == ELEMENT_INT64) status = check_order(run, t);
  MPJ_Schedule_free(&t->schedule);
  free(t->source);
  free(t->target);
  free(t->fetched);
  return status;
}

/* Ranks draw alike, and then each for itself. */
static struct mpj_random own(const struct run *run, struct mpj_random *rng)
{
  struct mpj_random mine = {mpj_random_next(rng) + (uint64_t)run->rank * 7919};
  return mine;
}

int play_subscript(const struct run *run, struct mpj_random *rng)
{
  struct model *m = calloc(1, sizeof *m);
  struct irregular *t = calloc(1, sizeof *t);
  const struct wanted wanted = {.ndims = 1 + play_below(rng, 4),
                                .element = (enum element)play_below(rng, ELEMENTS),
                                .ghosts = play_below(rng, 3) == 0};
  MPJ_Count index[WANTS * MODEL_DIMS], one[MODEL_DIMS];
  int status = model_make(m, rng, run->comm, &wanted);
  if (status) return status;
  struct mpj_random mine = own(run, rng);
  t->element = m->element;
  t->roots = model_room(m);
  t->total = model_total(m);
  t->copies = model_copies(m);
  t->number = malloc((size_t)t->roots * sizeof *t->number + 1);
  for (MPJ_Count i = 0; i < t->roots; i++)
    t->number[i] = -1;
  for (MPJ_Count i = 0; i < t->total; i++) {
    model_index(m, i, one);
    if (model_holds(m, m->rank, one)) t->number[model_offset(m, one)] = i;
  }
  t->n = t->total == 0 ? 0 : play_below(&mine, WANTS);
  for (MPJ_Count i = 0; i < t->n; i++) {
    t->wanted[i] = play_below(&mine, (int)(play_below(&mine, 2) ? t->total : (t->total + 9) / 10));
    model_index(m, t->wanted[i], index + i * m->ndims);
  }
  random_places(t, &mine);
  if (MPJ_Subscript_create(m->array, t->n, index, t->places, &t->schedule)) {
    fprintf(stderr, "rank %d: %s\n", run->rank, MPJ_Error_detail());
    return 1;
  }
  t->form = play_below(rng, 3);
  status = play_limit(rng, t->schedule) != 0 || play(run, t);
  model_free(m);
  free(m);
  free(t->number);
  free(t);
  return status;
}

int play_graph(const struct run *run, struct mpj_random *rng)
{
  enum { ROOTS = 9 };
  struct irregular *t = calloc(1, sizeof *t);
  MPJ_Count offsets[WANTS];
  int ranks[WANTS];
  t->element = (enum element)play_below(rng, ELEMENTS);
  struct mpj_random mine = own(run, rng);
  t->roots = ROOTS;
  t->total = ROOTS * run->size;
  t->copies = 1;
  t->number = malloc(ROOTS * sizeof *t->number);
  for (MPJ_Count i = 0; i < ROOTS; i++)
    t->number[i] = run->rank * ROOTS + i;
  t->n = play_below(&mine, WANTS);
  for (MPJ_Count i = 0; i < t->n; i++) {
    ranks[i] = play_below(&mine, run->size);
    offsets[i] = play_below(&mine, ROOTS);
    t->wanted[i] = ranks[i] * ROOTS + offsets[i];
  }
  random_places(t, &mine);
  MPJ_Datatype type = element_type(t->element);
  if (MPJ_Graph_create(ROOTS, t->n, t->places, ranks, offsets, type, run->comm, &t->schedule)) {
    fprintf(stderr, "rank %d: %s\n", run->rank, MPJ_Error_detail());
    return 1;
  }
  MPJ_Type_free(&type);
  t->form = play_below(rng, 3);
  const int status = play_limit(rng, t->schedule) != 0 || play(run, t);
  free(t->number);
  free(t);
  return status;
}
