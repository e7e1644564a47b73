/* This header declares communicators: a rank's place among others, and the
 * control structure of their collectives. */
#ifndef MPJ_SRC_COLL_COMM_H
#define MPJ_SRC_COLL_COMM_H

#include <mpj/coll.h>

#include "coll/control.h"
#include "coll/schedule.h"

struct mpj_context;

enum { MPJ_SCHEDULES_CACHED = 64 };

struct mpj_comm {
  struct mpj_context *context; /* of the rank that it belongs to */
  uint32_t id;                 /* the same on all members */
  unsigned control;            /* number of its control window */
  int rank, size;
  struct mpj_net *net; /* borrowed; NULL where size is 1 */
  bool oversubscribed; /* more ranks than cores; the same on all members */

  uint64_t started, completed;
  struct mpj_request *queued; /* started by the user, in order; waiting for room */
  struct mpj_slot slots[MPJ_WINDOW];
  uint64_t meetings;      /* that this rank has come to */
  uint64_t *known_done;   /* [size] operations that each peer is known to have completed */
  uint64_t abandoned_end; /* arrivals of operations before this one may come after their end */

  int broken_code; /* nonzero: every further call returns it */
  int broken_rank; /* because of this rank */
  char broken_why[160];

  uint64_t watched;       /* operation + 1 that these are about (watch.c); times in seconds */
  double stall_since;     /* when this rank was first found waiting in it, or last reported */
  double compare_at;      /* when to compare notes with the others next */
  double compare_pause;   /* and how long after that again */
  double suspected_since; /* since when another seems to have ended it otherwise; 0: none */

  struct mpj_schedule no_steps; /* of an operation that failed before it began */
  struct mpj_schedule *cached[MPJ_SCHEDULES_CACHED];
  unsigned ncached;
  uint64_t clock; /* of schedule uses */

  struct mpj_transfer *free_transfers;
  struct mpj_early *free_early;
  struct mpj_piece byte; /* the layout of one byte, for temporaries */
};

/* Set up and tear down a communicator of `size` ranks in zeroed memory.
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_comm_begin(struct mpj_comm *comm, struct mpj_context *context, uint32_t id,
                   unsigned control, int rank, int size, struct mpj_net *net);
void mpj_comm_end(struct mpj_comm *comm);

/* Resolve a handle by the calling thread's context: MPJ_ERR_COMM with a detail
 * if it is none, or the communicator is broken (and why). */
int mpj_comm_resolve(MPJ_Comm handle, struct mpj_comm **comm);
/* MPJ_SUCCESS, or why the communicator is broken. */
int mpj_comm_check(const struct mpj_comm *comm);
/* The same without looking at whether it is broken. */
int mpj_comm_resolve_any(MPJ_Comm handle, struct mpj_comm **comm);

/* Operations that have been started and not ended. */
uint64_t mpj_comm_open(const struct mpj_comm *comm);

/* Zeroed records from the communicator's free lists; NULL when out of memory. */
struct mpj_transfer *mpj_comm_new_transfer(struct mpj_comm *comm);
void mpj_comm_drop_transfer(struct mpj_comm *comm, struct mpj_transfer *transfer);
struct mpj_early *mpj_comm_new_early(struct mpj_comm *comm);
void mpj_comm_drop_early(struct mpj_comm *comm, struct mpj_early *early);

/* An algorithm: lay down this rank's steps. MPJ_SUCCESS or what the builder says. */
typedef int mpj_algorithm_fn(const struct mpj_comm *comm, int root, unsigned variant,
                             struct mpj_schedule_builder *builder);

/* The schedule of (operation, algorithm, root, variant) from the communicator's cache,
 * built by `build` on a miss; the least recently used idle one makes room. It
 * is the cache's. Errors: MPJ_ERR_NO_MEM, MPJ_ERR_UNSUPPORTED. */
int mpj_schedule_cached(struct mpj_comm *comm, enum mpj_operation operation, unsigned algorithm,
                        int root, unsigned variant, mpj_algorithm_fn *build,
                        struct mpj_schedule **schedule);

#endif
