/* This header declares quick operations: a blocking call of short data that was made with the
 * same types before runs without the engine while nothing unusual happens.
 *
 * Data fits that goes within a message or in an early-arrival slot, dense at both ends.
 * The schedule's steps are bound to the types once: what moves, from which distance of
 * which buffer, under which header. They then run in an order in which no step waits that
 * could have run. A step that waits polls with patience for a moment; whoever brings what it
 * waits for puts it there (struct mpj_awaited).
 *
 *   state     event                                             next
 *   UNBOUND   the second call in a row with the same types      BOUND, if all data fits
 *   BOUND     a call with these types, nothing else under way   RUNNING
 *   BOUND     a call with others, twice in a row                BOUND to those, or UNBOUND
 *   RUNNING   the last step ends, and nobody sent more          BOUND; the call returns
 *   RUNNING   no room; a wait of some length; anything that     BOUND; the engine goes on with
 *             does not fit; news of ranks or of a failure       the steps that are left
 *
 * So all that is said of operations (control.h) holds for quick ones: between its first step
 * and its last one or the engine, only the calling thread knows of it. */
#ifndef MPJ_SRC_COLL_RUN_QUICK_H
#define MPJ_SRC_COLL_RUN_QUICK_H

#include "base/hot.h"
#include "coll/comm/comm.h"
#include "pack/reduce/reduce.h"

struct mpj_quick_step {
  uint8_t kind; /* enum mpj_step_kind */
  uint8_t bit;
  bool posted;                    /* as in the schedule's step */
  bool combines;                  /* a recv step that does */
  uint8_t from, to;               /* enum mpj_buffer */
  uint8_t from_number, to_number; /* of TEMP: in quick's list */
  uint16_t number;                /* in the schedule */
  int16_t peer;
  uint32_t bytes;
  MPJ_Aint from_at, to_at; /* bytes from the buffers' addresses, or in the temporary */
  uint64_t rest[3];        /* of its message's header, all but communicator and sequence */
};

/* Types of one layout whose parts are cut alike are one to a binding, so a program may make them
 * for each call. */
struct mpj_alike {
  struct mpj_layout *layout; /* dense; owned; NULL: only the tag tells */
  MPJ_Aint displ;
  MPJ_Count parts; /* all even */
};

struct mpj_quick {
  bool bound;
  uint32_t binding; /* another number each time that it is bound */
  bool uses[2];     /* the receive and the send buffer */
  uint32_t tag[2];  /* of their types, if used; or: */
  struct mpj_alike alike[2];
  int reduce;      /* of the call */
  uint64_t met[2]; /* hashes of the layouts of the last call that was not quick */
  uint8_t again;   /* calls with these since */
  mpj_reduce_kernel *kernel;
  MPJ_Count unit; /* bytes of an element */
  unsigned ntemporaries;
  struct {
    uint16_t number; /* in the schedule */
    uint32_t bytes;
  } temporaries[MPJ_RESUMED_TEMPORARIES];
  struct mpj_quick_step steps[]; /* [the schedule's nsteps], in the order of running */
};

/* What the calling thread waits for: the handler of messages compares, and has the data put. */
struct mpj_awaited {
  struct mpj_arrival_message message; /* its header */
  struct mpj_slot *slot;
  int source; /* in WORLD */
  bool here;
  const struct mpj_quick *quick;
  const struct mpj_quick_step *step;
  char *to;
};

/* The place for a schedule's binding, or NULL: it is not for quick operations, or there is no
 * memory. Owned; mpj_quick_free, which lets NULL pass. */
struct mpj_quick *mpj_quick_new(const struct mpj_schedule *schedule);
void mpj_quick_free(struct mpj_quick *quick);

/* The engine runs this operation in `slot`: bind its schedule if that is called for. */
void mpj_quick_learn(struct mpj_comm *comm, struct mpj_slot *slot);

/* Whether it is bound to what this call is made with. */
MPJ_HOT bool mpj_quick_is_for(const struct mpj_quick *q, const struct mpj_call *call);

/* Run the next operation, by a schedule whose binding is for this call; false, and nothing has
 * been done, unless it can be a quick one now. True: *status is what the call returns. */
MPJ_HOT bool mpj_quick_run(struct mpj_comm *comm, struct mpj_schedule *schedule,
                           const struct mpj_call *call, int *status);

/* Whether the message is what the rank waits for; then it has been taken. */
MPJ_HOT bool mpj_quick_take(struct mpj_context *context, const struct mpj_am_arrival *arrival);

#endif
