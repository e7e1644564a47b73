/* This header declares the control structure: what one rank knows of the
 * collectives of one communicator that are under way.
 *
 * Operations on a communicator are numbered 0, 1, 2, ...; operation n lives in
 * slot n mod W, W = MPJ_WINDOW, or MPJ_SMALL_WINDOW of a persistent request. The slot of the
 * operation that the rank is in is the literature's `cur`, those after it are `next`: arrivals for
 * operations that this rank has not called yet are kept there. `seen` is the bit vector of
 * arrivals, and its first clear bit from 1 on the literature's `cur_val`, the first synchronisation
 * point not passed.
 *
 * Invariants:
 *   completed <= started <= completed + W
 *   a rank sends to peer r as part of operation n only if n < done(r) + W,
 *   so every arrival's n satisfies completed <= n < completed + W
 *   (arrivals of abandoned operations may be older: they are dropped)
 *   done, published in the control window, is `completed`; before it is raised
 *   past n, slot n's bits have been cleared
 *
 * Everything here belongs to the thread that holds the rank (lock.h), but the control
 * window, in which peers set bits. */
#ifndef MPJ_SRC_COLL_RUN_CONTROL_H
#define MPJ_SRC_COLL_RUN_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/hot.h"
#include "coll/control/words.h"
#include "coll/plan/schedule.h"
#include "net/net.h"
#include "pack/run/cursor.h"
#include "types/type.h"

struct mpj_comm;
struct mpj_context;
struct mpj_noted;
struct mpj_op;
struct mpj_plan;
struct mpj_relay_data;
struct mpj_scratch;

/* What travels. `data` holds inline bytes, an mpj_am_remote, an mpj_difference or an
 * mpj_ending. */
enum { MPJ_INLINE_MAX = 24 };
enum mpj_arrival_kind {
  MPJ_ARRIVAL_INLINE,  /* the data is in the message */
  MPJ_ARRIVAL_EAGER,   /* it is the message's payload */
  MPJ_ARRIVAL_ADVERT,  /* it waits at the sender: data is an mpj_am_remote */
  MPJ_ARRIVAL_POISON,  /* there is none: the sender's copy failed with `digest` as its code */
  MPJ_ARRIVAL_COMPARE, /* the sender waits in this operation, or shows it: is this rank's the same?
                          bit: 0, or one of MPJ_COMPARE_... */
  MPJ_ARRIVAL_POISON_OPERATION, /* a rank has failed, with a code (`bytes`: mpj_cause_tell): end the
                                  operation; with bit 1 the communicator too, whatever operation
                                  you are in. data is a struct mpj_difference, or empty */
  MPJ_ARRIVAL_ENDED,            /* the sender has ended the communicator, by `operation`. bit: enum
                                   mpj_ending_kind. If that is MPJ_ENDING_BROKEN, the rest is as of
                                   POISON_OPERATION; else two records (closing_tree.h) */
  MPJ_ARRIVAL_CIRCLE /* the sender waits for this rank in this operation: rank `bytes` of WORLD asks
                         whether the ranks wait for each other; digest: its stamp. data is a struct
                         mpj_difference (circle.h) */
};
enum { MPJ_SAID_BITS = 64 - MPJ_ARRIVALS_BITS };
#define MPJ_SAID_MOST ((UINT64_C(1) << MPJ_SAID_BITS) - 1) /* bytes: more than memory has */
struct mpj_arrival_message {
  uint32_t comm;     /* id */
  uint32_t sequence; /* operation number modulo 2^32 */
  uint8_t kind : 3, operation : 5;
  uint8_t algorithm, radix, segments; /* radix and segments: of the algorithm */
  int32_t root;
  uint64_t bytes : MPJ_SAID_BITS;   /* of data, MPJ_SAID_MOST at most */
  uint64_t bit : MPJ_ARRIVALS_BITS; /* which arrival it is (schedule.h) */
  uint64_t digest;                  /* of its signature */
  unsigned char data[MPJ_INLINE_MAX];
};
enum { MPJ_ARRIVAL_HEADER = 32 }; /* bytes before data */
static_assert(offsetof(struct mpj_arrival_message, data) == MPJ_ARRIVAL_HEADER, "without gaps");

static inline void mpj_message_say(struct mpj_arrival_message *m, int64_t bytes, unsigned bit)
{
  m->bytes = (uint64_t)bytes > MPJ_SAID_MOST ? MPJ_SAID_MOST : (uint64_t)bytes & MPJ_SAID_MOST;
  m->bit = bit & MPJ_ARRIVALS_MOST;
}
static inline int64_t mpj_message_bytes(const struct mpj_arrival_message *m)
{
  return (int64_t)m->bytes;
}
enum {
  MPJ_COMPARE_ANSWERS = 1, /* it shows what it has ended, or that it does not know */
  MPJ_COMPARE_SHOWS /* it shows what it has called, having ended the communicator (closing.h) */
};

