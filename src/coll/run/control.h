/* This header declares the control structure: what one rank knows of the
 * collectives of one communicator that are under way.
 *
 * Operations on a communicator are numbered 0, 1, 2, ...; operation n lives in
 * slot n mod W, W = MPJ_WINDOW, or MPJ_SMALL_WINDOW of a persistent request. The slot of the
 * operation that the rank is in is the literature's `cur`, those after it are `next`: arrivals for
 * operations that this rank has not called yet are kept there. `seen` is the bit vector of
 * arrivals, bit 0 being the rank's own call, and cur_val the first
 * synchronisation point not passed: the first clear bit of seen.
 *
 * Invariants:
 *   completed <= started <= completed + W
 *   a rank sends to peer r as part of operation n only if n < done(r) + W,
 *   so every arrival's n satisfies completed <= n < completed + W
 *   (arrivals of abandoned operations may be older: they are dropped)
 *   done, published in the control window, is `completed`; before it is raised
 *   past n, slot n's bits have been cleared
 *
 * Everything here belongs to the thread that holds the rank (gate.h), but the control
 * window, in which peers set bits. */
#ifndef MPJ_SRC_COLL_RUN_CONTROL_H
#define MPJ_SRC_COLL_RUN_CONTROL_H

#include <stdbool.h>
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
struct mpj_request;
struct mpj_scratch;

/* What travels. `data` holds inline bytes, an mpj_am_remote or an mpj_difference. */
enum { MPJ_INLINE_MAX = 24 };
enum mpj_arrival_kind {
  MPJ_ARRIVAL_INLINE,  /* the data is in the message */
  MPJ_ARRIVAL_EAGER,   /* it is the message's payload */
  MPJ_ARRIVAL_ADVERT,  /* it waits at the sender: data is an mpj_am_remote */
  MPJ_ARRIVAL_POISON,  /* there is none: the sender's copy failed with `digest` as its code */
  MPJ_ARRIVAL_COMPARE, /* the sender waits in this operation, or shows it: is this rank's the same?
                        */
  MPJ_ARRIVAL_POISON_OPERATION, /* rank `bytes` has failed with code `digest`: end the operation;
                                  with bit 1 the communicator too, whatever operation you are in.
                                  data is a struct mpj_difference, or empty */
  MPJ_ARRIVAL_ENDED, /* the sender has ended the communicator, by `operation`, after `bytes`
                       operations, of which `digest` is the hash; bit: what they say, and if that
                       is MPJ_ENDING_BROKEN, the rest as of POISON_OPERATION (closing.h) */
  MPJ_ARRIVAL_CIRCLE /* the sender waits for this rank in this operation: rank `bytes` of WORLD asks
                         whether the ranks wait for each other; digest: its stamp. data is a struct
                         mpj_difference (circle.h) */
};
struct mpj_arrival_message {
  uint32_t comm;     /* id */
  uint32_t sequence; /* operation number modulo 2^32 */
  uint8_t kind, operation, algorithm, bit;
  int16_t root;
  uint8_t radix, segments; /* of the algorithm */
  int64_t bytes;           /* of data */
  uint64_t digest;         /* of its signature */
  unsigned char data[MPJ_INLINE_MAX];
};
enum { MPJ_ARRIVAL_HEADER = 32 }; /* bytes before data */

/* Two ranks that called different things as one operation. */
struct mpj_difference {
  uint32_t sequence; /* modulo 2^32 */
  int16_t rank[2];   /* equal: there is no difference */
  struct mpj_called called[2];
  uint32_t made_by; /* 0; or 1 + the number of the operation that made the persistent request of
                       which this one is a start */
};
static_assert(sizeof(struct mpj_difference) <= MPJ_INLINE_MAX, "a message has room for it");

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
  struct mpj_am_kept kept; /* of EAGER */
  int source;
  bool relays; /* it has still to be sent on (relay.h) */
  int relayed; /* children that have got it from here */
};

/* Long data of one step, from the advertisement to the last byte. */
struct mpj_transfer {
  struct mpj_transfer *next; /* in its slot's list, or in the free list */
  struct mpj_comm *comm;
  struct mpj_slot *slot;
  uint16_t step;
  bool sending; /* exposed by us; else pulled by us */
  bool begun;   /* the pull is under way */
  bool has_cursor;
  int source;
  struct mpj_am_remote remote;
  struct mpj_cursor cursor;
};

