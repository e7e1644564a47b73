/* This header declares what is noted of collectives where MPJ_STATS or MPJ_TRACE asks for it: how
 * many there were of each operation, how they ran, and by which way their data went; and, in the
 * trace, each collective with its steps and an arrow for each message.
 *
 * A context has a tally if its endpoint is watched (net/watch.h), else NULL: that is all that the
 * calls look at. What is noted changes no path. */
#ifndef MPJ_SRC_COLL_RUN_TALLY_H
#define MPJ_SRC_COLL_RUN_TALLY_H

#include "coll/run/control.h"

/* How an operation ran (engine.h). */
enum mpj_ran {
  MPJ_RAN_WALKED, /* its steps in their order, to the end */
  MPJ_RAN_LISTED, /* they were listed */
  MPJ_RANS
};

/* How data of a collective went. */
enum mpj_sent {
  MPJ_SENT_INLINE,
  MPJ_SENT_EAGER,
  MPJ_SENT_LONG,
  MPJ_SENT_POSTED, /* once for all ranks */
  MPJ_SENT_PUT,    /* by a verdict (steps/verdict.h): so, */
  MPJ_SENT_FIFO,   /* or by the FIFO */
  MPJ_SENTS
};

struct mpj_tally {
  struct mpj_watch *watch;
  uint64_t tracks; /* bits of those of the trace on which an operation is under way */
  uint64_t ran[MPJ_OPERATIONS][MPJ_RANS];
  uint64_t bound[MPJ_OPERATIONS]; /* plans that had to be made: the others were found */
  uint64_t sent[MPJ_OPERATIONS][MPJ_SENTS];
  uint64_t relayed[MPJ_OPERATIONS]; /* those of which a relay has sent data before the call, */
  uint64_t relayed_bytes[MPJ_OPERATIONS]; /* and how much: those of each child */
};

/* Begin to count for a context whose endpoint is watched; nothing (with a warning) if there is no
 * memory. Print the counts, where MPJ_STATS asks for them, and end. */
void mpj_tally_begin(struct mpj_context *context);
void mpj_tally_end(struct mpj_context *context);

/* Of an operation that is under way in a slot. */
struct mpj_noted {
  const struct mpj_comm *comm;
  enum mpj_ran ran;
  unsigned track;           /* of the trace: its own while it is under way */
  int64_t begun, last_step; /* ns, by mpj_clock_ns; the end of the step before the next one */
  int64_t posted;           /* when the one post of many steps went; 0: not yet */
  int64_t *tried; /* [nsteps] of a listed operation: when each was run first; 0: not yet */
};

/* Note from here on what the slot's operation does, which begins now. Nothing where there is no
 * memory. Its end; or that nobody ends it. */
MPJ_ASIDE void mpj_tally_open(const struct mpj_comm *comm, struct mpj_slot *slot);
MPJ_ASIDE void mpj_tally_close(struct mpj_slot *slot);
MPJ_ASIDE void mpj_tally_forget(struct mpj_slot *slot);

/* Note that the steps are listed from here on, of which each may begin while others are under way;
 * and that one of them is run now. */
MPJ_ASIDE void mpj_tally_listed(struct mpj_slot *slot);
MPJ_ASIDE void mpj_tally_try(const struct mpj_slot *slot, unsigned i);

/* Note that a plan had to be made. */
void mpj_tally_bound(const struct mpj_comm *comm, const struct mpj_schedule *schedule);

/* Note step i of a noted operation, which is complete: in the trace it lasts from the end of the
 * step before it until now. */
MPJ_ASIDE void mpj_tally_step(const struct mpj_slot *slot, unsigned i);

/* Note a message that has gone `way`. */
void mpj_tally_sent(const struct mpj_comm *comm, const struct mpj_schedule *schedule,
                    enum mpj_sent way);

/* Note that a relay (relay.h) has sent on a message of operation `sequence` to rank `peer`, from
 * `begun` to now; first: nothing of the operation before. */
void mpj_tally_relayed(const struct mpj_comm *comm, uint64_t sequence,
                       const struct mpj_arrival_message *m, int peer, bool first, int64_t begun);

#endif
