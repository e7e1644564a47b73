/* This header declares how the collectives are called: their arguments, which are checked by the
 * table of operations (checks.h), and one entry for each of the three forms. */
#ifndef MPJ_SRC_COLL_CALLS_COLLECTIVE_H
#define MPJ_SRC_COLL_CALLS_COLLECTIVE_H

#include "base/hot.h"
#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/op/op.h"
#include "coll/select/select.h"

struct mpj_arguments {
  enum mpj_operation operation;
  int root; /* negative where there is none (enum mpj_part_of) */
  const void *sendbuf;
  MPJ_Datatype sendtype;
  void *recvbuf; /* of Bcast, the only one */
  MPJ_Datatype recvtype;
  MPJ_Op op; /* MPJ_OP_NULL where there is none */
  MPJ_Comm comm;
  int refused; /* the caller's own error, with the thread's detail, of which the others hear */
  bool users;  /* a program's own call, not a part of another function's */
};

/* The public function whose part a call is: sentences name that. NULL: it is a program's own. */
static inline const char *mpj_arguments_part_of(const struct mpj_arguments *a)
{
  return a->users ? NULL : mpj_entered.name;
}

/* Of a public function's parameters, which have these names in all of them. */
#define MPJ_OF_SEND .sendbuf = sendbuf, .sendtype = sendtype
#define MPJ_OF_RECV .recvbuf = recvbuf, .recvtype = recvtype

/* The three forms: begin it and wait for it (collective_call.c); begin it; make an inactive request
 * of it (request_run.c). If the arguments are bad the others hear of it. */
MPJ_HOT int mpj_call_blocking(const struct mpj_arguments *a);
int mpj_call_begin(const struct mpj_arguments *a, MPJ_Request *request);
int mpj_call_init(const struct mpj_arguments *a, MPJ_Request *request);
/* To the other ranks the same as mpj_call_begin, but for a composed request, which starts it at
 * once and then does work: the inactive request is the caller's to free. */
int mpj_call_once(const struct mpj_arguments *a, MPJ_Request *request);

/* A call on its way: who, what, with which arguments; and how their checks went
 * (status, with the thread's detail). */
struct mpj_prepared {
  struct mpj_comm *comm;
  const struct mpj_choice *choice; /* its own; or that of the table of calls, until others begin */
  struct mpj_choice own;
  struct mpj_call call;
  int status;
};

#endif