/* Bytes for the arrays of a short operation: 32 steps, and 16 temporaries. */
enum { MPJ_SLOT_SMALL = 384, MPJ_SLOT_STEPS = MPJ_SLOT_SMALL / 8 };

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
  uint32_t binding;        /* of its schedule's plan, which matches it (plan.h); 0: not known */
};

/* Of a buffer's type: part i is the bytes from at[i] to at[i + 1] of its packed stream. */
struct mpj_part_offsets {
  MPJ_Count *at; /* [parts + 1], borrowed; NULL until first used */
  bool known;    /* for the active operation */
};

/* Invariant: while it is not active none of the fields from `active` to `status` is set, but for
 * `posted`, which tells of the last operation. */
struct mpj_slot {
  /* What every operation uses, */
  bool active;     /* the rank's call has begun and not ended */
  bool in_order;   /* of the steps only the first `done` of the plan are complete, no transfer is
                      under way, and no arrays but `temporaries` are set (in_order.h) */
  bool tells;      /* nobody waits for it: it tells of a difference (progress.c) */
  bool counted;    /* this rank has counted in at the present meeting */
  bool disagrees;  /* something has come, or was counted in, that is of no call like this one's */
  bool abandoned;  /* it has failed, and ends before its steps are complete */
  bool relayed;    /* some sends were done before the call (relay.h) */
  bool look_again; /* a peer has gone or ended, or a pull ended without its data: see who */
  unsigned done;
  int status;                  /* what the call will return */
  bool posted;                 /* this rank's data is posted */
  struct mpj_request *request; /* that will take the outcome; NULL: a blocking call waits */
  uint64_t sequence;           /* of the active operation, or the last one */
  struct mpj_schedule *schedule;
  const struct mpj_call *call; /* borrowed while it is in order; else `copy` */
  struct mpj_noted *noted;     /* what is noted of it meanwhile (tally.h), owned; or NULL */
  struct mpj_early *early;     /* arrivals kept; newest first */
  struct mpj_bits seen;
  struct mpj_scratch *scratch; /* where temporaries come from */
  void **temporaries;          /* [ntemporaries]; NULL until first used */
  struct mpj_cause poison;     /* with a code: known before the call that it has failed */
  bool poison_heard;           /* from another rank; else found by this one, and nobody knows */
  bool poison_broken;          /* and the communicator is broken there */

  /* while it is spread: */
  struct mpj_call copy;
  unsigned left; /* steps that are not complete */
  unsigned cur_val;
  unsigned nready, nblocked;
  unsigned looked;          /* of the schedule's posted steps, those before it have come */
  void *memory;             /* of the arrays, `temporaries` too: `small`, or borrowed */
  uint16_t *waits;          /* [nsteps] what each step still waits for */
  uint16_t *ready;          /* [nsteps] steps to run */
  uint16_t *blocked;        /* [nsteps] steps that found no room */
  unsigned char *complete;  /* [nsteps] whether the step is */
  unsigned char *forwarded; /* [nsteps] of sends: done before the call; if relayed */
  struct mpj_part_offsets offsets[2]; /* of the receive and the send buffer */
  struct mpj_transfer *transfers;     /* under way */
  _Alignas(8) unsigned char small[MPJ_SLOT_SMALL];

  /* when it fails: */
  struct mpj_bits told; /* of the ranks, who have been told */
  int untold;           /* how many have still to be */
  struct mpj_cause cause;
  char why[240]; /* the sentence that goes with `status` */
};

/* Set up a zeroed slot; give back what it has borrowed. */
void mpj_slot_begin(struct mpj_slot *slot, struct mpj_scratch *scratch);
void mpj_slot_release(struct mpj_slot *slot);

/* Begin operation comm->started with this schedule and these arguments; the
 * slot is borrowed until mpj_engine_finish. It is in order if that is possible, and then the call
 * is borrowed, too, until it is spread; what was in order before is spread. Errors: MPJ_ERR_NO_MEM,
 * in which case nothing has begun. */
MPJ_HOT int mpj_engine_start(struct mpj_comm *comm, struct mpj_schedule *schedule,
                             const struct mpj_call *call, struct mpj_slot **slot);

/* An operation that is in order is so no more: its steps wait each for its own dependencies. */
MPJ_ASIDE void mpj_engine_spread(struct mpj_comm *comm, struct mpj_slot *slot);

