/* This header declares what is done with arrivals: those that are ahead of this rank are kept with
 * their operation's slot, and the others given to their steps. */
#ifndef MPJ_SRC_COLL_RUN_EARLY_H
#define MPJ_SRC_COLL_RUN_EARLY_H

#include "coll/plan/plan.h"
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
/* The recv step of an active slot that a message is for, or MPJ_NO_STEP if it is for none. */
unsigned mpj_early_step_of(const struct mpj_comm *comm, const struct mpj_slot *slot,
                           const struct mpj_arrival_message *message, int source);
/* Whether the early arrivals of a slot that has become active are all for steps of it, none of
 * them passed on before, or about to be (relay.h). */
MPJ_HOT bool mpj_early_fit(const struct mpj_comm *comm, const struct mpj_slot *slot);
/* Hand those of a slot that has been listed to their steps. */
void mpj_early_route(struct mpj_comm *comm, struct mpj_slot *slot);
/* The same with those of a listed slot whose data has come since (relay_data.h); whether there were
 * any. */
bool mpj_early_came(struct mpj_comm *comm, struct mpj_slot *slot);
/* The step waits for nothing but its arrival, which has come: take it. Returns as mpj_step_take. */
MPJ_HOT int mpj_early_take(struct mpj_comm *comm, struct mpj_slot *slot,
                           const struct mpj_plan_step *step);
void mpj_early_drop_all(struct mpj_comm *comm, struct mpj_slot *slot);

#endif
