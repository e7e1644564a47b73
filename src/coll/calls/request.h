/* This header declares requests: collectives that go on while their caller does
 * other things.
 *
 *   state     event                                    next
 *   INACTIVE  start (persistent only)                  QUEUED; QUICK, if it can be so now (quick.h)
 *   QUEUED    all ranks are known to have made the
 *             persistent request (persistent.h)        QUEUED; before, it does not begin
 *   QUICK     its steps have been done                 DONE
 *   QUICK     the rank calls anything but a test of it or its wait; these have found nothing new
 *             for a while; news of ranks or of a failure
 *                                                      ACTIVE: the engine has what is left
 *   QUEUED    the window has room, and no other waits  ACTIVE; in checking mode CHECKING
 *   CHECKING  the ranks have compared their calls      QUEUED: still before all others
 *   ACTIVE    the operation has ended                  DONE
 *   DONE      test or wait                             INACTIVE, or freed
 *
 * One request of a rank is QUICK at a time, and then nothing else of the rank is under way. Only
 * its calling thread knows of the operation; others see a rank that has not called it yet.
 *
 * A request keeps what the operation needs: copies of the types with their
 * layouts and parts retained, and of a user's operation. Buffers are the user's. */
#ifndef MPJ_SRC_COLL_CALLS_REQUEST_H
#define MPJ_SRC_COLL_CALLS_REQUEST_H

#include <mpj/request.h>

#include "coll/calls/collective.h"

enum mpj_request_state {
  MPJ_REQUEST_INACTIVE,
  MPJ_REQUEST_QUICK,
  MPJ_REQUEST_QUEUED,
  MPJ_REQUEST_CHECKING,
  MPJ_REQUEST_ACTIVE,
  MPJ_REQUEST_DONE
};

struct mpj_request {
  uint32_t mark; /* live mark of the handle pool */
  enum mpj_request_state state;
  bool persistent;
  bool was_quick;              /* once DONE: without the engine */
  uint16_t tests;              /* while QUICK */
  bool freed;                  /* MPJ_Request_free came before the end: freed when done */
  struct mpj_context *context; /* of the rank that it belongs to */
  struct mpj_comm *comm;       /* that its operations are of: user, or persistent's own */
  struct mpj_comm *user;       /* the caller's; counts this request while the context lives */
  struct mpj_comm *joins;      /* of the exchange of an init: for this one; else NULL */
  struct mpj_slot *slot;       /* while CHECKING or ACTIVE */
  struct mpj_request *next;    /* while QUEUED or CHECKING */
  bool compared;               /* it has been CHECKING, with the outcome `status`, */
  bool told;                   /* which all ranks have */
  struct mpj_choice choice;
  struct mpj_call call; /* its types and op are the copies below */
  struct mpj_type sendtype, recvtype;
  struct mpj_op op;
  int status; /* once DONE, or compared */
  char why[240];
};

/* Whether there is a request behind the handle, of whatever rank. */
bool mpj_request_is_live(MPJ_Request handle);

/* request_quick.c: begin the operation of a request that is inactive or new, whose rank the caller
 * holds, as a quick one, after what has been begun so before was handed over; false, and nothing
 * has been done, if that cannot be now. */
MPJ_HOT bool mpj_request_begin_quickly(struct mpj_request *request);
/* Wait for the request if it is QUICK, or was, and collect it; *status is what that returns. False:
 * it is not, or the wait is long. */
MPJ_HOT bool mpj_request_wait_quickly(MPJ_Request *handle, int *status);
/* Test it in the same way. */
MPJ_HOT bool mpj_request_test_quickly(MPJ_Request *handle, int *done, int *status);

/* Begin a prepared operation as a request (nonblocking), or make an inactive one
 * of it (persistent). *request is set on success. If the arguments were bad,
 * nonblocking: the others hear of it, as in a blocking call; persistent: nothing
 * has happened that they could know of. */
int mpj_request_begin(const struct mpj_prepared *prepared, MPJ_Request *request);
int mpj_request_init(const struct mpj_prepared *prepared, MPJ_Request *request);

/* For the waiting functions. Set *out to the request behind a handle, or NULL if
 * it is null or inactive; start an inactive persistent one; take the outcome of a
 * request that is DONE: returns its status, frees it or makes it inactive. */
int mpj_request_look(MPJ_Request handle, struct mpj_request **out);
int mpj_request_start(MPJ_Request handle);
int mpj_request_collect(MPJ_Request *handle);

/* Start queued requests while there is room. Returns whether any was. */
bool mpj_requests_start(struct mpj_comm *comm);

/* The rank leaves with operations under way: end them, and let the others know. */
void mpj_requests_abandon(struct mpj_comm *comm);

/* Its slot's operation has ended: take the outcome. */
void mpj_request_ended(struct mpj_request *request);

/* Requests alive now; for leak checks. */
size_t mpj_request_live(void);

#endif