/* Bytes that an operation with this schedule needs for its arrays. */
size_t mpj_slot_bytes(const struct mpj_schedule *schedule);

/* Run what can be run. Returns whether anything moved. */
bool mpj_engine_advance(struct mpj_comm *comm, struct mpj_slot *slot);

/* Whether the operation has ended and its buffers are the caller's. */
bool mpj_engine_is_finished(const struct mpj_comm *comm, const struct mpj_slot *slot);

/* Clear a finished slot, publish the progress, and return the call's status. */
MPJ_HOT int mpj_engine_finish(struct mpj_comm *comm, struct mpj_slot *slot);

/* Poll until finished, then finish: the rest of a blocking call. */
MPJ_HOT int mpj_engine_complete(struct mpj_comm *comm, struct mpj_slot *slot);

/* Begin an operation that has failed with `status` on this rank, so that the
 * others hear of it; it has no steps. There is room for it. Cannot fail. */
struct mpj_slot *mpj_engine_start_failed(struct mpj_comm *comm, int status);

/* progress.c: move on everything of the rank that is under way, on whatever
 * communicator, without waiting; operations with a request that have ended are
 * finished. Returns whether anything moved. */
bool mpj_engine_progress(struct mpj_context *context);
/* The same but for one slot, whose caller looks after it, and without a poll. */
bool mpj_engine_advance_others(struct mpj_context *context, const struct mpj_slot *slot);
/* One turn of a loop that waits for requests: progress, or, if there is nothing
 * to do, a look at the other ranks and a pause. */
struct mpj_pause {
  unsigned idle;
  uint32_t changes; /* of ranks, as last looked at */
};
void mpj_engine_step(struct mpj_pause *pause);
/* The same without a pause. Returns whether anything moved, or was looked at. */
bool mpj_engine_turn(struct mpj_context *context, struct mpj_pause *pause);
/* Look after what waits for long (mpj_watch). */
void mpj_engine_watch(struct mpj_context *context);
/* The end of such a loop: what the calling rank has sent leaves its process. */
void mpj_engine_settle(void);
/* Wait until a further operation may begin at once, all queued ones being on
 * their way. */
void mpj_engine_make_room(struct mpj_comm *comm);

/* steps.c, with step_send.c, step_local.c, step_take.c, mismatch.c and transfers.c: run step i,
 * whose dependencies are complete. MPJ_AM_AGAIN: it found no room; MPJ_AM_PENDING: it will
 * complete by a callback; else it is complete. */
int mpj_step_run(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i);
/* Whether an operand that describes `own` takes data of so many bytes with this digest: of the
 * same signature, or less of it where that is allowed (MPJ_SIGNATURES). */
bool mpj_step_takes(const struct mpj_slot *slot, const struct mpj_signature *own, MPJ_Count bytes,
                    uint64_t digest);
/* The error of step i, whose signature `own` is not that of what `source` sent. bound: its
 * operand, or zero. */
struct mpj_bound;
int mpj_step_mismatch(const struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                      MPJ_Count bytes, uint64_t digest, const struct mpj_bound *bound,
                      const struct mpj_signature *own);
/* mismatch.c: the same of a copy between two buffers of this rank. */
int mpj_step_copy_mismatch(const struct mpj_comm *comm, const struct mpj_slot *slot,
                           struct mpj_operand from, const struct mpj_view *src,
                           struct mpj_operand to, const struct mpj_view *dst);
/* Whether it is found out what `source`, which runs another algorithm, has sent of the slot's
 * operation: then that is the thread's detail. */
bool mpj_step_other_data(const struct mpj_comm *comm, const struct mpj_slot *slot, int source,
                         const struct mpj_arrival_message *message);
/* The header of what this step sends. */
struct mpj_arrival_message mpj_step_message(const struct mpj_comm *comm,
                                            const struct mpj_schedule *schedule, uint64_t sequence,
                                            const struct mpj_step *step);
/* Whether the peer has room for operation `sequence` in its window. */
MPJ_HOT bool mpj_window_is_open(struct mpj_comm *comm, uint64_t sequence, int peer);
/* Whether the member has taken its window: nobody counts in at it before. */
MPJ_HOT bool mpj_member_has_joined(struct mpj_comm *comm, int rank);
/* Count step i as complete and release what waited for it. */
void mpj_step_complete(struct mpj_slot *slot, uint16_t i);
/* The arrival of step i is here and nothing else is missing: take the data
 * (eager payloads are read here), or queue the pull. Runs no other step. */
