/* This file ties a schedule's operands to the types of a call. */
#include "coll/plan/binding.h"

#include <assert.h>

#include "base/scratch.h"
#include "base/status.h"

MPJ_Count mpj_segment_at(MPJ_Count bytes, MPJ_Count unit, MPJ_Count k, MPJ_Count n)
{
  const MPJ_Count units = bytes / unit, more = units % n;
  return (k * (units / n) + (k < more ? k : more)) * unit;
}

bool mpj_operation_takes(enum mpj_operation operation, MPJ_Count own, uint64_t own_digest,
                         MPJ_Count bytes, uint64_t digest)
{
  if (bytes == own) return digest == own_digest;
  const struct mpj_signature room = {.bytes = own};
  return !mpj_operation_goes_by_size(operation) && mpj_signature_takes_less(&room, bytes);
}

static const struct mpj_type *type_of(const struct mpj_binder *b, bool send)
{
  return send ? b->call->sendtype : b->call->recvtype;
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

/* Where each part of a buffer begins in its packed stream, and where the last ends. */
static int find_offsets(struct mpj_binder *b, bool send, MPJ_Count parts)
{
  if (b->offsets[send]) return MPJ_SUCCESS;
  MPJ_Count *at = mpj_scratch_take(b->scratch, ((size_t)parts + 1) * sizeof *at);
  if (!at)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for the offsets of %lld parts", (long long)parts);
  b->offsets[send] = at;
  at[0] = 0;
  for (MPJ_Count i = 0; i < parts; i++) {
    struct mpj_view view;
    const int status = mpj_type_part_view(type_of(b, send), i, &view);
    if (status != MPJ_SUCCESS) return status;
    at[i + 1] = at[i] + mpj_view_bytes(&view);
  }
  return MPJ_SUCCESS;
}

void mpj_binder_end(struct mpj_binder *b)
{
  for (int k = 0; k < 2; k++)
    mpj_scratch_give(b->scratch, b->offsets[k]);
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

static int cut_by_parts(struct mpj_binder *b, struct mpj_operand operand, struct mpj_bound *bound,
                        struct mpj_signature *signature)
{
  enum mpj_buffer buffer = operand.buffer;
  if (buffer == MPJ_BUFFER_TEMP) buffer = mpj_temporary_like(b->schedule, operand.part).buffer;
  const bool send = buffer == MPJ_BUFFER_SEND;
  b->by_parts[send] = true;
  const int status = find_offsets(b, send, operand.nsegments);
  if (status != MPJ_SUCCESS) return status;
  bound->first = b->offsets[send][operand.segment];
  bound->bytes = b->offsets[send][operand.segment + operand.span] - bound->first;
  if (!signature || operand.span == operand.nsegments) return MPJ_SUCCESS;
  return parts_signature(type_of(b, send), operand.segment, operand.span, signature);
}

static int bind_buffer(struct mpj_binder *b, struct mpj_operand operand, struct mpj_bound *bound)
{
  const bool send = operand.buffer == MPJ_BUFFER_SEND;
  const struct mpj_type *type = type_of(b, send);
  *bound = (struct mpj_bound){0};
  bound->in_place = (send ? b->call->sendbuf : b->call->recvbuf) == MPJ_IN_PLACE;
  if (bound->in_place) return MPJ_SUCCESS;
  int status = MPJ_SUCCESS;
  b->by_parts[send] |= operand.part != MPJ_WHOLE;
  if (operand.part != MPJ_WHOLE)
    status = mpj_type_part_view(type, operand.part, &bound->view);
  else
    bound->view = mpj_type_view(type);
  if (status == MPJ_SUCCESS) bound->bytes = mpj_view_bytes(&bound->view);
  return status;
}

/* A temporary is dense, as many bytes as the operand it is like. */
static int bind_temporary(struct mpj_binder *b, int number, struct mpj_bound *bound,
                          struct mpj_signature *signature)
{
  struct mpj_layout *element = b->call->temp ? b->call->temp : b->byte;
  const MPJ_Count size = element->signature.bytes;
  struct mpj_bound like;
  const int status = mpj_bind_operand(b, mpj_temporary_like(b->schedule, number), &like, signature);
  assert(!like.in_place);
  *bound = (struct mpj_bound){.view = {element, like.bytes / size, size, 0}, .bytes = like.bytes};
  return status;
}

/* A byte. */
static void bind_verdict(const struct mpj_binder *b, struct mpj_bound *bound,
                         struct mpj_signature *signature)
{
  *bound = (struct mpj_bound){.view = {b->byte, 1, 1, 0}, .bytes = 1};
  if (signature) *signature = mpj_view_signature(&bound->view);
}

int mpj_bind_operand(struct mpj_binder *b, struct mpj_operand operand, struct mpj_bound *bound,
                     struct mpj_signature *signature)
{
  const bool temporary = operand.buffer == MPJ_BUFFER_TEMP;
  if (operand.buffer == MPJ_BUFFER_VERDICT) {
    bind_verdict(b, bound, signature);
    return MPJ_SUCCESS;
  }
  const int status = temporary ? bind_temporary(b, operand.part, bound, signature)
                               : bind_buffer(b, operand, bound);
  if (status != MPJ_SUCCESS || bound->in_place) return status;
  if (signature && !temporary) *signature = mpj_view_signature(&bound->view);
  if (operand.nsegments == 0) return MPJ_SUCCESS;
  if (operand.by_parts) return cut_by_parts(b, operand, bound, signature);
  cut_evenly(bound, operand, b->call->unit);
  if (signature) *signature = segment_signature(*signature, bound);
  return MPJ_SUCCESS;
}

int mpj_bind_elements(const struct mpj_binder *b, struct mpj_operand temporary,
                      struct mpj_view *elements)
{
  struct mpj_binder own = *b;
  struct mpj_bound like;
  const int status = bind_buffer(&own, mpj_temporary_like(b->schedule, temporary.part), &like);
  return status == MPJ_SUCCESS ? mpj_packed_alike(&like.view, elements) : status;
}
