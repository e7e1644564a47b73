/* This header says who is next to whom in the tree of a communicator's closing, and what their
 * messages say. */
#ifndef MPJ_SRC_COLL_CLOSING_CLOSING_TREE_H
#define MPJ_SRC_COLL_CLOSING_CLOSING_TREE_H

#include "coll/closing/closing.h"

/* Neighbour i: its rank, or -1. Neighbour 0 is the parent. */
int mpj_closing_neighbour(const struct mpj_comm *comm, unsigned i);
/* The set of those that there are; and the one that a rank is, as a set: 0: it is none. */
unsigned mpj_closing_neighbours(const struct mpj_comm *comm);
unsigned mpj_closing_set_of(const struct mpj_comm *comm, int rank);

/* This rank's record. */
struct mpj_ending mpj_ending_own(const struct mpj_comm *comm);
/* Whether two records may be of the same calls. */
bool mpj_ending_agree(const struct mpj_ending *a, const struct mpj_ending *b);
/* Let a summary be of a record as well. */
void mpj_ending_add(struct mpj_closing *closing, const struct mpj_ending *record);

/* Send a message about the end to a rank. False: there is no room now. */
bool mpj_ending_send(const struct mpj_comm *comm, int rank, enum mpj_ending_kind kind);
/* The records that a message says; those that make no sense have rank -1. */
void mpj_ending_said(const struct mpj_comm *comm, const struct mpj_arrival_message *m,
                     struct mpj_ending *one, struct mpj_ending *other);

#endif
