/* This file is the public functions of the eleven operations: MPJ_Scan, MPJ_Iscan, MPJ_Scan_init.
 */
#include "base/entry.h"
#include "base/hot.h"
#include "coll/calls/collective.h"

#define TAKE_NO_BUFFERS
#define TAKE_BUFFER void *buf, MPJ_Datatype type,
#define TAKE_BUFFERS                                                                               \
  const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
#define TAKE_NO_OP
#define TAKE_OP MPJ_Op op,
#define TAKE_NO_ROOT
#define TAKE_ROOT int root,

#define GIVE_NO_BUFFERS
#define GIVE_BUFFER .recvbuf = buf, .recvtype = type,
#define GIVE_BUFFERS MPJ_OF_SEND, MPJ_OF_RECV,
#define GIVE_NO_OP
#define GIVE_OP .op = op,
#define GIVE_NO_ROOT .root = MPJ_PART_OF_NONE,
#define GIVE_ROOT .root = root,

#define ARGUMENTS(big, buffers, op_, root_)                                                        \
  &(const struct mpj_arguments)                                                                    \
  {                                                                                                \
    .operation = MPJ_OPERATION_##big, GIVE_##buffers GIVE_##op_ GIVE_##root_.comm = comm,          \
    .users = outermost                                                                             \
  }

#define BLOCKING(name, small, big, buffers, op_, root_, ...)                                       \
  MPJ_HOT int MPJ_##name(TAKE_##buffers TAKE_##op_ TAKE_##root_ MPJ_Comm comm)                     \
  {                                                                                                \
    MPJ_ENTRY;                                                                                     \
    return mpj_call_blocking(ARGUMENTS(big, buffers, op_, root_));                                 \
  }

#define NONBLOCKING(name, small, big, buffers, op_, root_, ...)                                    \
  int MPJ_I##small(TAKE_##buffers TAKE_##op_ TAKE_##root_ MPJ_Comm comm, MPJ_Request *request)     \
  {                                                                                                \
    MPJ_ENTRY;                                                                                     \
    return mpj_call_begin(ARGUMENTS(big, buffers, op_, root_), request);                           \
  }

#define PERSISTENT(name, small, big, buffers, op_, root_, ...)                                     \
  int MPJ_##name##_init(TAKE_##buffers TAKE_##op_ TAKE_##root_ MPJ_Comm comm,                      \
                        MPJ_Request *request)                                                      \
  {                                                                                                \
    MPJ_ENTRY;                                                                                     \
    return mpj_call_init(ARGUMENTS(big, buffers, op_, root_), request);                            \
  }

MPJ_OPERATIONS_TABLE(BLOCKING)
MPJ_OPERATIONS_TABLE(NONBLOCKING)
MPJ_OPERATIONS_TABLE(PERSISTENT)
