/* This file finds the dependencies of steps from the data that they touch. */
#include "coll/plan/flow.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/plan/schedule_steps.h"

static bool is_cut_alike(struct mpj_operand a, struct mpj_operand b)
{
  return a.part == b.part && a.nsegments > 0 && a.nsegments == b.nsegments &&
         a.by_parts == b.by_parts;
}

static bool is_one_part(struct mpj_operand a)
{
  return a.part != MPJ_WHOLE && a.buffer < MPJ_BUFFER_TEMP;
}

static bool is_by_parts(struct mpj_operand a)
{
  return a.nsegments > 0 && a.by_parts;
}

static bool contains(struct mpj_operand stretch, int segment)
{
  return segment >= stretch.segment && segment < stretch.segment + stretch.span;
}

static bool touch(const struct mpj_flow *flow, struct mpj_operand a, struct mpj_operand b)
{
  if (a.buffer != b.buffer)
    return flow->aliased && a.buffer < MPJ_BUFFER_TEMP && b.buffer < MPJ_BUFFER_TEMP;
  if (a.buffer >= MPJ_BUFFER_BUNDLE) return a.part == b.part; /* or a verdict */
  if (a.buffer == MPJ_BUFFER_TEMP && a.part != b.part) return false;
  if (is_cut_alike(a, b)) return a.segment < b.segment + b.span && b.segment < a.segment + a.span;
  if (is_one_part(a) && is_one_part(b)) return a.part == b.part;
  if (is_one_part(a) && is_by_parts(b)) return contains(b, a.part);
  if (is_one_part(b) && is_by_parts(a)) return contains(a, b.part);
  return true;
}

/* Whether whoever waits for a step that writes `a` need not wait for one that
 * had touched `b`. */
static bool covers(struct mpj_operand a, struct mpj_operand b)
{
  if (a.buffer != b.buffer) return false;
  if (a.buffer >= MPJ_BUFFER_BUNDLE) return a.part == b.part; /* or a verdict */
  if (a.buffer == MPJ_BUFFER_TEMP && a.part != b.part) return false;
  if (a.nsegments == 0 && !is_one_part(a)) return true;
  if (is_cut_alike(a, b)) return contains(a, b.segment) && b.segment + b.span <= a.segment + a.span;
  return is_one_part(a) && is_one_part(b) && a.part == b.part;
}

static void wait_for_earlier(struct mpj_flow *flow, int step, struct mpj_operand what, bool writes)
{
  int last = -1; /* a step that both read and wrote it is named twice in a row */
  for (int i = 0; i < flow->naccesses; i++) {
    const struct mpj_access *access = &flow->accesses[i];
    if (!(writes || access->writes) || access->step == step || access->step == last) continue;
    if (!touch(flow, access->what, what)) continue;
    mpj_schedule_after(flow->b, step, access->step);
    last = access->step;
  }
}

static void forget_covered(struct mpj_flow *flow, int step, struct mpj_operand what)
{
  int kept = 0;
  for (int i = 0; i < flow->naccesses; i++) {
    const struct mpj_access access = flow->accesses[i];
    if (access.step == step || !covers(what, access.what)) flow->accesses[kept++] = access;
  }
  flow->naccesses = kept;
}

static void note(struct mpj_flow *flow, int step, struct mpj_operand what, bool writes)
{
  if (flow->naccesses == flow->room) {
    const int more = flow->room ? 2 * flow->room : 32;
    struct mpj_access *bigger = mpj_alloc_array((size_t)more, sizeof *bigger);
    if (!bigger) {
      mpj_schedule_fail(flow->b, mpj_error(MPJ_ERR_NO_MEM, "no memory to lay down a schedule"));
      return;
    }
    if (flow->room > 0) memcpy(bigger, flow->accesses, (size_t)flow->naccesses * sizeof *bigger);
    mpj_free(flow->accesses);
    flow->accesses = bigger;
    flow->room = more;
  }
  flow->accesses[flow->naccesses++] = (struct mpj_access){what, step, writes};
}

static int lay(struct mpj_flow *flow, int step, struct mpj_operand src, struct mpj_operand dst)
{
  if (src.buffer != MPJ_BUFFER_NONE) wait_for_earlier(flow, step, src, false);
  if (dst.buffer != MPJ_BUFFER_NONE) {
    wait_for_earlier(flow, step, dst, true);
    forget_covered(flow, step, dst);
    note(flow, step, dst, true);
  }
  if (src.buffer != MPJ_BUFFER_NONE) note(flow, step, src, false);
  return step;
}

int mpj_flow_send(struct mpj_flow *flow, int peer, unsigned bit, struct mpj_operand src)
{
  return lay(flow, mpj_schedule_send(flow->b, peer, bit, src, 0, NULL), src, mpj_operand_none());
}

int mpj_flow_send_by(struct mpj_flow *flow, int peer, unsigned bit, struct mpj_operand src,
                     struct mpj_operand verdict)
{
  const int step = mpj_schedule_send_by(flow->b, peer, bit, src, verdict);
  lay(flow, step, verdict, mpj_operand_none());
  return lay(flow, step, src, mpj_operand_none());
}

int mpj_flow_recv(struct mpj_flow *flow, int peer, unsigned bit, struct mpj_operand dst)
{
  return lay(flow, mpj_schedule_recv(flow->b, peer, bit, dst, 0, NULL), mpj_operand_none(), dst);
}

int mpj_flow_recv_reduce(struct mpj_flow *flow, int peer, unsigned bit, struct mpj_operand aside,
                         struct mpj_operand dst)
{
  const int step = mpj_schedule_recv_reduce(flow->b, peer, bit, aside, dst, 0, NULL);
  return lay(flow, step, mpj_operand_none(), dst);
}

int mpj_flow_copy(struct mpj_flow *flow, struct mpj_operand src, struct mpj_operand dst)
{
  return lay(flow, mpj_schedule_copy(flow->b, src, dst, 0, NULL), src, dst);
}

int mpj_flow_reduce(struct mpj_flow *flow, struct mpj_operand src, struct mpj_operand dst)
{
  return lay(flow, mpj_schedule_reduce(flow->b, src, dst, 0, NULL), src, dst);
}

int mpj_flow_judge(struct mpj_flow *flow, struct mpj_operand src, struct mpj_operand verdict)
{
  /* Its own data does not have to be there for a buffer to be judged. */
  const struct mpj_operand read = src.buffer == MPJ_BUFFER_VERDICT ? src : mpj_operand_none();
  return lay(flow, mpj_schedule_judge(flow->b, src, verdict), read, verdict);
}

int mpj_flow_end(struct mpj_flow *flow)
{
  mpj_free(flow->accesses);
  flow->accesses = NULL;
  return MPJ_SUCCESS;
}