void mpj_step_take(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                   const struct mpj_arrival_message *message, const void *payload);
/* Remember an operation's first error, which the call returns; its sentence is
 * the thread's present detail. */
void mpj_operation_note_error(struct mpj_slot *slot, int code);
/* Move pulls on; whether anything moved. */
bool mpj_transfers_advance(struct mpj_comm *comm, struct mpj_slot *slot);
/* Abandon what can be abandoned at once: exposures and pulls not begun. */
void mpj_transfers_abandon(struct mpj_comm *comm, struct mpj_slot *slot);

/* binding.c: what an operand is for this call. Sets the view, the address it is
 * relative to (NULL together with *in_place where the buffer is MPJ_IN_PLACE)
 * and, if wanted, its signature. */
struct mpj_bound {
  struct mpj_view view; /* of the whole, where the operand is a segment */
  void *base;
  bool in_place;
  MPJ_Count first, bytes; /* the operand's stretch of the view's packed stream */
};
/* Where segment k of n begins in a packed stream of `bytes` bytes. */
MPJ_Count mpj_segment_at(MPJ_Count bytes, MPJ_Count unit, MPJ_Count k, MPJ_Count n);
/* The hash of a segment's signature, which is unlike that of any others, by that of the whole's and
 * by where it begins; and the whole's by that of the segment's. */
static inline uint64_t mpj_segment_hash(uint64_t hash, MPJ_Count first)
{
  return hash ^ ((uint64_t)first * UINT64_C(0x9e3779b97f4a7c15)) >> 3;
}
/* A segment's bytes as a view of their own, relative to the same base; any other
 * operand's view. The data must be dense for a segment. */
struct mpj_view mpj_bound_view(const struct mpj_comm *comm, const struct mpj_bound *bound);
int mpj_bind_operand(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand operand,
                     struct mpj_bound *bound, struct mpj_signature *signature);
/* The elements that a temporary holds, for reductions. */
int mpj_bind_elements(struct mpj_slot *slot, struct mpj_operand temporary,
                      struct mpj_view *elements);
/* bundle.c: what a bundle holds, as bytes; to be sent. */
int mpj_bind_bundle(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand bundle,
                    struct mpj_bound *bound, struct mpj_signature *signature);
/* Room for the `bytes` bytes of a bundle that arrives. */
int mpj_bundle_expect(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand bundle,
                      MPJ_Count bytes, struct mpj_bound *bound, struct mpj_signature *signature);
/* Whether the bundle is here with all that should be in it. */
bool mpj_bundle_is_whole(const struct mpj_slot *slot, struct mpj_operand bundle);
/* Run a copy from or to a bundle. One of what has not come does nothing but let the
 * bundle that it goes to lack it: what else is in bundles reaches its place. */
int mpj_bundle_copy(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);
/* Have a bundle, if there is none, to which nothing is added here. */
int mpj_bundle_begin(struct mpj_slot *slot, struct mpj_operand bundle);
/* Hand a bundle's records to the recv_either steps that they are for. */
int mpj_bundle_deliver(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);
/* packed.c: the same basic types as the view's, in the same order, with nothing
 * between, at displacement 0. Made once for each layout; *twin's is borrowed from
 * there. Errors: MPJ_ERR_NO_MEM. */
int mpj_packed_twin(const struct mpj_view *view, struct mpj_view *twin);

/* arrival.c: the handler of MPJ_AM_COLLECTIVE; ctx is the rank's context. */
MPJ_HOT enum mpj_am_verdict mpj_on_arrival(void *ctx, const struct mpj_am_arrival *arrival,
                                           struct mpj_am_dest *dest);
/* What the peer of recv step i, which waits for nothing else, has posted for this
 * operation; payload: of EAGER, whose length the message says. */
void mpj_on_post(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i,
                 const struct mpj_arrival_message *message, const void *payload);
/* Hand the early arrivals of a slot that has become active to its steps. */
void mpj_early_route(struct mpj_comm *comm, struct mpj_slot *slot);
/* Step i has become ready: give it its early arrival. */
void mpj_early_take(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i);
void mpj_early_drop_all(struct mpj_comm *comm, struct mpj_slot *slot);

