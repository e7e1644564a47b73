/* This header declares an MPI collective call in MPJ's terms: what every form of it,
 * blocking, nonblocking and persistent, int and large counts, C and Fortran, becomes. */
#ifndef MPJ_SRC_MPI_INTERPOSE_CALL_H
#define MPJ_SRC_MPI_INTERPOSE_CALL_H

#include "mpi/convert/interop.h"

/* MPI's collectives; a report has a line for each. */
enum collective {
  BARRIER,
  BCAST,
  GATHER,
  GATHERV,
  SCATTER,
  SCATTERV,
  ALLGATHER,
  ALLGATHERV,
  ALLTOALL,
  ALLTOALLV,
  ALLTOALLW,
  REDUCE,
  ALLREDUCE,
  REDUCE_SCATTER,
  REDUCE_SCATTER_BLOCK,
  SCAN,
  EXSCAN,
  COLLECTIVES
};

/* Why a call is passed on to the MPI library; facts that all ranks of the communicator
 * share, but for a wrong call, which MPI reports as it always does. */
enum reason {
  SERVED = 0,
  NOT_CHOSEN, /* MPJ_INTERPOSE leaves it out */
  NO_COMM,    /* one of two groups, or one that could not be converted */
  NOT_YET,    /* a nonblocking call before the first blocking one on its communicator, or one while
                 another thread converts another */
  UNSEEN,     /* it makes a request that MPI may be asked for by another name (PMPI_Wait) */
  WRONG_CALL,
  NEVER, /* MPJ has no such collective: the neighbourhood ones */
  REASONS
};

/* A form of a collective: blocking; nonblocking; making a persistent request, which may wait for
 * others, too. */
enum form { RUNS, STARTS, MAKES };

/* A call in MPJ's terms. sendtype and recvtype are borrowed until call_end, op for good. */
struct call {
  enum collective collective;
  enum form form;
  MPI_Comm mpi_comm;
  MPJ_Comm comm;
  const void *sendbuf;
  void *recvbuf;
  MPJ_Datatype sendtype, recvtype;
  MPJ_Op op;
  int root, rank;    /* rank: the caller's in comm */
  const char *wrong; /* why MPI would wait for ever in the call instead of reporting it; or NULL */
};

/* Counts and displacements of a v or w call, of ints or large; the others are NULL. */
struct lists {
  const int *counts, *displs;
  const MPI_Count *large_counts;
  const MPI_Aint *large_displs;
};

/* Each of these checks the arguments as MPI does and fills in *call, returning SERVED,
 * or returns why it is not to be served. Arguments are MPI's. */
enum reason prepare_barrier(struct call *call, MPI_Comm comm);
enum reason prepare_bcast(struct call *call, void *buf, MPI_Count count, MPI_Datatype type,
                          int root, MPI_Comm comm);
enum reason prepare_gather(struct call *call, const void *sendbuf, MPI_Count sendcount,
                           MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                           MPI_Datatype recvtype, int root, MPI_Comm comm);
enum reason prepare_gatherv(struct call *call, const void *sendbuf, MPI_Count sendcount,
                            MPI_Datatype sendtype, void *recvbuf, struct lists recv,
                            MPI_Datatype recvtype, int root, MPI_Comm comm);
enum reason prepare_scatter(struct call *call, const void *sendbuf, MPI_Count sendcount,
                            MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                            MPI_Datatype recvtype, int root, MPI_Comm comm);
enum reason prepare_scatterv(struct call *call, const void *sendbuf, struct lists send,
                             MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                             MPI_Datatype recvtype, int root, MPI_Comm comm);
enum reason prepare_allgather(struct call *call, const void *sendbuf, MPI_Count sendcount,
                              MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                              MPI_Datatype recvtype, MPI_Comm comm);
enum reason prepare_allgatherv(struct call *call, const void *sendbuf, MPI_Count sendcount,
                               MPI_Datatype sendtype, void *recvbuf, struct lists recv,
                               MPI_Datatype recvtype, MPI_Comm comm);
enum reason prepare_alltoall(struct call *call, const void *sendbuf, MPI_Count sendcount,
                             MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                             MPI_Datatype recvtype, MPI_Comm comm);
enum reason prepare_alltoallv(struct call *call, const void *sendbuf, struct lists send,
                              MPI_Datatype sendtype, void *recvbuf, struct lists recv,
                              MPI_Datatype recvtype, MPI_Comm comm);
enum reason prepare_alltoallw(struct call *call, const void *sendbuf, struct lists send,
                              const MPI_Datatype sendtypes[], void *recvbuf, struct lists recv,
                              const MPI_Datatype recvtypes[], MPI_Comm comm);
enum reason prepare_reduce(struct call *call, const void *sendbuf, void *recvbuf, MPI_Count count,
                           MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
enum reason prepare_allreduce(struct call *call, const void *sendbuf, void *recvbuf,
                              MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
enum reason prepare_reduce_scatter(struct call *call, const void *sendbuf, void *recvbuf,
                                   struct lists recv, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
enum reason prepare_reduce_scatter_block(struct call *call, const void *sendbuf, void *recvbuf,
                                         MPI_Count count, MPI_Datatype type, MPI_Op op,
                                         MPI_Comm comm);
enum reason prepare_scan(struct call *call, const void *sendbuf, void *recvbuf, MPI_Count count,
                         MPI_Datatype type, MPI_Op op, MPI_Comm comm);
enum reason prepare_exscan(struct call *call, const void *sendbuf, void *recvbuf, MPI_Count count,
                           MPI_Datatype type, MPI_Op op, MPI_Comm comm);

#endif
