/* This header declares who keeps the served persistent requests. */
#ifndef MPJ_SRC_MPI_INTERPOSE_PERSISTENTS_H
#define MPJ_SRC_MPI_INTERPOSE_PERSISTENTS_H

#include "mpi/interpose/request.h"

/* Whether there is any. */
bool persistents_any(void);

/* The lock is held: */

/* Keep one (borrowed), and keep it no more. The one behind a handle, or NULL. */
void persistent_add(struct request *r);
void persistent_remove(struct request *r);
struct request *persistent_find(MPI_Request handle);
/* Its operation has been started, and has ended: MPI finds it complete from then on. */
void persistent_started(void);
void persistent_ended(struct request *r);
/* The communicator is about to be freed: what fails later is told on MPI_COMM_SELF. */
void persistents_leave(MPI_Comm comm);

/* It is not: */

/* Whether it is a served persistent request whose operation is under way. */
bool requests_pending(MPI_Request request);

/* Whether any is, of n. Cheap where there is none in the program. */
bool requests_any_pending(int n, const MPI_Request requests[]);

/* Where the program has not heard yet of the end of served persistent operations: whether it has
 * of any; the first of such an array, or -1; and MPI's code of this one's failure, of which it has
 * now, if `told`. */
bool requests_untold(void);
int requests_find_untold(int n, const MPI_Request requests[]);
int requests_told(MPI_Request request, bool told);

#endif
