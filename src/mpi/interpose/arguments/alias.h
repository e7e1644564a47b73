/* This header declares what becomes of calls whose send and receive data begin at one address,
 * which MPI forbids: some libraries refuse them, others do what MPI_IN_PLACE says. */
#ifndef MPJ_SRC_MPI_INTERPOSE_ARGUMENTS_ALIAS_H
#define MPJ_SRC_MPI_INTERPOSE_ARGUMENTS_ALIAS_H

#include "mpi/interpose/call.h"

/* Whether the MPI library refuses such calls of the collective, of so many elements (only whether
 * it is more than one counts): it is asked once. If so, it gets
 * the call, and returns its error without a word to other ranks; if not, the call is served in
 * place, so that the others, whose buffers may be apart, are served alike. Threads: any. */
bool alias_is_refused(enum collective collective, MPI_Count count);

/* Whether two buffers are one. MPI_BOTTOM says nothing of where data is. */
static inline bool alias_is(const void *a, const void *b)
{
  return a == b && a != MPI_BOTTOM && a != MPI_IN_PLACE;
}

/* Whether a buffer is what lies `displ` elements of the type behind the beginning of another. Types
 * with gaps are not looked into. */
bool alias_is_part(const void *buf, const void *parts, MPI_Count displ, MPI_Datatype type);

#endif
