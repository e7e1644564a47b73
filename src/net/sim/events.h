/* This header declares the queue of what will happen on a simulated machine, in order of time; what
 * happens at one time, in the order in which it was put there. */
#ifndef MPJ_SRC_NET_SIM_EVENTS_H
#define MPJ_SRC_NET_SIM_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpj_sim_event {
  int64_t time;   /* ps */
  uint64_t order; /* of those of one time */
  void *what;
  int kind, rank;
};

/* A heap whose nodes have four children. */
struct mpj_sim_events {
  struct mpj_sim_event *heap; /* [room] owned */
  size_t n, room;
  uint64_t put;
};

/* false: there is no memory. */
bool mpj_sim_put(struct mpj_sim_events *q, int64_t time, int kind, int rank, void *what);
/* The next one, which there is. */
struct mpj_sim_event mpj_sim_take(struct mpj_sim_events *q);
void mpj_sim_events_end(struct mpj_sim_events *q);

/* Whether nothing happens until after `time`. */
static inline bool mpj_sim_is_quiet(const struct mpj_sim_events *q, int64_t time)
{
  return q->n == 0 || q->heap[0].time > time;
}

#endif
