/* This header declares communicators: a rank's place among others, and the
 * control structure of their collectives.
 *
 * A communicator's id is the same on all members: MPJ_SELF_ID + its serial. Each member has chosen
 * its control window by itself. The handle is the id as an address, so that a freed one is
 * recognised without being looked at; WORLD and SELF are ids 1 and 2 of serial 0. Serials rise: a
 * communicator's is higher than those of all that its parent's ranks had before, so that a rank
 * never sees one again (comm_make.c). Its operations count from serial << MPJ_SERIAL_SHIFT, so that
 * what a window says of one communicator is never taken for another's (context_ids.h). */
#ifndef MPJ_SRC_COLL_COMM_COMM_H
#define MPJ_SRC_COLL_COMM_COMM_H

#include <assert.h>

#include <mpj/coll.h>

#include "base/map.h"
#include "coll/comm/members.h"
#include "coll/control/signals.h"
#include "coll/plan/schedule.h"
#include "coll/run/control.h"
#include "coll/select/facts.h"

struct mpj_attribute;
struct mpj_checker;
struct mpj_closing;
struct mpj_context;

enum { MPJ_SCHEDULES_CACHED = 64, MPJ_RECORDS_RESERVED = 16, MPJ_KNOWN_LISTS = 32 };
enum { MPJ_CALLED_KEPT = 128 };
enum { MPJ_SERIAL_SHIFT = 36, MPJ_WORLD_ID = 1, MPJ_SELF_ID = 2 };
/* Set in the ids of persistent requests, which each member chooses. */
#define MPJ_PERSISTENT_ID (UINT32_C(1) << 31)
struct mpj_known;
struct mpj_joining;
struct mpj_torus;

/* A communicator's schedules; those of its persistent requests are among them. */
struct mpj_schedules {
  unsigned ncached, room;
  struct mpj_schedule **cached; /* [room] owned */
  struct mpj_known
      *known[MPJ_KNOWN_LISTS];  /* calls, with their plans (calls/known_calls.h); owned */
  uint64_t dropped;             /* schedules and plans, to make room for others */
  uint64_t clock;               /* of schedule uses */
  struct mpj_schedule no_steps; /* of an operation that failed before it began */
};

/* Where a member has a persistent request's communicator. */
struct mpj_member_place {
  uint32_t id;      /* it goes by there */
  uint32_t control; /* window there */
  int world;        /* the member's number in WORLD */
};

struct mpj_comm {
  struct mpj_context *context; /* of the rank that it belongs to */
  uint32_t id;                 /* the same on all members; see `places` */
  unsigned control;            /* number of its control window */
  uint32_t *context_ids; /* [size] those at the members; owned; NULL: the same; see `places` */
  struct mpj_control_window *window; /* this rank's own; borrowed; NULL where size is 1 */
  uint64_t serial;
  int rank, size;
  int peers_from; /* where schedules begin to count: 0, or, where ranks share them, its rank */
  struct mpj_members *members; /* shared; NULL: all of WORLD, by their own numbers */
  struct mpj_net *net;         /* borrowed; NULL where size is 1 */
  struct mpj_facts facts;      /* what the members agreed on */

  bool busy;     /* in the context's list of communicators with operations under way */
  bool relaying; /* early arrivals are to be sent on */
  bool freed;    /* by its user: to be left as soon as nothing is under way */
  bool left;     /* by this rank */
  bool all_left; /* its control window is no longer its own */
  uint8_t looks; /* after a sparse Alltoall: calls that look for stray data (one_sided.h) */
  bool strayed;  /* some has come too late for its call: stray_from */
  struct mpj_comm *next;
  struct mpj_comm *before, *after; /* in the context's list of those that have not been left */
  unsigned requests; /* that name it, inactive persistent ones and their communicators too */
  unsigned lent; /* its persistent requests' communicators, left ones too: they use its tables */
  char *name;    /* owned, or NULL */
  MPJ_Comm_qualifies_fn *qualifies; /* or NULL (steps/verdict.h) */
  void *qualifies_ctx;
  struct mpj_torus *torus; /* owned, or NULL: its shape (torus/shape.h) */
  struct mpj_attribute *attributes;

  unsigned last_slot; /* its slots less 1: operation n uses slot n & last_slot */
  /* [last_slot + 1] owned; one that nothing is known of, nor kept for, is mpj_no_slot. */
  struct mpj_slot *slots[MPJ_WINDOW];
  struct mpj_schedules *schedules; /* owned, or its user's */

  uint64_t started, completed;
  struct mpj_request *queued;      /* started by the user, in order; waiting for room */
  struct mpj_request *queued_last; /* of them; unspecified if there are none */
  uint64_t *met; /* [last_slot + 1] of each slot: the word when all are there (mpj_control_meet);
                    owned; NULL until an operation meets */
  struct mpj_control *windows; /* the context's; borrowed */
  struct mpj_scratch *scratch; /* the context's; borrowed */
  struct mpj_map known_done;   /* by peer: operations that it is known to have completed */
  uint64_t posts_until;        /* operations before which all have ended what they may read of posts
                                  in their slots */
  uint64_t abandoned_end;      /* arrivals of operations before this one may come after their end */

