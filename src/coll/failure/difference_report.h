/* This header declares how calls that differ are told. */
#ifndef MPJ_SRC_COLL_FAILURE_DIFFERENCE_REPORT_H
#define MPJ_SRC_COLL_FAILURE_DIFFERENCE_REPORT_H

#include "coll/failure/difference.h"

/* difference.c: make an error of it: the thread's detail names the operation's number, and two
 * ranks with what each called, this one first if it is one of them. Returns the cause's code. */
int mpj_cause_error(const struct mpj_comm *comm, const struct mpj_cause *cause);

/* MPJ_ERR_SIGNATURE of stray data that came after its call (one_sided.h); and keep that, if there
 * is some, for MPJ_Finalize to return. */
int mpj_stray_error(const struct mpj_comm *comm);
void mpj_difference_of_stray(struct mpj_comm *comm);

/* Keep what was found at the end of a communicator (closing.h), if anything was, for MPJ_Finalize
 * to return. */
void mpj_difference_report(struct mpj_comm *comm);
/* The same with what has broken one that this rank has still to end, if no call has told it. */
void mpj_difference_of_broken(struct mpj_comm *comm);
/* The same with what the init of a persistent request has found, if no start has told it. */
void mpj_difference_unheard(struct mpj_comm *comm);

#endif
