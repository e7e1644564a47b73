/* This file is the nonblocking collectives. */
#include "base/entry.h"
#include "base/hot.h"
#include "coll/calls/collective.h"

int MPJ_Ibarrier(MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_BARRIER, .root = -1, .comm = comm};
  return mpj_call_begin(&a, request);
}

int MPJ_Ibcast(void *buf, MPJ_Datatype type, int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_BCAST,
                                  .root = root,
                                  .recvbuf = buf,
                                  .recvtype = type,
                                  .comm = comm};
  return mpj_call_begin(&a, request);
}

int MPJ_Igather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_GATHER, .root = root, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_begin(&a, request);
}

int MPJ_Iscatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                 int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_SCATTER, .root = root, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_begin(&a, request);
}

int MPJ_Iallgather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                   MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_ALLGATHER, .root = -1, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_begin(&a, request);
}

int MPJ_Ialltoall(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                  MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      .operation = MPJ_OPERATION_ALLTOALL, .root = -1, MPJ_OF_SEND, MPJ_OF_RECV, .comm = comm};
  return mpj_call_begin(&a, request);
}

int MPJ_Ireduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                MPJ_Op op, int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_REDUCE,
                                  .root = root,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_begin(&a, request);
}

int MPJ_Iallreduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                   MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_ALLREDUCE,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_begin(&a, request);
}

int MPJ_Ireduce_scatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                        MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_REDUCE_SCATTER,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_begin(&a, request);
}

int MPJ_Iscan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
              MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_SCAN,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_begin(&a, request);
}

int MPJ_Iexscan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_EXSCAN,
                                  .root = -1,
                                  MPJ_OF_SEND,
                                  MPJ_OF_RECV,
                                  .op = op,
                                  .comm = comm};
  return mpj_call_begin(&a, request);
}
