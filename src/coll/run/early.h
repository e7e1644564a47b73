/* This header declares what is done with arrivals: those that are ahead of this rank are kept with
 * their operation's slot, and the others given to their steps. */
#ifndef MPJ_SRC_COLL_RUN_EARLY_H
#define MPJ_SRC_COLL_RUN_EARLY_H

#include "coll/run/control.h"

/* arrival.c: the handler of MPJ_AM_COLLECTIVE; ctx is the rank's context. */
MPJ_HOT enum mpj_am_verdict mpj_on_arrival(void *ctx, const struct mpj_am_arrival *arrival,
                                           struct mpj_am_dest *dest);
/* Keep an arrival for later; the payload stays in its slot. Or there is no memory for that: the
 * operation fails. */
enum mpj_am_verdict mpj_early_keep(struct mpj_comm *comm, struct mpj_slot *slot, uint64_t sequence,
                                   const struct mpj_arrival_message *message,
                                   const struct mpj_am_arrival *arrival);
enum mpj_am_verdict mpj_early_refuse(struct mpj_comm *comm, uint64_t sequence,
                                     const struct mpj_arrival_message *message,
                                     const struct mpj_am_arrival *arrival);
/* An arrival for the operation that this rank is in: to its step, or keep it. */
enum mpj_am_verdict mpj_early_or_now(struct mpj_comm *comm, struct mpj_slot *slot,
                                     const struct mpj_arrival_message *message,
                                     const struct mpj_am_arrival *arrival);
/* What the peer of recv step i, which waits for nothing else, has posted for this
 * operation; payload: of EAGER, whose length the message says. */
void mpj_on_post(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i,
                 const struct mpj_arrival_message *message, const void *payload);
/* Hand the early arrivals of a slot that has become active to its steps. */
void mpj_early_route(struct mpj_comm *comm, struct mpj_slot *slot);
/* Step i has become ready: give it its early arrival. */
void mpj_early_take(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i);
void mpj_early_drop_all(struct mpj_comm *comm, struct mpj_slot *slot);

#endif
