/* This header declares schedules: lists of phases, equally many and of the same kinds on all ranks.
 *
 *   EXCHANGE  an Alltoall of sparse types: from -> to
 *   BCAST     from one of the ranks that hold the same part of `to` to the others of them
 *   SPREAD    a local copy within `to`: from the first place of what was asked for repeatedly
 *   ZERO      zeros into places of `to`
 *
 * The first phase is the exchange; there is one. Backward runs them reversed (run.c). */
#ifndef MPJ_SRC_ARRAY_ARRAY_SCHEDULE_H
#define MPJ_SRC_ARRAY_ARRAY_SCHEDULE_H

#include "array/patches.h"

enum mpj_phase_kind { MPJ_PHASE_EXCHANGE, MPJ_PHASE_BCAST, MPJ_PHASE_SPREAD, MPJ_PHASE_ZERO };
enum { MPJ_SCHEDULE_MARK = 0x53504a4d, MPJ_PHASES_MAX = 4 };

/* What is spread, for backward: unique elements by falling number of places. Element u's places in
 * `to`, in elements, are places[first[u]] .. places[first[u + 1] - 1]; the first is the exchange's.
 */
struct mpj_spread {
  MPJ_Count nunique;
  MPJ_Count *first, *places; /* owned */
  MPJ_Datatype uniques;      /* what comes in the exchange, as places in an array of the uniques */
};

struct mpj_phase {
  enum mpj_phase_kind kind;
  MPJ_Comm comm; /* borrowed of the schedule or an array */
  int root;
  MPJ_Datatype send, recv; /* owned; of a BCAST recv is what all have, send is null */
};

/* What backward receives at a time before it combines it: all, or with a limit a window of what
 * comes in rank order. */
struct mpj_round {
  MPJ_Datatype sent;    /* owned; by this rank: of `to`, or of the uniques */
  MPJ_Datatype scratch; /* owned; where it is received: each rank's elements in a row */
  MPJ_Count scratch_bytes;
  struct mpj_patches pieces; /* of `from`, sorted; owned: what is combined where */
};

struct mpj_array_schedule {
  uint32_t mark; /* of the handle pool */
  mpj_refcount references;
  MPJ_Comm comm;
  int size, rank;
  MPJ_Datatype element;    /* owned */
  MPJ_Datatype spaced;     /* owned: the same with the bounds of its data */
  MPJ_Count element_bytes; /* of data */
  MPJ_Aint extent, true_lb, true_extent;
  bool dense; /* an element's memory is its packed form */
  int nrounds;
  struct mpj_round *rounds; /* [nrounds] owned; made when backward first needs them */
  int nphases;
  struct mpj_phase phases[MPJ_PHASES_MAX];
  struct mpj_patches out, in; /* of the exchange, sorted; owned */
  bool overlap;               /* places of `from` are sent more than once: backward must combine */
  struct mpj_spread spread;   /* of a SPREAD phase */
  void *zeros;                /* an element of them, owned: of a ZERO phase */
  struct mpj_grid_array *arrays[2]; /* shared, or NULL */
  const char *name;                 /* of what made it, for people */
};

int mpj_array_schedule_resolve(MPJ_Schedule handle, const char *argument,
                               struct mpj_array_schedule **schedule);
void mpj_array_schedule_release(struct mpj_array_schedule *schedule);
/* An empty one. element: shared. Errors: MPJ_ERR_NO_MEM. */
int mpj_array_schedule_new(const char *name, MPJ_Comm comm, MPJ_Datatype element,
                           struct mpj_array_schedule **schedule);
/* The first phase, from out and in, which are complete. */
int mpj_array_schedule_exchange(struct mpj_array_schedule *schedule);

/* Schedules alive, for leak checks. */
size_t mpj_array_schedules_live(void);

#endif
