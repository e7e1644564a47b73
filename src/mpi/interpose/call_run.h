/* This header declares how an intercepted collective call is run. */
#ifndef MPJ_SRC_MPI_INTERPOSE_CALL_RUN_H
#define MPJ_SRC_MPI_INTERPOSE_CALL_RUN_H

#include "mpi/interpose/call.h"

/* "bcast", as MPJ_INTERPOSE has it. */
extern const char *const collective_names[COLLECTIVES];

/* Give back what the call borrowed: once for each that is served, in the thread that prepared it.
 */
void call_end(struct call *call);

/* Run it to its end, start it, or make it a persistent request. Errors are MPJ's. */
int call_run(const struct call *call);
int call_start(const struct call *call, MPJ_Request *request);
int call_init(const struct call *call, MPJ_Request *request);

#endif
