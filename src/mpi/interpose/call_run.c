/* This file hands calls in MPJ's terms to MPJ. */
#include "mpi/interpose/call_run.h"

#include "mpi/interpose/arguments/types.h"

void call_end(struct call *call)
{
  call->sendtype = call->recvtype = MPJ_DATATYPE_NULL;
  types_end();
}

int call_run(const struct call *c)
{
  switch (c->collective) {
  case BARRIER:
    return MPJ_Barrier(c->comm);
  case BCAST:
    return MPJ_Bcast(c->recvbuf, c->recvtype, c->root, c->comm);
  case GATHER:
  case GATHERV:
    return MPJ_Gather(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->root, c->comm);
  case SCATTER:
  case SCATTERV:
    return MPJ_Scatter(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->root, c->comm);
  case ALLGATHER:
  case ALLGATHERV:
    return MPJ_Allgather(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->comm);
  case ALLTOALL:
  case ALLTOALLV:
  case ALLTOALLW:
    return MPJ_Alltoall(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->comm);
  case REDUCE:
    return MPJ_Reduce(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->root, c->comm);
  case ALLREDUCE:
    return MPJ_Allreduce(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm);
  case REDUCE_SCATTER:
  case REDUCE_SCATTER_BLOCK:
    return MPJ_Reduce_scatter(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm);
  case SCAN:
    return MPJ_Scan(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm);
  case EXSCAN:
    return MPJ_Exscan(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm);
  case COLLECTIVES:
    break;
  }
  return mpi_report(MPJ_ERR_INTERNAL, "collective %d is none", (int)c->collective);
}

int call_start(const struct call *c, MPJ_Request *request)
{
  switch (c->collective) {
  case BARRIER:
    return MPJ_Ibarrier(c->comm, request);
  case BCAST:
    return MPJ_Ibcast(c->recvbuf, c->recvtype, c->root, c->comm, request);
  case GATHER:
  case GATHERV:
    return MPJ_Igather(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->root, c->comm, request);
  case SCATTER:
  case SCATTERV:
    return MPJ_Iscatter(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->root, c->comm,
                        request);
  case ALLGATHER:
  case ALLGATHERV:
    return MPJ_Iallgather(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->comm, request);
  case ALLTOALL:
  case ALLTOALLV:
  case ALLTOALLW:
    return MPJ_Ialltoall(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->comm, request);
  case REDUCE:
    return MPJ_Ireduce(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->root, c->comm,
                       request);
  case ALLREDUCE:
    return MPJ_Iallreduce(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm,
                          request);
  case REDUCE_SCATTER:
  case REDUCE_SCATTER_BLOCK:
    return MPJ_Ireduce_scatter(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm,
                               request);
  case SCAN:
    return MPJ_Iscan(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm, request);
  case EXSCAN:
    return MPJ_Iexscan(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm, request);
  case COLLECTIVES:
    break;
  }
  return mpi_report(MPJ_ERR_INTERNAL, "collective %d is none", (int)c->collective);
}

int call_init(const struct call *c, MPJ_Request *request)
{
  switch (c->collective) {
  case BARRIER:
    return MPJ_Barrier_init(c->comm, request);
  case BCAST:
    return MPJ_Bcast_init(c->recvbuf, c->recvtype, c->root, c->comm, request);
  case GATHER:
  case GATHERV:
    return MPJ_Gather_init(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->root, c->comm,
                           request);
  case SCATTER:
  case SCATTERV:
    return MPJ_Scatter_init(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->root, c->comm,
                            request);
  case ALLGATHER:
  case ALLGATHERV:
    return MPJ_Allgather_init(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->comm, request);
  case ALLTOALL:
  case ALLTOALLV:
  case ALLTOALLW:
    return MPJ_Alltoall_init(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->comm, request);
  case REDUCE:
    return MPJ_Reduce_init(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->root,
                           c->comm, request);
  case ALLREDUCE:
    return MPJ_Allreduce_init(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm,
                              request);
  case REDUCE_SCATTER:
  case REDUCE_SCATTER_BLOCK:
    return MPJ_Reduce_scatter_init(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm,
                                   request);
  case SCAN:
    return MPJ_Scan_init(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm, request);
  case EXSCAN:
    return MPJ_Exscan_init(c->sendbuf, c->sendtype, c->recvbuf, c->recvtype, c->op, c->comm,
                           request);
  case COLLECTIVES:
    break;
  }
  return mpi_report(MPJ_ERR_INTERNAL, "collective %d is none", (int)c->collective);
}

const char *const collective_names[COLLECTIVES] = {
    [BARRIER] = "barrier",
    [BCAST] = "bcast",
    [GATHER] = "gather",
    [GATHERV] = "gatherv",
    [SCATTER] = "scatter",
    [SCATTERV] = "scatterv",
    [ALLGATHER] = "allgather",
    [ALLGATHERV] = "allgatherv",
    [ALLTOALL] = "alltoall",
    [ALLTOALLV] = "alltoallv",
    [ALLTOALLW] = "alltoallw",
    [REDUCE] = "reduce",
    [ALLREDUCE] = "allreduce",
    [REDUCE_SCATTER] = "reduce_scatter",
    [REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
    [SCAN] = "scan",
    [EXSCAN] = "exscan",
};
