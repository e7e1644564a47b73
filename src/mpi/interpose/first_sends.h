/* This header declares what a pair's first synchronous or long send needs in MPICH over UCX.
 *
 * Such a send asks the receiver's process for its end of the connection. Until the answer has come,
 * and its rank has let MPI progress, nothing of it leaves. In a collective of MPI's both progress,
 * and what the collective itself sends queues up behind it; in a served one nothing does. So after
 * such a send an empty message follows it, and the next served blocking call first lets that leave:
 * then what the program sent has left, too. A pair needs it at most four times.
 * Threads: any. Everything is a no-op with Open MPI, which does not connect in this way. */
#ifndef MPJ_SRC_MPI_INTERPOSE_FIRST_SENDS_H
#define MPJ_SRC_MPI_INTERPOSE_FIRST_SENDS_H

#include <mpi.h>
#include <stdbool.h>

/* All ranks of `world`, which has them all; before anything is sent. */
void first_sends_begin(MPI_Comm world);

/* The program has started this send. NULL: MPI has the request. */
void first_sends_note(MPI_Comm comm, int to, const MPI_Request *request);

/* It will start persistent sends to this rank; it starts one, of these or others. */
void first_sends_will(MPI_Comm comm, int to);
void first_sends_start(void);

/* Before a served blocking call: wait until the followers have left, 1 s at most; those that have
 * not are not waited for again. Cheap where there is none. */
void first_sends_leave(void);

/* All ranks, before MPI ends: the followers are received. */
void first_sends_end(void);

#endif
