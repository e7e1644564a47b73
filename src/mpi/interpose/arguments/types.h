/* This header declares the MPJ types of a call's arguments. The call borrows what it gets, until
 * its types_end. False where MPI would call the arguments wrong. Threads: any. */
#ifndef MPJ_SRC_MPI_INTERPOSE_ARGUMENTS_TYPES_H
#define MPJ_SRC_MPI_INTERPOSE_ARGUMENTS_TYPES_H

#include "mpi/interpose/call.h"

/* A call of this thread begins to borrow types, and ends that. Calls may lie within calls: what a
 * user's function calls. */
void types_begin(void);
void types_end(void);

/* count elements of `type`, one part. */
bool type_of(MPI_Count count, MPI_Datatype type, MPJ_Datatype *made);

/* size parts of `count` elements each. */
bool type_of_parts(int size, MPI_Count count, MPI_Datatype type, MPJ_Datatype *made);

/* What v and w lists say. */
bool type_of_lists(int size, const struct lists *lists, MPI_Datatype type, MPJ_Datatype *made);
bool type_of_w_lists(int size, const struct lists *lists, const MPI_Datatype types[],
                     MPJ_Datatype *made);

#endif