/* Two ranks that called different things as one operation. */
struct mpj_difference {
  int32_t rank[2]; /* equal: there is no difference */
  struct mpj_called called[2];
  /* In a message the data ends here, and the rest is its digest (mpj_difference_say). */
  uint32_t sequence; /* modulo 2^32 */
  uint32_t made_by;  /* 0; or 1 + the number of the operation that made the persistent request of
                        which this one is a start */
};
enum { MPJ_DIFFERENCE_DATA = offsetof(struct mpj_difference, sequence) };
static_assert((int)MPJ_DIFFERENCE_DATA <= (int)MPJ_INLINE_MAX, "a message has room for it");

/* Why an operation ends before its steps have, or a communicator is broken. */
struct mpj_cause {
  int code;    /* 0: nothing has failed */
  int culprit; /* rank that failed first, or that what came is from */
  struct mpj_difference difference;
};

/* An arrival that is ahead of this rank. */
struct mpj_early {
  struct mpj_early *next;
  struct mpj_arrival_message message;
  struct mpj_am_kept kept;     /* of EAGER */
  struct mpj_relay_data *data; /* it is EAGER by that, once it is here (relay_data.h); or NULL */
  int source;
  bool relays; /* it has still to be sent on (relay.h) */
  bool late;   /* the rank has called, and its data is still on its way here */
  int relayed; /* children that have got it from here */
};

/* Of a send that a relay has begun: the child has it; or is offered it, and ends the step. Of a
 * copy to the bundle of such a send: FORWARDED. */
enum mpj_forwarded { MPJ_FORWARD_NOT, MPJ_FORWARDED, MPJ_FORWARD_OFFERED };

/* Long data of one step, from the advertisement to the last byte; or a copy that goes on a little
 * at a time while others are under way. */
struct mpj_transfer {
  struct mpj_transfer *next; /* in its slot's list, or in the free list */
  struct mpj_comm *comm;
  struct mpj_slot *slot;
  uint32_t step;
  bool sending; /* exposed by us; else pulled by us */
  bool begun;   /* the pull is under way */
  bool copying; /* a copy, `from` -> `cursor` */
  bool has_cursor;
  int source;
  struct mpj_am_remote remote;
  struct mpj_cursor cursor, from;
  struct mpj_pull_how how;
  MPJ_Count combined; /* bytes that how.take has combined */
};

/* Bytes for the arrays of a short operation: 32 steps, and 16 temporaries. */
enum { MPJ_SLOT_SMALL = 576 };

/* A call's arguments: for each buffer an address and a type (NULL where the
 * call has none or it is not significant here). */
struct mpj_call {
  void *sendbuf, *recvbuf; /* sendbuf is only read */
  const struct mpj_type *sendtype, *recvtype;
  /* What reduce steps do: one of */
  int reduce;              /* 1 + enum mpj_reduce_op, or 0: not a predefined operation */
  const struct mpj_op *op; /* a user's operation, or NULL */
  mpj_combine_fn *combine; /* anything else, with combine_ctx */
  void *combine_ctx;
  struct mpj_layout *temp; /* element of temporaries, dense; NULL: a byte */
  MPJ_Count unit;          /* bytes between places where a packed stream may be cut */
  const char *part_of; /* the public function of which it is a part; NULL: it is a program's own */
  struct mpj_plan *plan; /* its schedule's for these types (plan.h), borrowed; NULL: look for it */
  /* Of a call that is found among those that are known (calls/known_calls.h); else NULL: */
  struct mpj_schedule *schedule; /* borrowed, as the plan, until the cache has */
  uint64_t dropped;              /* dropped more than so many */
};

