/* This file ties a schedule's operands to a call's addresses and layouts. */
#include <assert.h>

#include "base/scratch.h"
#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/plan/binding.h"

MPJ_Count mpj_segment_at(MPJ_Count bytes, MPJ_Count unit, MPJ_Count k, MPJ_Count n)
{
  const MPJ_Count units = bytes / unit, more = units % n;
  return (k * (units / n) + (k < more ? k : more)) * unit;
}

static void cut_evenly(struct mpj_bound *bound, struct mpj_operand operand, MPJ_Count unit)
{
  const MPJ_Count n = operand.nsegments, k = operand.segment, all = bound->bytes;
  bound->first = mpj_segment_at(all, unit, k, n);
  bound->bytes = mpj_segment_at(all, unit, k + operand.span, n) - bound->first;
}

static struct mpj_signature segment_signature(struct mpj_signature whole,
                                              const struct mpj_bound *bound)
{
  whole.hash = mpj_segment_hash(whole.hash, bound->first);
  whole.bytes = whole.elements = bound->bytes;
  return whole;
}

/* Where each part of a buffer begins in its packed stream, and where the last
 * ends: found once a call. */
static int part_offsets(struct mpj_slot *slot, bool send, MPJ_Count parts,
                        const MPJ_Count **offsets)
{
  const struct mpj_type *type = send ? slot->call->sendtype : slot->call->recvtype;
  struct mpj_part_offsets *o = &slot->offsets[send];
  *offsets = o->at;
  if (o->known) return MPJ_SUCCESS;
  if (!o->at) o->at = mpj_scratch_take(slot->scratch, ((size_t)parts + 1) * sizeof *o->at);
  if (!o->at)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for the offsets of %lld parts", (long long)parts);
  o->at[0] = 0;
  for (MPJ_Count i = 0; i < parts; i++) {
    struct mpj_view view;
    const int status = mpj_type_part_view(type, i, &view);
    if (status != MPJ_SUCCESS) return status;
    o->at[i + 1] = o->at[i] + mpj_view_bytes(&view);
  }
  o->known = true;
  *offsets = o->at;
  return MPJ_SUCCESS;
}

/* The joined signature of parts first .. first + span - 1. */
static int parts_signature(const struct mpj_type *type, int first, int span,
                           struct mpj_signature *signature)
{
  *signature = mpj_signature_empty;
  for (int i = first; i < first + span; i++) {
    struct mpj_view view;
    const int status = mpj_type_part_view(type, i, &view);
    if (status != MPJ_SUCCESS) return status;
    *signature = mpj_signature_join(*signature, mpj_view_signature(&view));
  }
  return MPJ_SUCCESS;
}

static int cut_by_parts(struct mpj_slot *slot, struct mpj_operand operand, struct mpj_bound *bound,
                        struct mpj_signature *signature)
{
  enum mpj_buffer buffer = operand.buffer;
  if (buffer == MPJ_BUFFER_TEMP) buffer = mpj_temporary_like(slot->schedule, operand.part).buffer;
  const bool send = buffer == MPJ_BUFFER_SEND;
  const struct mpj_type *type = send ? slot->call->sendtype : slot->call->recvtype;
  const MPJ_Count *at;
  const int status = part_offsets(slot, send, operand.nsegments, &at);
  if (status != MPJ_SUCCESS) return status;
  bound->first = at[operand.segment];
  bound->bytes = at[operand.segment + operand.span] - bound->first;
  if (!signature || operand.span == operand.nsegments) return MPJ_SUCCESS;
  return parts_signature(type, operand.segment, operand.span, signature);
}

static int bind_buffer(const struct mpj_slot *slot, struct mpj_operand operand,
                       struct mpj_bound *bound)
{
  const bool send = operand.buffer == MPJ_BUFFER_SEND;
  const struct mpj_type *type = send ? slot->call->sendtype : slot->call->recvtype;
  bound->base = send ? slot->call->sendbuf : slot->call->recvbuf;
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
  const struct mpj_operand original = mpj_temporary_like(slot->schedule, number);
  struct mpj_layout *element = slot->call->temp ? slot->call->temp : comm->byte.layout;
  struct mpj_bound like = {0};
  const int status = mpj_bind_operand(comm, slot, original, &like, signature);
  if (status != MPJ_SUCCESS) return status;
  assert(!like.in_place);
  if (!slot->temporaries[number])
    slot->temporaries[number] = mpj_scratch_take(slot->scratch, (size_t)like.bytes);
  if (!slot->temporaries[number])
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for a temporary of %lld bytes in %s",
                     (long long)like.bytes, mpj_schedule_name(slot->schedule));
  const MPJ_Count size = element->signature.bytes;
  *bound = (struct mpj_bound){.view = {element, like.bytes / size, size, 0},
                              .base = slot->temporaries[number],
                              .bytes = like.bytes};
  return MPJ_SUCCESS;
}

/* A byte, taken when it is first used. */
static int bind_verdict(struct mpj_comm *comm, struct mpj_slot *slot, int number,
                        struct mpj_bound *bound, struct mpj_signature *signature)
{
  if (!slot->temporaries[number]) slot->temporaries[number] = mpj_scratch_take(slot->scratch, 1);
  if (!slot->temporaries[number])
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for a verdict in %s",
                     mpj_schedule_name(slot->schedule));
  *bound = (struct mpj_bound){
      .view = {comm->byte.layout, 1, 1, 0}, .base = slot->temporaries[number], .bytes = 1};
  if (signature) *signature = mpj_view_signature(&bound->view);
  return MPJ_SUCCESS;
}

int mpj_bind_operand(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand operand,
                     struct mpj_bound *bound, struct mpj_signature *signature)
{
  const bool temporary = operand.buffer == MPJ_BUFFER_TEMP;
  if (operand.buffer == MPJ_BUFFER_VERDICT)
    return bind_verdict(comm, slot, operand.part, bound, signature);
  const int status = temporary ? bind_temporary(comm, slot, operand.part, bound, signature)
                               : bind_buffer(slot, operand, bound);
  if (status != MPJ_SUCCESS || bound->in_place) return status;
  if (signature && !temporary) *signature = mpj_view_signature(&bound->view);
  if (operand.nsegments == 0) return MPJ_SUCCESS;
  if (operand.by_parts) return cut_by_parts(slot, operand, bound, signature);
  cut_evenly(bound, operand, slot->call->unit);
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
                      struct mpj_view *elements)
{
  struct mpj_bound like = {0};
  const int status = bind_buffer(slot, mpj_temporary_like(slot->schedule, temporary.part), &like);
  return status == MPJ_SUCCESS ? mpj_packed_twin(&like.view, elements) : status;
}

int mpj_bound_pack(const struct mpj_bound *bound, void *out, MPJ_Count bytes)
{
  MPJ_Aint start;
  if (mpj_view_dense(&bound->view, &start)) {
    if (bytes > 0)
      memcpy(out, (const char *)((uintptr_t)bound->base + (uintptr_t)start), (size_t)bytes);
    return MPJ_SUCCESS;
  }
  struct mpj_cursor cursor;
  const int status = mpj_cursor_begin(&cursor, &bound->view, bound->base);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_pack(&cursor, out, bytes);
  mpj_cursor_end(&cursor);
  return MPJ_SUCCESS;
}
