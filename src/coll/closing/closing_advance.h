/* This header declares how a communicator's closing advances. */
#ifndef MPJ_SRC_COLL_CLOSING_CLOSING_ADVANCE_H
#define MPJ_SRC_COLL_CLOSING_CLOSING_ADVANCE_H

#include "coll/closing/closing.h"

/* For a communicator of several ranks. NULL: there is no memory. */
struct mpj_closing *mpj_closing_make(void);
void mpj_closing_free(struct mpj_closing *closing);

/* This rank ends the communicator by `operation`; nothing is under way on it. Sends nothing yet. */
void mpj_closing_begin(struct mpj_comm *comm, enum mpj_operation operation);

/* Send what can be sent, and settle what can be settled, of all that have news. Whether anything
 * moved. */
bool mpj_closings_advance(struct mpj_context *context);
/* The same of one that has just ended. */
bool mpj_closing_advance(struct mpj_comm *comm);

/* One that is not settled, or all, may have something to send, or to settle. */
void mpj_closing_look(struct mpj_comm *comm);
void mpj_closings_look(struct mpj_context *context);
/* The same of one that may have been settled. */
void mpj_closing_has_news(struct mpj_comm *comm);

/* A message about the end has come from a member. */
void mpj_closing_heard(struct mpj_comm *comm, int source, const struct mpj_arrival_message *m);
/* The communicator is broken, and this rank hears of it after its end. */
void mpj_closing_broken(struct mpj_comm *comm, const struct mpj_cause *cause);
/* See which neighbours have gone: all that they sent has been taken in. */
void mpj_closing_settle_gone(struct mpj_comm *comm);

/* Ask the neighbours that are waited for whether they have the communicator. */
void mpj_closing_ask(struct mpj_comm *comm);
/* A rank of WORLD asks for a communicator that this rank does not have. */
void mpj_closing_deny(struct mpj_context *context, int world, const struct mpj_arrival_message *m);

#endif
