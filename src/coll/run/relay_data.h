/* This header declares long data that is brought here before the rank has called, so that it can be
 * relayed.
 *
 * It is pulled into memory of the library's in its packed form. From then on its arrival is one
 * whose payload is here, as an eager one's is: the same function gives it to its step, with the
 * same checks and errors. Meanwhile it is offered to the rank's children, each of whom pulls it
 * from here. The memory is there until the rank's own step, the pull and all offers are done with
 * it.
 *
 *   state    event                                                       next
 *   (none)   a relay begins (relay.c), and there is room                 QUEUED
 *   QUEUED   the transport begins the pull                               PULLING
 *   QUEUED   the rank calls                                              (none): its step pulls
 *   PULLING  the rank calls                                              PULLING; its step waits
 *   PULLING  it is here                                                  HERE
 *   PULLING  the owner has gone, or has withdrawn it                     (none): it never came
 *   HERE     the next child is offered it                                HERE
 *   HERE     the rank calls: its step takes it; a send to a child that   HERE
 *            has been offered it is complete as soon as the child has it
 *   any      the operation has failed, or the communicator has ended:    (none), as soon as nobody
 *            offers are withdrawn                                        touches the memory
 *
 * Invariant: users = (early != NULL) + (a pull is under way) + offers that have not been taken.
 * Memory: a rank holds MPJ_SCRATCH_BYTES of such data at most. */
#ifndef MPJ_SRC_COLL_RUN_RELAY_DATA_H
#define MPJ_SRC_COLL_RUN_RELAY_DATA_H

#include "coll/comm/comm.h"

/* What a child has been offered. */
struct mpj_relay_offer {
  struct mpj_relay_data *of;
  struct mpj_am_remote remote;
  uint32_t step; /* of the rank's own call, which sends it and ends once it is taken; MPJ_NO_STEP:
                    the rank has not called */
  bool open;     /* the child has not taken it yet */
};

struct mpj_relay_data {
  struct mpj_relay_data *next; /* in the context's list of all */
  struct mpj_context *context;
  struct mpj_comm *comm;   /* NULL: the operation has no use for it any more */
  struct mpj_slot *slot;   /* of that operation */
  struct mpj_early *early; /* whose data it is; NULL: its step has it, or it is dropped */
  unsigned users;
  enum { MPJ_RELAY_QUEUED, MPJ_RELAY_PULLING, MPJ_RELAY_HERE } state;
  struct mpj_cursor cursor; /* of the pull */
  MPJ_Count bytes;
  unsigned char *memory; /* [bytes] owned */
  unsigned children;
  struct mpj_relay_offer offer[]; /* [children] */
};

/* Whether a relay may ever hold so many bytes; and may now. */
bool mpj_relay_data_fits(MPJ_Count bytes);
bool mpj_relay_data_has_room(const struct mpj_context *context, MPJ_Count bytes);

/* Have memory for the data that an early arrival advertises; it is the arrival's `data` then.
 * MPJ_SUCCESS or MPJ_ERR_NO_MEM, without a sentence. */
int mpj_relay_data_queue(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_early *early,
                         unsigned children);
/* Begin the pull for operation n; whether it has begun. It may fail at once: then the arrival is no
 * longer its slot's. Not from a handler. */
bool mpj_relay_data_pull(struct mpj_relay_data *data, uint64_t n);

/* Offer the k'th of the children, `peer`, the bytes at `from`, a part of what is here. message: the
 * header that goes to the child, which says how many bytes; its kind is set here. MPJ_SUCCESS, or
 * anything else: not now. */
int mpj_relay_data_offer(struct mpj_relay_data *data, unsigned k, int peer,
                         const struct mpj_arrival_message *message, const unsigned char *from);

/* The rank has called: the k'th offer is what step i of the active slot sends. */
void mpj_relay_data_adopt(struct mpj_relay_data *data, unsigned k, unsigned i);

/* The early arrival is done with it. */
void mpj_relay_data_let_go(struct mpj_early *early);
/* The slot's operation has failed, or its communicator ends: withdraw what is offered. */
void mpj_relay_data_withdraw(const struct mpj_comm *comm, const struct mpj_slot *slot);
/* Free what is left, after the endpoint has been closed. */
void mpj_relay_data_end(struct mpj_context *context);

#endif