/* Invariant: while it is not active none of the fields from `listed` to `active` is set. */
struct mpj_slot {
  struct mpj_slot *next; /* of those that are kept */
  /* What every operation uses: what few set, and many read at a time, */
  bool listed;     /* each step runs once it can, by the arrays below; else they run in their order,
                      and only the first `done` are complete (engine.h) */
  bool tells;      /* nobody waits for it: it tells of a difference (progress.c) */
  bool disagrees;  /* something has come, or was counted in, that is of no call like this one's */
  bool abandoned;  /* it has failed, and ends before its steps are complete */
  bool relayed;    /* some sends were begun before the call (relay.h) */
  bool data_came;  /* what some early arrivals waited for is here (relay_data.h) */
  bool look_again; /* a peer has gone or ended, or a pull ended without its data: see who */
  uint32_t done;
  int status;            /* what the call will return */
  uint32_t tests;        /* of it, while it is not listed, that found nothing */
  uint32_t changes_seen; /* of ranks' states, when the ranks were last looked at for it */
  /* and what all set. Apart from the flags above: a byte that was written just before eight are
   * read at once holds these up for some 12 ns, and longer where stores wait for a peer's line. */
  bool counted;               /* this rank has counted in at the present meeting */
  bool active;                /* the rank's call has begun and not ended */
  bool posted;                /* this rank's data is posted */
  bool walking;               /* steps run in their order just now */
  void (*ended)(void *owner); /* takes the outcome; NULL: a blocking call waits for it */
  void *owner;
  uint64_t sequence; /* of the active operation, or the last one */
  struct mpj_schedule *schedule;
  struct mpj_plan *plan;       /* NULL where the schedule has no steps */
  const struct mpj_call *call; /* borrowed until it ends */
  struct mpj_noted *noted;     /* what is noted of it meanwhile (tally.h), owned; or NULL */
  struct mpj_early *early;     /* arrivals kept; newest first */
  uint32_t *asked;             /* [ranks of WORLD] the last question of each that has been asked on
                                  from here (failure/circle.h), owned; or NULL */
  struct mpj_bits seen;
  struct mpj_scratch *scratch; /* where temporaries come from */
  void **temporaries;          /* [ntemporaries]; NULL until first used */
  struct mpj_cause poison;     /* with a code: known before the call that it has failed */
  bool poison_heard;           /* from another rank; else found by this one, and nobody knows */
  bool poison_broken;          /* and the communicator is broken there */

  /* while it is listed: */
  unsigned left; /* steps that are not complete */
  unsigned nready, nblocked;
  int64_t give_up_ns;             /* when it waits no more for verdicts; 0: it does not wait yet */
  unsigned looked;                /* of the schedule's posted steps, those before it have come */
  void *memory;                   /* of the arrays, `temporaries` too: `small`, or borrowed */
  uint32_t *waits;                /* [nsteps] what each step still waits for */
  uint32_t *ready;                /* [nsteps] steps to run */
  uint32_t *blocked;              /* [nsteps] steps that found no room */
  unsigned char *complete;        /* [nsteps] whether the step is */
  unsigned char *forwarded;       /* [nsteps] enum mpj_forwarded; if relayed */
  struct mpj_transfer *transfers; /* under way */
  _Alignas(8) unsigned char small[MPJ_SLOT_SMALL];

  /* when it fails: */
  struct mpj_bits
      told;       /* of the ranks, who have been told; of `in_turn`: those before size - untold */
  bool in_turn;   /* there is no memory for all */
  uint16_t since; /* when it was abandoned, or `lacks` was set, in 1/64 s, modulo 2^16 */
  uint32_t lacks; /* 1 + `sequence`, modulo 2^32, of an operation of which one who is needed has
                     left, and why is not known yet */
  int untold;     /* how many have still to be told */
  struct mpj_cause cause;
  char *why; /* the sentence that goes with `status` (mpj_error_store); owned */
};

/* slots.c */

/* One that is not active and keeps nothing: only to be read. */
extern const struct mpj_slot mpj_no_slot;
/* A slot for an operation, and give it back: a thread keeps the last ones that it has given back,
 * until it ends or calls mpj_slots_end. NULL: there is no memory; but some slots of the process are
 * there for failures, of which there are few at a time. */
struct mpj_slot *mpj_slot_make(struct mpj_scratch *scratch, bool for_failure);
void mpj_slot_drop(struct mpj_slot *slot);
void mpj_slots_end(void);

/* slot.c */

/* Give back what a slot has borrowed. */
void mpj_slot_release(struct mpj_slot *slot);

/* Have memory for the arrays of a slot that is to run this schedule: the slot's own, or (false:
 * there is none) borrowed. */
bool mpj_slot_take_memory(struct mpj_slot *slot, const struct mpj_schedule *schedule);

/* List the steps of a slot of which the first `done` are complete. pending: the next one is under
 * way, and will end by mpj_step_ended. */
void mpj_slot_list(struct mpj_comm *comm, struct mpj_slot *slot, bool pending);

/* Steps that are not complete. */
static inline unsigned mpj_slot_left(const struct mpj_slot *slot)
{
  return slot->listed ? slot->left : (unsigned)slot->schedule->nsteps - slot->done;
}

/* Of a listed slot: step i has ended, and with MPJ_AM_PENDING has not; release what waited for it.
 */
void mpj_step_ended(struct mpj_slot *slot, unsigned i, int status);
/* Remember an operation's first error, which the call returns; its sentence is
 * the thread's present detail. */
void mpj_operation_note_error(struct mpj_slot *slot, int code);

#endif
