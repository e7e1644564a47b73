/* This file ties a schedule's operands to a call's addresses and layouts. */
#include <assert.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/comm.h"

/* The bytes of segment k of n in a packed stream of `bytes` bytes. */
static void cut(struct mpj_bound *bound, struct mpj_operand operand, MPJ_Count unit)
{
  const MPJ_Count units = bound->bytes / unit, n = operand.nsegments, k = operand.segment;
  const MPJ_Count each = units / n, more = units % n;
  bound->first = (k * each + (k < more ? k : more)) * unit;
  bound->bytes = (each + (k < more)) * unit;
}

/* The signature of a segment: unlike that of any other segment. */
static struct mpj_signature segment_signature(struct mpj_signature whole,
                                              const struct mpj_bound *bound)
{
  const uint64_t place = (uint64_t)bound->first * UINT64_C(0x9e3779b97f4a7c15);
  whole.hash ^= place >> 3;
  whole.bytes = whole.elements = bound->bytes;
  return whole;
}

static int bind_buffer(const struct mpj_slot *slot, struct mpj_operand operand,
                       struct mpj_bound *bound)
{
  const bool send = operand.buffer == MPJ_BUFFER_SEND;
  const struct mpj_type *type = send ? slot->call.sendtype : slot->call.recvtype;
  bound->base = send ? slot->call.sendbuf : slot->call.recvbuf;
  bound->in_place = bound->base == MPJ_IN_PLACE;
  if (bound->in_place) return MPJ_SUCCESS;
  int status = MPJ_SUCCESS;
  if (operand.part != MPJ_WHOLE)
    status = mpj_type_part_view(type, operand.part, &bound->view);
  else
    bound->view = mpj_type_view(type);
  if (status != MPJ_SUCCESS) return status;
  bound->first = 0;
  bound->bytes = mpj_view_bytes(&bound->view);
  return MPJ_SUCCESS;
}

/* A temporary is dense, as many bytes as the operand it is like. */
static int bind_temporary(struct mpj_comm *comm, struct mpj_slot *slot, int number,
                          struct mpj_bound *bound, struct mpj_signature *signature)
{
  const struct mpj_operand original = slot->schedule->temporaries[number].like;
  struct mpj_layout *element = slot->call.temp ? slot->call.temp : comm->byte.layout;
  struct mpj_bound like = {0};
  const int status = mpj_bind_operand(comm, slot, original, &like, signature);
  if (status != MPJ_SUCCESS) return status;
  assert(!like.in_place);
  if (!slot->temporaries[number]) slot->temporaries[number] = mpj_alloc((size_t)like.bytes);
  if (!slot->temporaries[number])
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for a temporary of %lld bytes in %s",
                     (long long)like.bytes, mpj_operation_name(slot->schedule->operation));
  const MPJ_Count size = element->signature.bytes;
  *bound = (struct mpj_bound){.view = {element, like.bytes / size, size, 0},
                              .base = slot->temporaries[number],
                              .bytes = like.bytes};
  return MPJ_SUCCESS;
}

int mpj_bind_operand(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand operand,
                     struct mpj_bound *bound, struct mpj_signature *signature)
{
  const bool temporary = operand.buffer == MPJ_BUFFER_TEMP;
  const int status = temporary ? bind_temporary(comm, slot, operand.part, bound, signature)
                               : bind_buffer(slot, operand, bound);
  if (status != MPJ_SUCCESS || bound->in_place) return status;
  if (signature && !temporary) *signature = mpj_view_signature(&bound->view);
  if (operand.nsegments == 0) return MPJ_SUCCESS;
  cut(bound, operand, slot->call.unit);
  if (signature) *signature = segment_signature(*signature, bound);
  return MPJ_SUCCESS;
}

struct mpj_view mpj_bound_view(const struct mpj_comm *comm, const struct mpj_bound *bound)
{
  MPJ_Aint start = 0;
  if (bound->bytes == mpj_view_bytes(&bound->view)) return bound->view;
  const bool dense = mpj_view_dense(&bound->view, &start);
  assert(dense);
  (void)dense;
  return (struct mpj_view){comm->byte.layout, bound->bytes, 1, start + bound->first};
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