  uint32_t all_there;      /* as of so many changes (mpj_net_changes) no member had gone */
  int died;                /* 1 + the member that this rank saw dead first; 0: none */
  struct mpj_cause broken; /* with a code: every further call returns it; culprit -1: broken_why
                              says it all */
  char *broken_why;        /* owned (mpj_error_store) */
  bool reported;           /* a call has returned it to the program */

  struct mpj_closing *closing; /* owned; NULL where size is 1 (closing.h) */
  uint64_t history;            /* a hash of what was called here, and of the roots */
  bool unsure;                 /* a call has failed, whose arguments may have been any */
  bool undone;                 /* operations were left before their end */

  uint64_t watched;       /* operation + 1 that these are about (watch.c); times in seconds */
  double stall_since;     /* when this rank was first found waiting in it, or last reported */
  double compare_at;      /* when to compare notes with the others next */
  double compare_pause;   /* and how long after that again */
  double suspected_since; /* since when another seems to have ended it otherwise; 0: none */
  uint64_t answered; /* 1 + the operation of which one that has ended it has said what it knows */

  struct mpj_checker *checker; /* owned; NULL unless in checking mode (check.h) */

  /* Of a persistent request (persistent.h): */
  struct mpj_comm *user;           /* the communicator that the program named; else NULL */
  struct mpj_member_place *places; /* [size] owned; NULL: `id` and `control` on all members */
  struct mpj_called started_as;    /* what each of its operations is */
  uint64_t made_by;                /* the user's operation that is its init */
  struct mpj_joining *joining;     /* owned; until all members are known to have called the init, */
  struct mpj_request *init;        /* whose exchange this is then; borrowed */
  struct mpj_comm *sibling, **sibling_link; /* in its user's list; what points at it there */
  struct mpj_comm *persistent; /* list of those of this communicator's persistent requests */
  MPJ_Datatype init_record, init_records; /* what inits exchange; NULL until first used */

  struct mpj_transfer *free_transfers;
  struct mpj_early *free_early;
  unsigned ntransfers, nearly; /* records of each kind that have been made */
  struct mpj_piece byte;       /* the layout of one byte, for temporaries */

  /* What was called as operation n, by n mod called_room, a power of two, MPJ_CALLED_KEPT at most;
   * owned. */
  struct mpj_called *called;
  unsigned called_room;
  int stray_from; /* if strayed: whose data, */
  uint32_t stray; /* and of which operation, modulo 2^32 */
};
static_assert(sizeof(struct mpj_comm) <= 1024, "a communicator that nobody uses costs little");

/* A member's number in WORLD, and the rank here of a number in WORLD (-1: none). */
static inline int mpj_comm_world(const struct mpj_comm *comm, int rank)
{
  return comm->members ? mpj_members_world(comm->members, rank) : rank;
}

static inline int mpj_comm_rank_of(const struct mpj_comm *comm, int world)
{
  return comm->members ? mpj_members_rank(comm->members, world) : world;
}

/* An operation's number as its users count; in checking mode each takes two. */
static inline uint64_t mpj_operation_number(const struct mpj_comm *comm, uint64_t sequence)
{
  const uint64_t number = sequence & ((UINT64_C(1) << MPJ_SERIAL_SHIFT) - 1);
  return comm->checker ? number / 2 : number;
}

/* Of the difference of an operation: 0, or 1 + the number of the operation that has made it. */
static inline uint32_t mpj_comm_made_by(const struct mpj_comm *comm)
{
  return comm->user ? 1 + (uint32_t)mpj_operation_number(comm->user, comm->made_by) : 0;
}

/* What people call it: "operation 5", or "start 5 of the persistent request of operation 3", which
 * is its init; in `title`. */
enum { MPJ_TITLE_BYTES = 88 };
const char *mpj_operation_title(const struct mpj_comm *comm, uint64_t sequence,
                                char title[MPJ_TITLE_BYTES]);

/* What this rank calls as a slot's operation, its check being a part of it; and the name of that,
 * or of the public function that it is a part of. */
struct mpj_called mpj_slot_called(const struct mpj_comm *comm, const struct mpj_slot *slot);
const char *mpj_slot_name(const struct mpj_comm *comm, const struct mpj_slot *slot);

/* The rank that a step names by `peer`, which is not negative. */
static inline int mpj_comm_peer(const struct mpj_comm *comm, int peer)
{
  if (comm->peers_from == 0) return peer;
  const int to_end = comm->size - comm->peers_from;
  return peer < to_end ? peer + comm->peers_from : peer - to_end;
}

/* Where operation `sequence` has its slot, here and in the control windows. */
static inline unsigned mpj_slot_number(const struct mpj_comm *comm, uint64_t sequence)
{
  return (unsigned)sequence & comm->last_slot;
}

static inline struct mpj_slot *mpj_comm_slot(const struct mpj_comm *comm, uint64_t sequence)
{
  return comm->slots[mpj_slot_number(comm, sequence)];
}

