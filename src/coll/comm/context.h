/* This header declares contexts: everything that belongs to one rank. A process
 * has one, made by MPJ_Init; where ranks are threads, each thread has its own. */
#ifndef MPJ_SRC_COLL_COMM_CONTEXT_H
#define MPJ_SRC_COLL_COMM_CONTEXT_H

#include "base/hot.h"
#include "base/map.h"
#include "base/scratch.h"
#include "coll/comm/comm.h"
#include "coll/steps/published.h"
#include "coll/threads/rank_lock.h"
#include "coll/threads/rank_lock_pass.h"

struct mpj_allocation;
struct mpj_awaited;
struct mpj_am;
struct mpj_am_function;
struct mpj_progress;
struct mpj_relay_data;
struct mpj_shared;

enum mpj_context_state { MPJ_CONTEXT_LIVE, MPJ_CONTEXT_FINALIZED };

/* A communicator that another rank has renounced while this one did not have it:
 * not yet, or because its making failed here as well. */
struct mpj_renounced {
  uint32_t id; /* 0: none */
  struct mpj_cause cause;
};

/* What the rank is blocked in, and what it has asked (failure/circle.h). */
struct mpj_circle {
  struct mpj_comm *comm; /* NULL: it is not blocked */
  uint64_t sequence;
  uint32_t stamp;   /* of its last question */
  double asked_at;  /* when it was asked */
  uint32_t first;   /* the first one that is believed when it comes back */
  double since;     /* when one has come back in this wait; 0: none has */
  double ask_at;    /* then: when to ask again */
  unsigned again;   /* how often that has been done */
  bool crossed;     /* another rank waits for this one on another communicator, in this wait */
  uint32_t *passed; /* [ranks of WORLD] stamps of the others' last questions, owned; or NULL */
};

/* What MPJ_Alloc_mem gave. */
struct mpj_allocation {
  struct mpj_net_block block;
  struct mpj_allocation *next;
};

struct mpj_context {
  enum mpj_context_state state;
  struct mpj_context *next; /* in the list of those that have not been freed */
  bool thread_rank;
  bool init_called;      /* by the thread rank itself */
  int thread_level;      /* MPJ_THREAD_SINGLE to MPJ_THREAD_MULTIPLE, as provided */
  pthread_t main_thread; /* the one that has called MPJ_Init, or is the rank */
  struct mpj_rank_lock lock;
  struct mpj_progress *progress;     /* owned; NULL: no progress thread */
  struct mpj_net *net;               /* owned; NULL in a process that was started alone */
  struct mpj_comm *left;             /* owned list: left by this rank, not yet by all */
  unsigned nleft, left_before;       /* in it: now, and when it was gone through last */
  struct mpj_comm *busy, *last_busy; /* list of those with operations under way; its end, if any */
  unsigned nbusy;                    /* in it */
  uint64_t busy_looked;              /* how often one was moved on: for tests */
  struct mpj_comm *closings; /* list of those that have ended, and are not settled (closing.h) */
  struct mpj_comm *closing_news, *last_news; /* list of those of them that have something to send,
                                                or have heard something; its end, if it has one */
  bool alone;                                /* leaving: one thread is left */
  bool quiet;       /* leaving: nothing of the program is under way any more */
  int lost;         /* 1 + the rank in MPJ_COMM_WORLD by which a communicator broke last; 0: none */
  int ended_status; /* what MPJ_Finalize returns, of communicators that have ended */
  char *ended_why;  /* and the sentence that goes with it (mpj_error_store) */
  uint64_t serial;  /* of the last communicator agreed on here */
  struct mpj_renounced renounced; /* heard of last */
  struct mpj_awaited *awaited;    /* what a step looks for just now (receive.c), or NULL */
  /* Requests that have become DONE, and those of them that are so no more: as many as the
   * difference are DONE. How often one was looked at by a function that takes an array: for tests.
   */
  uint64_t requests_ended, requests_taken, requests_looked;
  bool (*start_queued)(struct mpj_comm *comm); /* requests, while there is room; whether any was */
  unsigned tests_in_vain; /* of requests, less some for those that found something (wait.c) */
  unsigned tests_dozed;   /* how many slept (mpj_net_doze) */
  /* Behind the request that Waitany or Testany collected last, in that array: where they look
   * first. */
  const MPJ_Request *any_array;
  int any_next;
  struct mpj_circle circle;
  uint64_t went[2];          /* messages by a verdict: by the FIFO, and put */
  struct mpj_parked *parked; /* list of what waits in the FIFO here (steps/parked.h) */
  int64_t wake_ns;           /* when something is to be looked at, though nothing comes; 0: never */
  struct mpj_tally *tally;   /* what is noted of collectives (tally.h), or NULL; owned */
  struct mpj_scratch *scratch; /* temporaries of operations, and what user operations work in;
                                  owned, or of `shared` */
  struct mpj_allocation *allocations; /* by MPJ_Alloc_mem; a list */
  struct mpj_relay_data *relay_data;  /* list of what relays hold here (relay_data.h) */
  struct mpj_am *am;                  /* users' active messages; owned while live */
  struct mpj_am_function **functions; /* [MPJ_AM_HANDLERS_MAX] that can be called, or NULL */
  struct mpj_shared *shared;          /* borrowed, or NULL: what it has is its own */
  struct mpj_rule *tuned;     /* by the file of rank 0's machine (select.h), or NULL; owned */
  struct mpj_control control; /* its control windows */
  int rank, size;             /* in WORLD; also when that has ended */
  struct mpj_comm *world;     /* owned */
  struct mpj_comm *live, *last_live; /* list of all that it has not left, as they were taken */
  struct mpj_map comms; /* by id, those in `live` and those in `left` (context_ids.h) */
  uint64_t *in_use;     /* [nin_use] control windows, bits; owned (context_ids.c) */
  unsigned nin_use, full;
  unsigned joining;               /* persistent requests that are not known to all yet */
  unsigned given_up;              /* composed requests that have been freed and have not ended */
  uint32_t persistent;            /* that have been made here */
  struct mpj_published published; /* where this rank's posts leave data */
};

