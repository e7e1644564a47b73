/* This file keeps the queue of events. */
#include "net/sim/events.h"

#include <string.h>

#include "base/memory.h"

/* A free row keeps its array if that has room for at most KEPT events. */
enum { CHILDREN = 4, FIRST_ROOM = 256, FIRST_ROW = 8, KEPT = 64 };

static struct mpj_sim_row **chain_of(struct mpj_sim_row **chains, size_t room, int64_t time)
{
  return &chains[((uint64_t)time * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (room - 1)];
}

static bool grow(struct mpj_sim_events *q)
{
  const size_t room = q->room ? 2 * q->room : FIRST_ROOM;
  struct mpj_sim_place *heap = mpj_alloc_array(room, sizeof *heap);
  struct mpj_sim_row **chains = mpj_alloc_array(room, sizeof(struct mpj_sim_row *));
  if (!heap || !chains) {
    mpj_free(heap);
    mpj_free(chains);
    return false;
  }
  if (q->nrows > 0) memcpy(heap, q->heap, q->nrows * sizeof *heap);
  for (size_t i = 0; i < q->nrows; i++) {
    struct mpj_sim_row **chain = chain_of(chains, room, heap[i].time);
    heap[i].row->chain = *chain;
    *chain = heap[i].row;
  }
  mpj_free(q->heap);
  mpj_free(q->chains);
  q->heap = heap;
  q->chains = chains;
  q->room = room;
  return true;
}

static void sift_up(struct mpj_sim_events *q, const struct mpj_sim_place *place)
{
  size_t i = q->nrows++;
  while (i > 0 && place->time < q->heap[(i - 1) / CHILDREN].time) {
    q->heap[i] = q->heap[(i - 1) / CHILDREN];
    i = (i - 1) / CHILDREN;
  }
  q->heap[i] = *place;
}

/* NULL: there is no memory. */
static struct mpj_sim_row *begin_row(struct mpj_sim_events *q, int64_t time)
{
  if (q->nrows == q->room && !grow(q)) return NULL;
  struct mpj_sim_row *row = q->free_rows;
  if (row) {
    q->free_rows = row->chain;
  } else {
    row = mpj_alloc(sizeof *row);
    if (!row) return NULL;
    row->at = &row->one;
    row->room = 1;
  }
  struct mpj_sim_row **chain = chain_of(q->chains, q->room, time);
  row->time = time;
  row->n = row->taken = 0;
  row->chain = *chain;
  *chain = row;
  sift_up(q, &(struct mpj_sim_place){time, row});
  return row;
}

static void drop_array(struct mpj_sim_row *row)
{
  if (row->at != &row->one) mpj_free(row->at);
  row->at = &row->one;
  row->room = 1;
}

static bool make_room(struct mpj_sim_row *row)
{
  const size_t room = row->room > 1 ? 2 * row->room : FIRST_ROW;
  struct mpj_sim_event *at = mpj_alloc(room * sizeof *at);
  if (!at) return false;
  memcpy(at, row->at, row->n * sizeof *at);
  drop_array(row);
  row->at = at;
  row->room = room;
  return true;
}

bool mpj_sim_put(struct mpj_sim_events *q, int64_t time, int kind, int rank, void *what)
{
  struct mpj_sim_row *row = q->last;
  if (!row || row->time != time) {
    row = q->nrows > 0 ? *chain_of(q->chains, q->room, time) : NULL;
    while (row && row->time != time)
      row = row->chain;
  }
  if (row && row->n == row->room && !make_room(row)) return false;
  if (!row) row = begin_row(q, time);
  if (!row) return false;
  row->at[row->n++] = (struct mpj_sim_event){what, kind, rank};
  q->last = row;
  q->n++;
  return true;
}

/* The first of the children of i, or nrows. */
static size_t first_child(const struct mpj_sim_events *q, size_t i)
{
  const size_t begin = CHILDREN * i + 1;
  const size_t end = begin + CHILDREN < q->nrows ? begin + CHILDREN : q->nrows;
  size_t first = begin < q->nrows ? begin : q->nrows;
  for (size_t c = begin + 1; c < end; c++)
    if (q->heap[c].time < q->heap[first].time) first = c;
  return first;
}

/* The first row is over. */
static void end_row(struct mpj_sim_events *q)
{
  struct mpj_sim_row *row = q->heap[0].row;
  const struct mpj_sim_place last = q->heap[--q->nrows];
  size_t i = 0;
  for (size_t c = first_child(q, i); c < q->nrows && q->heap[c].time < last.time;
       c = first_child(q, i)) {
    q->heap[i] = q->heap[c];
    i = c;
  }
  q->heap[i] = last;
  struct mpj_sim_row **link = chain_of(q->chains, q->room, row->time);
  while (*link != row)
    link = &(*link)->chain;
  *link = row->chain;
  if (q->last == row) q->last = NULL;
  if (row->room > KEPT) drop_array(row);
  row->chain = q->free_rows;
  q->free_rows = row;
}

struct mpj_sim_event mpj_sim_take(struct mpj_sim_events *q, int64_t *time)
{
  struct mpj_sim_row *row = q->heap[0].row;
  const struct mpj_sim_event first = row->at[row->taken++];
  *time = row->time;
  q->n--;
  if (row->taken == row->n) end_row(q);
  return first;
}

void mpj_sim_events_end(struct mpj_sim_events *q)
{
  while (q->nrows > 0)
    end_row(q);
  for (struct mpj_sim_row *row = q->free_rows, *next; row; row = next) {
    next = row->chain;
    drop_array(row);
    mpj_free(row);
  }
  mpj_free(q->heap);
  mpj_free(q->chains);
  *q = (struct mpj_sim_events){0};
}
