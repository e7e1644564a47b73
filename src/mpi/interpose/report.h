/* This header declares the account of served and passed-on calls. */
#ifndef MPJ_SRC_MPI_INTERPOSE_REPORT_H
#define MPJ_SRC_MPI_INTERPOSE_REPORT_H

#include "mpi/interpose/call.h"

/* A report has lines for these, too: those that MPJ has not. */
enum {
  NEIGHBOR_ALLGATHER = COLLECTIVES,
  NEIGHBOR_ALLGATHERV,
  NEIGHBOR_ALLTOALL,
  NEIGHBOR_ALLTOALLV,
  NEIGHBOR_ALLTOALLW,
  REPORTED
};

/* A call of an enum collective, or of one of those, was passed on to the MPI library. */
void report_passed(int collective, enum reason why);

/* A call was served, or a persistent one was started: its bytes on this rank, and the seconds since
 * report_begin. Cheap where MPJ_INTERPOSE_REPORT is not set. */
double report_begin(void);
unsigned long report_bytes(const struct call *call);
void report_served(enum collective collective, unsigned long bytes, double begun);

/* The operation that a call started at `begun` has ended. */
void report_time(enum collective collective, double begun);

/* Print this job's account: rank 0 prints the sums over all ranks, and why nothing was served
 * where that is so (not_started: why MPJ did not start, or ""). Collective over MPI_COMM_WORLD,
 * before MPI_Finalize; a process that never comes to it says so when it exits. */
void report_print(const char *not_started);

#endif