static_assert(sizeof(struct mpj_context) <= 1024, "a rank that only waits costs little");

/* context_made.c: WORLD or SELF; SELF, and the runtime of users' active messages, made when they
 * are first needed. Errors: MPJ_ERR_NO_MEM. */
int mpj_context_begin_comm(struct mpj_context *context, uint32_t id, int rank, int size,
                           struct mpj_comm **begun);
int mpj_context_self(struct mpj_context *context, struct mpj_comm **self);
int mpj_context_am(struct mpj_context *context, struct mpj_am **am);

/* Free what MPJ_Alloc_mem gave (alloc_mem.c). */
void mpj_context_free_memory(struct mpj_context *context);

/* context_current.c: have it among those that mpj_context_is_known knows, or no more. */
void mpj_context_note(struct mpj_context *context);
void mpj_context_forget(struct mpj_context *context);

/* The calling thread's context, else the process's, else NULL. */
MPJ_HOT struct mpj_context *mpj_context_current(void);

/* The same, where it is live. Errors: MPJ_ERR_INTERNAL (not initialised, finalised, or a rank's
 * child). */
int mpj_context_live(struct mpj_context **context);

/* Whether `context`, which may be any word, is one of this process that has not been freed. */
bool mpj_context_is_known(const struct mpj_context *context);

/* Who was forked by a rank is none: from then on it has no context (and those of its parent's that
 * it has copies of are not known), and this is a text for its errors, "this process was forked by
 * rank 2 (process 4711), and is no rank"; elsewhere NULL. */
const char *mpj_context_forked(void);

/* Let the calling thread be this context's rank (NULL: no rank's any more). */
void mpj_context_bind_thread(struct mpj_context *context);

/* Make this the process's context; false if it has one. */
bool mpj_context_claim_process(struct mpj_context *context);

/* The communicator with this id that the rank has not left, or NULL. */
static inline struct mpj_comm *mpj_context_comm(struct mpj_context *context, uint32_t id)
{
  const struct mpj_map_entry *e = mpj_map_find_recent(&context->comms, id);
  struct mpj_comm *comm = e ? e->pointer : NULL;
  return comm && !comm->left ? comm : NULL;
}

/* Whether this id was a communicator's, though it is none's now. */
bool mpj_comm_was_left(const struct mpj_context *context, uint32_t id);

/* Whether operations are under way or queued. */
bool mpj_context_is_busy(const struct mpj_context *context);

#endif
