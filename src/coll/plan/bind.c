/* This file binds the steps of a schedule to the types of a call. */
#include "coll/plan/bind.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/comm.h"

/* What an end holds. */
struct held {
  struct mpj_bound bound;
  struct mpj_signature data;
};

static bool is_none(struct mpj_operand operand)
{
  return operand.buffer == MPJ_BUFFER_NONE || operand.buffer == MPJ_BUFFER_BUNDLE;
}

static int hold(struct mpj_binder *b, struct mpj_operand operand, struct held *held)
{
  *held = (struct held){.data = mpj_signature_empty};
  return is_none(operand) ? MPJ_SUCCESS : mpj_bind_operand(b, operand, &held->bound, &held->data);
}

static int add_view(struct mpj_plan *q, const struct mpj_view *view, struct mpj_end *end)
{
  if (q->nviews == q->views_room) {
    const unsigned room = q->views_room ? 2 * q->views_room : 4;
    struct mpj_view *views = mpj_alloc_array(room, sizeof *views);
    if (!views) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a plan of %u views", room);
    if (q->nviews > 0) memcpy(views, q->views, q->nviews * sizeof *views);
    mpj_free(q->views);
    q->views = views;
    q->views_room = room;
  }
  end->view = q->nviews;
  q->views[q->nviews++] = *view;
  return MPJ_SUCCESS;
}

/* elements: where data is combined by a cursor, which has to know what a temporary holds. */
static int set_end(struct mpj_binder *b, struct mpj_plan *q, struct mpj_operand operand,
                   const struct held *held, bool elements, struct mpj_end *end)
{
  MPJ_Aint start = 0;
  if (operand.buffer == MPJ_BUFFER_VERDICT) operand.buffer = MPJ_BUFFER_TEMP; /* of a byte */
  const bool temporary = operand.buffer == MPJ_BUFFER_TEMP;
  struct mpj_view view = held->bound.view;
  *end = (struct mpj_end){.buffer = operand.buffer & 0xffu,
                          .dense = operand.buffer != MPJ_BUFFER_BUNDLE};
  if (temporary || operand.buffer == MPJ_BUFFER_BUNDLE)
    end->number = (uint32_t)operand.part & MPJ_TEMPORARIES_MAX;
  if (is_none(operand)) return MPJ_SUCCESS;
  if (temporary) q->temporaries[operand.part] = mpj_view_bytes(&view);
  end->dense = !elements && mpj_view_dense(&view, &start);
  end->at = start + held->bound.first;
  if (end->dense) return MPJ_SUCCESS;
  end->at = held->bound.first;
  int status = MPJ_SUCCESS;
  if (temporary && elements && !b->call->op && !b->call->temp)
    status = mpj_bind_elements(b, operand, &view);
  return status == MPJ_SUCCESS ? add_view(q, &view, end) : status;
}

void mpj_plan_head(const struct mpj_comm *comm, const struct mpj_schedule *s, MPJ_Count bytes,
                   uint64_t digest, struct mpj_plan_step *step)
{
  const bool eager = comm->net && bytes <= comm->net->eager_bytes;
  struct mpj_arrival_message m = {.kind = bytes <= MPJ_INLINE_MAX ? MPJ_ARRIVAL_INLINE
                                          : eager                 ? MPJ_ARRIVAL_EAGER
                                                                  : MPJ_ARRIVAL_ADVERT,
                                  .operation = s->called.operation & 0x1fu,
                                  .algorithm = s->called.algorithm,
                                  .root = s->called.root,
                                  .radix = s->called.radix,
                                  .segments = s->called.segments,
                                  .digest = digest};
  mpj_message_say(&m, bytes, step->bit);
  step->way = m.kind & 3u;
  step->bytes = bytes;
  memcpy(step->rest, (const char *)&m + MPJ_ARRIVAL_HEADER - sizeof step->rest, sizeof step->rest);
}

/* Nothing is to be done where a buffer is in place. */
static int bind_step(const struct mpj_comm *comm, struct mpj_binder *b, struct mpj_plan *q,
                     const struct mpj_step *s, struct mpj_plan_step *step)
{
  struct held from, to;
  MPJ_Aint start;
  struct mpj_operand src = mpj_step_src(b->schedule, s), dst = mpj_step_dst(b->schedule, s);
  *step = (struct mpj_plan_step){
      .kind = s->kind & 15u, .bit = s->bit, .posted = s->posted, .peer = s->peer};
  step->combines = s->kind == MPJ_STEP_RECV && src.buffer != MPJ_BUFFER_NONE;
  int status = hold(b, src, &from);
  if (status == MPJ_SUCCESS) status = hold(b, dst, &to);
  if (status != MPJ_SUCCESS) return status;
  if (from.bound.in_place || to.bound.in_place) src = dst = mpj_operand_none();
  const bool gives = s->kind != MPJ_STEP_RECV && !is_none(src);
  const struct mpj_signature *data = gives ? &from.data : &to.data;
  const uint64_t digest = mpj_signature_digest(data);
  step->unfit = s->kind == MPJ_STEP_COPY && !is_none(src) && !is_none(dst) &&
                !mpj_operation_takes(b->schedule->operation, to.data.bytes,
                                     mpj_signature_digest(&to.data), data->bytes, digest);
  mpj_plan_head(comm, b->schedule, is_none(src) && is_none(dst) ? 0 : data->bytes, digest, step);
  const bool by_cursor = (step->combines || s->kind == MPJ_STEP_REDUCE) &&
                         !(q->kernel && mpj_view_dense(&to.bound.view, &start));
  step->verdict = s->kind == MPJ_STEP_SEND && src.buffer == MPJ_BUFFER_VERDICT;
  status = set_end(b, q, src, &from, false, &step->from);
  step->plain = s->kind == MPJ_STEP_SEND && step->way == MPJ_ARRIVAL_INLINE && step->from.dense &&
                !step->verdict;
  if (status == MPJ_SUCCESS) status = set_end(b, q, dst, &to, by_cursor, &step->to);
  if (s->kind == MPJ_STEP_COPY)
    step->plain = !step->unfit && step->from.dense && step->to.dense && step->bytes > 0 &&
                  step->bytes <= MPJ_PLAIN_COPY_BYTES;
  return status;
}

int mpj_plan_bind(const struct mpj_comm *comm, struct mpj_binder *b, struct mpj_plan *q)
{
  const struct mpj_schedule *s = b->schedule;
  const struct mpj_call *call = b->call;
  q->kernel = NULL;
  if (call->reduce > 0 && call->temp) /* all elements of one basic type */
    q->kernel =
        mpj_reduce_kernel_of((enum mpj_reduce_op)(call->reduce - 1), call->temp->u.run.basic);
  int status = MPJ_SUCCESS;
  for (unsigned i = 0; i < s->nsteps && status == MPJ_SUCCESS; i++)
    status = bind_step(comm, b, q, &s->steps[i], &q->steps[i]);
  return status;
}
