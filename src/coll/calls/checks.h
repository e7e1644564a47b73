/* This header declares the checks of the collectives' arguments, by the table of operations. */
#ifndef MPJ_SRC_COLL_CALLS_CHECKS_H
#define MPJ_SRC_COLL_CALLS_CHECKS_H

#include "coll/calls/collective.h"

/* MPJ_ERR_ROOT unless 0 <= root < size. */
int mpj_check_root(const struct mpj_comm *comm, int root);

/* Fill in a call, whose communicator is set, from its arguments, and check these: p->status. */
void mpj_check_arguments(const struct mpj_arguments *a, struct mpj_prepared *p);

#endif