/* The same, made where there is none. NULL: there is no memory. */
static inline struct mpj_slot *mpj_comm_open_slot(struct mpj_comm *comm, uint64_t sequence,
                                                  bool for_failure)
{
  struct mpj_slot **slot = &comm->slots[mpj_slot_number(comm, sequence)];
  if (*slot != &mpj_no_slot) return *slot;
  struct mpj_slot *made = mpj_slot_make(comm->scratch, for_failure);
  if (made) *slot = made;
  return made;
}

/* An operation has ended, and nothing is kept in its slot. */
static inline void mpj_comm_close_slot(struct mpj_comm *comm, uint64_t sequence)
{
  struct mpj_slot **slot = &comm->slots[mpj_slot_number(comm, sequence)];
  mpj_slot_drop(*slot);
  *slot = (struct mpj_slot *)&mpj_no_slot;
}

static inline unsigned mpj_comm_slots(const struct mpj_comm *comm)
{
  return comm->last_slot + 1;
}

/* The id and the control window that it has at a member. */
static inline uint32_t mpj_comm_id_at(const struct mpj_comm *comm, int rank)
{
  return comm->places ? comm->places[rank].id : comm->id;
}

static inline unsigned mpj_comm_control_at(const struct mpj_comm *comm, int rank)
{
  if (comm->places) return comm->places[rank].control;
  return comm->context_ids ? comm->context_ids[rank] : comm->control;
}

/* A member's number in WORLD, also of a communicator that has been left. */
static inline int mpj_comm_member(const struct mpj_comm *comm, int rank)
{
  return comm->places ? comm->places[rank].world : mpj_comm_world(comm, rank);
}

/* A lower bound of a member's `done`. */
static inline uint64_t mpj_comm_done_at(const struct mpj_comm *comm, int rank)
{
  return mpj_control_done(comm->windows, mpj_comm_member(comm, rank),
                          mpj_comm_control_at(comm, rank));
}

/* What is known of a member's `done`: at least what it was when the communicator was made. */
static inline uint64_t mpj_comm_known_done(const struct mpj_comm *comm, int rank)
{
  const struct mpj_map_entry *e = mpj_map_find(&comm->known_done, (uint32_t)rank);
  if (e) return e->number;
  return comm->places ? 0 : comm->serial << MPJ_SERIAL_SHIFT;
}

/* Note it, as far as there is memory; and look at it. */
static inline uint64_t mpj_comm_note_done(struct mpj_comm *comm, int rank, uint64_t done)
{
  struct mpj_map_entry *e = mpj_map_find_recent(&comm->known_done, (uint32_t)rank);
  if (!e) e = mpj_map_add(&comm->known_done, (uint32_t)rank);
  if (e) e->number = done;
  return done;
}
static inline uint64_t mpj_comm_look_at_done(struct mpj_comm *comm, int rank)
{
  return mpj_comm_note_done(comm, rank, mpj_comm_done_at(comm, rank));
}

/* The communicator that the program knows. */
static inline struct mpj_comm *mpj_comm_user(struct mpj_comm *comm)
{
  return comm->user ? comm->user : comm;
}

static inline MPJ_Comm mpj_comm_handle(const struct mpj_comm *comm)
{
  return (MPJ_Comm)(uintptr_t)comm->id;
}

/* Resolve a handle by the calling thread's context: MPJ_ERR_COMM with a detail
 * if it is none, or the communicator is broken (and why). */
int mpj_comm_resolve(MPJ_Comm handle, struct mpj_comm **comm);
/* MPJ_SUCCESS, or why the communicator is broken. */
int mpj_comm_check(const struct mpj_comm *comm);
/* A call returns this status to the program, of an operation of the communicator. */
static inline int mpj_comm_reported(struct mpj_comm *comm, int status)
{
  if (status != MPJ_SUCCESS && status == comm->broken.code) comm->reported = true;
  return status;
}
/* The same without looking at whether it is broken; and then also in a handler of
 * active messages. */
int mpj_comm_resolve_outside(MPJ_Comm handle, struct mpj_comm **comm);
int mpj_comm_resolve_any(MPJ_Comm handle, struct mpj_comm **comm);

/* An algorithm: lay down this rank's steps (flow.h). */
struct mpj_flow;
typedef void mpj_algorithm_fn(struct mpj_flow *flow, int root);

/* The schedule of (operation, algorithm, root, variant) from the communicator's cache,
 * built by `build` on a miss; the least recently used idle one makes room. It
 * is the cache's. lists: of a sparse Alltoall, as in mpj_schedule_of_lists; else NULL. Errors:
 * MPJ_ERR_NO_MEM, MPJ_ERR_UNSUPPORTED;
 * MPJ_TOO_MANY_NAMES. */
int mpj_schedule_cached(struct mpj_comm *comm, enum mpj_operation operation, unsigned algorithm,
                        int root, unsigned variant, const struct mpj_part_list *const lists[2],
                        mpj_algorithm_fn *build, struct mpj_schedule **schedule);
/* Give all of them back, and what is known of calls. */
void mpj_schedules_clear(struct mpj_schedules *all);

#endif
