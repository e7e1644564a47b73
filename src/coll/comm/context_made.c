/* This file makes what a rank has only when it needs it. */
#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/comm_begin.h"
#include "coll/comm/context_ids.h"
#include "net/am/am_begin.h"
#include "net/am/requests.h"

int mpj_context_begin_comm(struct mpj_context *context, uint32_t id, int rank, int size,
                           struct mpj_comm **begun)
{
  const int *world = id == MPJ_WORLD_ID ? NULL : &context->rank;
  struct mpj_comm *comm = mpj_alloc_array(1, sizeof *comm);
  if (!comm) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a communicator");
  int status =
      mpj_comm_begin(comm, context, id, 0, id, MPJ_WINDOW, rank, size, world, context->net);
  if (status == MPJ_SUCCESS && !mpj_context_ids_take(comm)) {
    mpj_comm_end(comm);
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a communicator");
  }
  if (status == MPJ_SUCCESS)
    *begun = comm;
  else
    mpj_free(comm);
  return status;
}

int mpj_context_self(struct mpj_context *context, struct mpj_comm **self)
{
  *self = mpj_context_comm(context, MPJ_SELF_ID);
  return *self ? MPJ_SUCCESS : mpj_context_begin_comm(context, MPJ_SELF_ID, 0, 1, self);
}

int mpj_context_am(struct mpj_context *context, struct mpj_am **am)
{
  const int status = context->am ? MPJ_SUCCESS : mpj_am_begin(context->net, &context->am);
  *am = context->am;
  return status;
}
