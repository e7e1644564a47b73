/* This file ties a schedule's operands to a call's addresses and layouts. */
#include <assert.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/comm.h"

static int bind_buffer(const struct mpj_slot *slot, struct mpj_operand operand,
                       struct mpj_bound *bound)
{
  const bool send = operand.buffer == MPJ_BUFFER_SEND;
  const struct mpj_type *type = send ? slot->call.sendtype : slot->call.recvtype;
  bound->base = send ? slot->call.sendbuf : slot->call.recvbuf;
  bound->in_place = bound->base == MPJ_IN_PLACE;
  if (bound->in_place) return MPJ_SUCCESS;
  if (operand.part != MPJ_WHOLE) return mpj_type_part_view(type, operand.part, &bound->view);
  bound->view = mpj_type_view(type);
  return MPJ_SUCCESS;
}

/* A temporary is dense bytes, as many as the operand it is like. */
static int bind_temporary(struct mpj_comm *comm, struct mpj_slot *slot, int number,
                          struct mpj_bound *bound, struct mpj_signature *signature)
{
  struct mpj_bound like = {0};
  const int status = bind_buffer(slot, slot->schedule->temporaries[number].like, &like);
  if (status != MPJ_SUCCESS) return status;
  assert(!like.in_place);
  const MPJ_Count bytes = mpj_view_bytes(&like.view);
  if (!slot->temporaries[number]) slot->temporaries[number] = mpj_alloc((size_t)bytes);
  if (!slot->temporaries[number])
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for a temporary of %lld bytes in %s",
                     (long long)bytes, mpj_operation_name(slot->schedule->operation));
  *bound = (struct mpj_bound){.view = {comm->byte.layout, bytes, 1, 0},
                              .base = slot->temporaries[number]};
  if (signature) *signature = mpj_view_signature(&like.view);
  return MPJ_SUCCESS;
}

int mpj_bind_operand(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand operand,
                     struct mpj_bound *bound, struct mpj_signature *signature)
{
  if (operand.buffer == MPJ_BUFFER_TEMP)
    return bind_temporary(comm, slot, operand.part, bound, signature);
  const int status = bind_buffer(slot, operand, bound);
  if (status == MPJ_SUCCESS && signature && !bound->in_place)
    *signature = mpj_view_signature(&bound->view);
  return status;
}

int mpj_bind_elements(struct mpj_slot *slot, struct mpj_operand temporary,
                      struct mpj_piece *elements)
{
  struct mpj_bound like = {0};
  const int status = bind_buffer(slot, slot->schedule->temporaries[temporary.part].like, &like);
  return status == MPJ_SUCCESS ? mpj_packed_twin(&like.view, elements) : status;
}

void mpj_unbind_operand(struct mpj_slot *slot, struct mpj_operand operand)
{
  if (operand.buffer != MPJ_BUFFER_TEMP || --slot->users_left[operand.part] > 0) return;
  mpj_free(slot->temporaries[operand.part]);
  slot->temporaries[operand.part] = NULL;
}
