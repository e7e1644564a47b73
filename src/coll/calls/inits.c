/* This file makes persistent requests. */
#include "base/entry.h"
#include "base/hot.h"
#include "coll/calls/collective.h"

int MPJ_Barrier_init(MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_BARRIER, .root = -1, .comm = comm};
  return mpj_call_init(&a, request);
}

int MPJ_Bcast_init(void *buf, MPJ_Datatype type, int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_BCAST,
                                  .root = root,
                                  .recvbuf = buf,
                                  .recvtype = type,
                                  .comm = comm};
  return mpj_call_init(&a, request);
}

int MPJ_Gather_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                    MPJ_Datatype recvtype, int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_GATHER, .root = root, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_init(&a, request);
}

int MPJ_Scatter_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                     MPJ_Datatype recvtype, int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_SCATTER, .root = root, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_init(&a, request);
}

int MPJ_Allgather_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                       MPJ_Datatype recvtype, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_ALLGATHER, .root = -1, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_init(&a, request);
}

int MPJ_Alltoall_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                      MPJ_Datatype recvtype, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_ALLTOALL, .root = -1, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_init(&a, request);
}

int MPJ_Reduce_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                    MPJ_Datatype recvtype, MPJ_Op op, int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_REDUCE,
                                  .root = root,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_init(&a, request);
}

int MPJ_Allreduce_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                       MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_ALLREDUCE,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_init(&a, request);
}

int MPJ_Reduce_scatter_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                            MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_REDUCE_SCATTER,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_init(&a, request);
}

int MPJ_Scan_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                  MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_SCAN,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_init(&a, request);
}

int MPJ_Exscan_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                    MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_EXSCAN,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_init(&a, request);
}
