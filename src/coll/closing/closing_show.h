/* This header declares how ranks that have ended a communicator find the call in which they differ.
 */
#ifndef MPJ_SRC_COLL_CLOSING_CLOSING_SHOW_H
#define MPJ_SRC_COLL_CLOSING_CLOSING_SHOW_H

#include "coll/closing/closing.h"

/* Begin to show a rank what this one called last; show what there is room for: whether anything. */
void mpj_closing_show(struct mpj_comm *comm, int rank);
bool mpj_closing_show_more(struct mpj_comm *comm);

/* Note a difference that has broken the communicator, and that no call has told this rank. */
void mpj_closing_note_broken(struct mpj_comm *comm);
/* The verdict: the closing's two records differ, and that is all that will be known. */
void mpj_closing_differ(struct mpj_comm *comm);

/* A member asks about an operation, or shows it. This rank has ended the communicator, which
 * may have news then. */
void mpj_closing_shown(struct mpj_comm *comm, int source, const struct mpj_arrival_message *m);

#endif
