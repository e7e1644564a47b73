/* This file keeps the queue of events. */
#include "net/sim/events.h"

#include <string.h>

#include "base/memory.h"

enum { CHILDREN = 4, FIRST_ROOM = 256 };

static bool before(const struct mpj_sim_event *a, const struct mpj_sim_event *b)
{
  return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static bool grow(struct mpj_sim_events *q)
{
  const size_t room = q->room ? 2 * q->room : FIRST_ROOM;
  struct mpj_sim_event *heap = mpj_alloc_array(room, sizeof *heap);
  if (!heap) return false;
  if (q->n > 0) memcpy(heap, q->heap, q->n * sizeof *heap);
  mpj_free(q->heap);
  q->heap = heap;
  q->room = room;
  return true;
}

bool mpj_sim_put(struct mpj_sim_events *q, int64_t time, int kind, int rank, void *what)
{
  if (q->n == q->room && !grow(q)) return false;
  const struct mpj_sim_event e = {time, q->put++, what, kind, rank};
  size_t i = q->n++;
  while (i > 0 && before(&e, &q->heap[(i - 1) / CHILDREN])) {
    q->heap[i] = q->heap[(i - 1) / CHILDREN];
    i = (i - 1) / CHILDREN;
  }
  q->heap[i] = e;
  return true;
}

/* The first of the children of i, or n. */
static size_t first_child(const struct mpj_sim_events *q, size_t i)
{
  const size_t begin = CHILDREN * i + 1;
  const size_t end = begin + CHILDREN < q->n ? begin + CHILDREN : q->n;
  size_t first = begin < q->n ? begin : q->n;
  for (size_t c = begin + 1; c < end; c++)
    if (before(&q->heap[c], &q->heap[first])) first = c;
  return first;
}

struct mpj_sim_event mpj_sim_take(struct mpj_sim_events *q)
{
  const struct mpj_sim_event first = q->heap[0], last = q->heap[--q->n];
  size_t i = 0;
  for (size_t c = first_child(q, i); c < q->n && before(&q->heap[c], &last);
       c = first_child(q, i)) {
    q->heap[i] = q->heap[c];
    i = c;
  }
  q->heap[i] = last;
  return first;
}

void mpj_sim_events_end(struct mpj_sim_events *q)
{
  mpj_free(q->heap);
  *q = (struct mpj_sim_events){0};
}
