/* This header declares the MPI requests of served nonblocking and persistent calls.
 *
 * A nonblocking call's request is a generalised one, which MPI's own completion calls know;
 * it is completed when MPJ's request is done. A persistent call's is an inactive
 * persistent request to MPI_PROC_NULL, started only when MPJ's request is done, so that from
 * then on MPI finds it complete; until then it is pending, and completion calls must not
 * show it to MPI, which would find it inactive.
 * Threads: any. */
#ifndef MPJ_SRC_MPI_INTERPOSE_REQUESTS_H
#define MPJ_SRC_MPI_INTERPOSE_REQUESTS_H

#include "mpi/interpose/call.h"

/* Start the call, which is moved; *request is set. Errors are MPI's. */
int requests_start(struct call *call, MPI_Request *request);
/* Make it persistent, likewise. */
int requests_init(struct call *call, MPI_Request *request);

/* Run it to its end; MPI progresses while it waits. The call is still the caller's. Returns MPJ's
 * status. Other threads may call MPJ at the same time; or nobody else does, and nothing is under
 * way. */
int requests_run(const struct call *call);
int requests_run_alone(const struct call *call);

/* Served operations under way: completion calls must poll for them. */
bool requests_under_way(void);

/* Whether served requests may still apply operations of the program's. */
bool requests_need_ops(void);

/* Wait until no served operation is under way on `comm`, which is then freed. */
void requests_drain(MPI_Comm comm);

/* Let MPJ progress, and tell MPI which requests are done. */
void requests_poll(void);

/* How often the program's threads have let MPJ progress in this way; the same without MPI, by
 * another thread, unless an operation under way is one that MPI applies. */
unsigned requests_polls(void);
void requests_progress_helper(void);

/* The failures of served nonblocking operations, which MPI takes for successes: before a call of
 * MPI's that completes requests; and after it MPI's code of the failure that it has met, or of the
 * one that this status is of, or MPI_SUCCESS. */
void requests_ask(void);
int requests_failed(MPI_Status *status);

/* A request that is never complete, in place of pending ones. */
MPI_Request requests_never(void);

/* Start a persistent request if it is a served one; *served says whether. */
int requests_restart(MPI_Request request, bool *served);

/* MPI_Request_free gives up served persistent ones that are not active and, as the library does,
 * nonblocking ones that are complete under Open MPI; it and MPI_Cancel refuse all others, which
 * live on. *served: MPI is not to be asked; requests_cancel: the error, or MPI_SUCCESS for
 * requests that are not served. */
int requests_free(MPI_Request *request, bool *served);
int requests_cancel(MPI_Request request);

int requests_begin(void);
void requests_end(void);

#endif
