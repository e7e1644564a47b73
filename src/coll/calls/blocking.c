/* This file is the blocking collectives. */
#include "base/entry.h"
#include "base/hot.h"
#include "coll/calls/collective.h"

MPJ_HOT int MPJ_Barrier(MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_BARRIER, .root = -1, .comm = comm};
  return mpj_call_blocking(&a);
}

MPJ_HOT int MPJ_Bcast(void *buf, MPJ_Datatype type, int root, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_BCAST,
                                  .root = root,
                                  .recvbuf = buf,
                                  .recvtype = type,
                                  .comm = comm};
  return mpj_call_blocking(&a);
}

MPJ_HOT int MPJ_Gather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                       MPJ_Datatype recvtype, int root, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_GATHER, .root = root, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_blocking(&a);
}

MPJ_HOT int MPJ_Scatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                        MPJ_Datatype recvtype, int root, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_SCATTER, .root = root, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_blocking(&a);
}

MPJ_HOT int MPJ_Allgather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                          MPJ_Datatype recvtype, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_ALLGATHER, .root = -1, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_blocking(&a);
}

MPJ_HOT int MPJ_Alltoall(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                         MPJ_Datatype recvtype, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_ALLTOALL, .root = -1, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_blocking(&a);
}

MPJ_HOT int MPJ_Reduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                       MPJ_Datatype recvtype, MPJ_Op op, int root, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_REDUCE,
                                  .root = root,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_blocking(&a);
}

MPJ_HOT int MPJ_Allreduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                          MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_ALLREDUCE,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_blocking(&a);
}

MPJ_HOT int MPJ_Reduce_scatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                               MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_REDUCE_SCATTER,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_blocking(&a);
}

MPJ_HOT int MPJ_Scan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                     MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_SCAN,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_blocking(&a);
}

MPJ_HOT int MPJ_Exscan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                       MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_EXSCAN,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_blocking(&a);
}
