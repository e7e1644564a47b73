/* This header declares requests: collectives that go on while their caller does
 * other things.
 *
 *   state     event                                    next
 *   INACTIVE  start (persistent only)                  QUEUED; ACTIVE, if nothing is before it
 *   QUEUED    all ranks are known to have made the
 *             persistent request (persistent.h)        QUEUED; before, it does not begin
 *   QUEUED    the window has room, and no other waits  ACTIVE; in checking mode CHECKING
 *   CHECKING  the ranks have compared their calls      QUEUED: still before all others
 *   ACTIVE    the operation has ended                  DONE
 *   DONE      test or wait                             INACTIVE, or freed
 *
 * A request keeps what the operation needs: copies of the types with their
 * layouts and parts retained, and of a user's operation. Buffers are the user's. */
#ifndef MPJ_SRC_COLL_CALLS_REQUEST_H
#define MPJ_SRC_COLL_CALLS_REQUEST_H

#include <mpj/request.h>

#include "coll/calls/collective.h"

enum mpj_request_state {
  MPJ_REQUEST_INACTIVE,
  MPJ_REQUEST_QUEUED,
  MPJ_REQUEST_CHECKING,
  MPJ_REQUEST_ACTIVE,
  MPJ_REQUEST_DONE
};

/* A composed request is several operations, one after another, each of an inactive request of its
 * maker's, persistent or of mpj_call_once. It is QUEUED, in no queue, until the last of them has
 * ended. */
struct mpj_composition {
  /* An operation has ended with *status and the thread's detail; MPJ_SUCCESS: it is the start. Says
   * which is next, with *status MPJ_SUCCESS, or why this rank refuses it, of which the others hear;
   * or NULL: none, and *status is the outcome of all. Called from progress too: it waits for
   * nothing. */
  MPJ_Request (*next)(void *ctx, int *status);
  void (*drop)(void *ctx); /* the composed request is gone */
};

struct mpj_request {
  uint32_t mark; /* live mark of the handle pool */
  enum mpj_request_state state;
  bool persistent;
  bool freed;                  /* MPJ_Request_free came before the end: freed when done */
  struct mpj_context *context; /* of the rank that it belongs to */
  struct mpj_comm *comm;       /* that its operations are of: user, or persistent's own */
  struct mpj_comm *user;       /* the caller's; counts this request while the context lives */
  struct mpj_comm *joins;      /* of the exchange of an init: for this one; else NULL */
  struct mpj_slot *slot;       /* while CHECKING or ACTIVE */
  struct mpj_request *next;    /* while QUEUED or CHECKING; of a composed one: its operation now */
  const struct mpj_composition *composition; /* of a composed request, with its ctx; or NULL */
  void *ctx;
  struct mpj_request *whole; /* the composed request whose operation this is now, or NULL */
  bool compared;             /* it has been CHECKING, with the outcome `status`, */
  bool told;                 /* which all ranks have */
  struct mpj_choice choice;
  struct mpj_call call; /* its types and op are the copies below */
  struct mpj_type sendtype, recvtype;
  struct mpj_op op;
  int status; /* once DONE, or compared */
  char *why;  /* the sentence that goes with it (mpj_error_store); owned */
};

/* Whether there is a request behind the handle, of whatever rank. */
bool mpj_request_is_live(MPJ_Request handle);

/* request.c. A request of a prepared call, or of a communicator alone; NULL: there is no memory.
 * Free it. The live request of this rank behind a handle that is not null: MPJ_ERR_REQUEST. */
struct mpj_prepared;
struct mpj_request *mpj_request_new(const struct mpj_prepared *p);
struct mpj_request *mpj_request_take(struct mpj_comm *comm);
void mpj_request_drop(struct mpj_request *r);
int mpj_request_resolve(MPJ_Request handle, struct mpj_request **out);

/* For the waiting functions. Set *out to the request behind a handle, or NULL if
 * it is null or inactive; start an inactive persistent one; take the outcome of a
 * request that is DONE: returns its status, frees it or makes it inactive. */
int mpj_request_look(MPJ_Request handle, struct mpj_request **out);
int mpj_request_start(MPJ_Request handle);
int mpj_request_collect(MPJ_Request *handle);

/* Make a composed request, inactive. comm: for errors, and what the request counts as a use of.
 * ctx: moved on success. Errors: MPJ_ERR_COMM, MPJ_ERR_NO_MEM. One that is not persistent is
 * started by its maker. */
int mpj_request_compose(MPJ_Comm comm, const struct mpj_composition *composition, void *ctx,
                        bool persistent, MPJ_Request *request);
void mpj_request_compose_start(MPJ_Request request);

/* Start those that are queued, while there is room; whether any was. */
bool mpj_requests_start(struct mpj_comm *comm);

/* The rank leaves with operations under way: end them, and let the others know. */
void mpj_requests_abandon(struct mpj_comm *comm);

/* Its slot's operation has ended: take the outcome. */
void mpj_request_ended(void *request);

/* Requests alive now; for leak checks. */
size_t mpj_request_live(void);

/* open.c: operations that the user has started, on whatever communicator, and that have not ended:
 * those whose requests have been freed (given_up), or the others. */
uint64_t mpj_context_open(const struct mpj_context *context, bool given_up);

#endif