/* posts.c: run post step i: post if it can be. Never blocks. */
int mpj_post_run(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i);
/* Whether nobody can be reading what was posted in this operation's slot before. */
MPJ_HOT bool mpj_post_is_free(struct mpj_comm *comm, uint64_t sequence);
/* Where the data of a post of m->bytes bytes goes: in the message, whose kind is set, on the board,
 * or NULL: there is no room. */
MPJ_HOT void *mpj_post_place(struct mpj_comm *comm, uint64_t sequence,
                             struct mpj_arrival_message *m);
/* Where the data of a post by `world` lies, NULL: in the message; false if the message makes no
 * sense. */
MPJ_HOT bool mpj_post_data(struct mpj_comm *comm, int world, const struct mpj_arrival_message *m,
                           const void **payload);
/* Whether rank has posted for operation `sequence`; *m is what. */
MPJ_HOT bool mpj_post_look(struct mpj_comm *comm, int rank, uint64_t sequence,
                           struct mpj_arrival_message *m);
/* Where one rank alone posts, this one has: another rank that has posted, too, or -1. Of two
 * that post, at least one sees the other's (mpj_control_look). *m is what it has posted. */
MPJ_HOT int mpj_post_of_stranger(struct mpj_comm *comm, enum mpj_operation operation,
                                 uint64_t sequence, struct mpj_arrival_message *m);
/* Take what has been posted for the steps that wait for nothing else; whether there was any. */
bool mpj_posts_look(struct mpj_comm *comm, struct mpj_slot *slot);

/* needs.c: whether step i, which is not complete, needs its peer: what comes either way may yet be
 * in a bundle, from another rank. */
bool mpj_step_needs_peer(const struct mpj_slot *slot, unsigned i);
/* Whether a step that is not complete needs something that `rank` has not done. */
bool mpj_operation_needs(const struct mpj_slot *slot, int rank);

/* failure.c: end the operation on this rank because of `cause`; tell the others unless
 * they know (told = true). The thread's error detail says why. Where the ranks
 * can then no longer be in step, the communicator is broken for all of them. */
void mpj_operation_abandon(struct mpj_comm *comm, struct mpj_slot *slot,
                           const struct mpj_cause *cause, bool told);
/* Make the error of an operation that another rank ended: the thread's detail
 * says how two ranks' calls differ; or who failed, and how it died if it did. Returns the code. */
int mpj_error_elsewhere(struct mpj_comm *comm, const struct mpj_slot *slot,
                        const struct mpj_cause *cause);
/* Another rank has told us that it failed in this operation: end it here. Where
 * that breaks the communicator here but did not there (broken_there), tell the
 * others. */
void mpj_operation_poisoned(struct mpj_comm *comm, struct mpj_slot *slot,
                            const struct mpj_cause *cause, bool broken_there);
/* Another rank has told us that `comm` is broken: end whatever is under way. */
void mpj_comm_broken_elsewhere(struct mpj_comm *comm, const struct mpj_cause *cause);
/* Break `comm`, with which nothing is under way here, and tell all its ranks. Waits
 * until they can be told. Returns MPJ_ERR_COMM. */
int mpj_comm_renounce(struct mpj_comm *comm);
/* Send poison to those who have not been told; whether anything moved. */
bool mpj_poison_advance(struct mpj_comm *comm, struct mpj_slot *slot);
/* If `rank` died or left: abandon the operation, which needs it, and say true. */
bool mpj_operation_lost_peer(struct mpj_comm *comm, struct mpj_slot *slot, int rank);
/* Look for ranks that died or left and that this operation still needs. */
void mpj_notice_failures(struct mpj_comm *comm, struct mpj_slot *slot);
/* Something that does not fit the operation under way has come from `source` (-1: it is not known
 * from where); message: if it was one. */
void mpj_operation_stranger(struct mpj_comm *comm, struct mpj_slot *slot, int source,
                            const struct mpj_arrival_message *message);

/* watch.c: look after an operation that waits: report it (MPJ_STALL_REPORT_S),
 * and find out whether the others are in another one. Cheap; call it often. */
void mpj_watch(struct mpj_comm *comm, struct mpj_slot *slot);
/* A rank that waits for this one says what operation it is in. */
void mpj_watch_compare(struct mpj_comm *comm, struct mpj_slot *slot, int source,
                       const struct mpj_arrival_message *message);

#endif
