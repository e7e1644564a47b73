/* This header declares the queue of what will happen on a simulated machine, in order of time; what
 * happens at one time, in the order in which it was put there.
 *
 * Ranks in step with each other do the same at the same time: all events of one time are a row,
 * which is found by its time in O(1), and only the rows are in order. What happens next but a few
 * is known without a search, so that memory can be fetched ahead. */
#ifndef MPJ_SRC_NET_SIM_EVENTS_H
#define MPJ_SRC_NET_SIM_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpj_sim_event {
  void *what;
  int kind, rank;
};

/* The events of one time, in order. */
struct mpj_sim_row {
  int64_t time;              /* ps */
  struct mpj_sim_event *at;  /* [n], of which the first `taken` have been; owned, or `one` */
  size_t n, room, taken;     /* taken < n */
  struct mpj_sim_row *chain; /* of rows whose times have one hash; of a free one, the next */
  struct mpj_sim_event one;
};

/* A row in the heap, whose nodes have four children. */
struct mpj_sim_place {
  int64_t time;
  struct mpj_sim_row *row;
};

struct mpj_sim_events {
  struct mpj_sim_place *heap;    /* [room] owned */
  struct mpj_sim_row **chains;   /* [room] owned; room is a power of two, or 0 */
  size_t nrows, room, n;         /* n: events */
  struct mpj_sim_row *last;      /* that an event was put to, or NULL */
  struct mpj_sim_row *free_rows; /* owned */
};

/* false: there is no memory. */
bool mpj_sim_put(struct mpj_sim_events *q, int64_t time, int kind, int rank, void *what);
/* The next one, which there is, and its time. */
struct mpj_sim_event mpj_sim_take(struct mpj_sim_events *q, int64_t *time);
void mpj_sim_events_end(struct mpj_sim_events *q);

/* Whether nothing happens until after `time`. */
static inline bool mpj_sim_is_quiet(const struct mpj_sim_events *q, int64_t time)
{
  return q->n == 0 || q->heap[0].time > time;
}

/* The event that `ahead` others of its time come before, or NULL where that is not known. */
static inline const struct mpj_sim_event *mpj_sim_ahead(const struct mpj_sim_events *q,
                                                        size_t ahead)
{
  const struct mpj_sim_row *row = q->n > 0 ? q->heap[0].row : NULL;
  return row && row->n - row->taken > ahead ? &row->at[row->taken + ahead] : NULL;
}

#endif
