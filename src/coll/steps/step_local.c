/* This file runs the steps that work on a rank's own memory: reductions and copies. */
#include <assert.h>
#include <string.h>

#include "coll/comm/comm.h"
#include "coll/failure/mismatch.h"
#include "coll/op/op.h"
#include "coll/plan/binding.h"
#include "coll/steps/bundle.h"
#include "coll/steps/steps.h"

/* Reduce */

/* Where a dense operand's bytes are; NULL if it is not dense. */
static char *dense_bytes(const struct mpj_bound *bound)
{
  MPJ_Aint start;
  if (!mpj_view_dense(&bound->view, &start)) return NULL;
  return (char *)((uintptr_t)bound->base + (uintptr_t)(start + bound->first));
}

/* dst := packed (op) dst. */
static int combine(const struct mpj_slot *slot, const void *packed, const struct mpj_bound *dst)
{
  const struct mpj_call *call = slot->call;
  char *to = dense_bytes(dst);
  if (to && call->reduce > 0 && call->temp) { /* all elements of one basic type, side by side */
    mpj_reduce_kernel_of((enum mpj_reduce_op)(call->reduce - 1),
                         call->temp->u.run.basic)(packed, to, dst->bytes / call->unit);
    return MPJ_SUCCESS;
  }
  struct mpj_cursor out;
  int status = mpj_cursor_begin(&out, &dst->view, dst->base);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_seek(&out, dst->first);
  if (call->reduce > 0)
    status = mpj_cursor_reduce(&out, packed, dst->bytes, (enum mpj_reduce_op)(call->reduce - 1));
  else if (call->op)
    status = mpj_op_combine(call->op, &out, packed, dst->bytes, slot->scratch);
  else
    status = mpj_cursor_combine(&out, packed, dst->bytes, call->combine, call->combine_ctx);
  mpj_cursor_end(&out);
  return status;
}

int mpj_step_reduce_into(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand dst,
                         const void *packed)
{
  struct mpj_bound bound = {0};
  int status = mpj_bind_operand(comm, slot, dst, &bound, NULL);
  /* Where temporaries are bytes to the cursor, what they hold must be told. */
  if (status == MPJ_SUCCESS && dst.buffer == MPJ_BUFFER_TEMP && !slot->call->op &&
      !slot->call->temp)
    status = mpj_bind_elements(slot, dst, &bound.view);
  return status == MPJ_SUCCESS ? combine(slot, packed, &bound) : status;
}

int mpj_step_reduce_piece(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step,
                          const void *packed, MPJ_Count at, MPJ_Count bytes)
{
  struct mpj_bound bound = {0};
  const int status = mpj_bind_operand(comm, slot, mpj_step_dst(slot->schedule, step), &bound, NULL);
  bound.first += at;
  bound.bytes = bytes;
  return status == MPJ_SUCCESS ? combine(slot, packed, &bound) : status;
}

int mpj_step_run_reduce(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  struct mpj_bound src = {0};
  const int status = mpj_bind_operand(comm, slot, mpj_step_src(slot->schedule, step), &src, NULL);
  if (status != MPJ_SUCCESS || src.bytes == 0) return status;
  const char *packed = dense_bytes(&src);
  assert(packed);
  return mpj_step_reduce_into(comm, slot, mpj_step_dst(slot->schedule, step), packed);
}

/* Copy */

/* Up to here a copy between dense operands needs no cursor. */
enum { PLAIN_COPY_BYTES = 4096 };

static bool copy_plainly(const struct mpj_bound *src, const struct mpj_bound *dst)
{
  if (src->bytes > PLAIN_COPY_BYTES || src->bytes == 0) return src->bytes == 0;
  const char *from = dense_bytes(src);
  char *to = dense_bytes(dst);
  if (from && to) memcpy(to, from, (size_t)src->bytes);
  return from && to;
}

int mpj_step_run_copy(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  struct mpj_bound src = {0}, dst = {0};
  struct mpj_signature from, to;
  const struct mpj_operand from_what = mpj_step_src(slot->schedule, step);
  const struct mpj_operand to_what = mpj_step_dst(slot->schedule, step);
  if (from_what.buffer == MPJ_BUFFER_BUNDLE || to_what.buffer == MPJ_BUFFER_BUNDLE)
    return mpj_bundle_copy(comm, slot, step);
  int status = mpj_bind_operand(comm, slot, from_what, &src, &from);
  if (status == MPJ_SUCCESS) status = mpj_bind_operand(comm, slot, to_what, &dst, &to);
  if (status != MPJ_SUCCESS) return status;
  if (src.in_place || dst.in_place) return MPJ_SUCCESS;
  if (!mpj_step_takes(slot, &to, from.bytes, mpj_signature_digest(&from)))
    return mpj_step_copy_mismatch(comm, slot, from_what, &src.view, to_what, &dst.view);
  if (copy_plainly(&src, &dst)) return MPJ_SUCCESS;
  struct mpj_cursor in, out;
  status = mpj_cursor_begin(&in, &src.view, src.base);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_cursor_begin(&out, &dst.view, dst.base);
  if (status == MPJ_SUCCESS) {
    mpj_cursor_seek(&in, src.first);
    mpj_cursor_seek(&out, dst.first);
    mpj_cursor_copy(&out, &in, src.bytes);
    mpj_cursor_end(&out);
  }
  mpj_cursor_end(&in);
  return status;
}
