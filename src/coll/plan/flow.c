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
static bool covers(const struct mpj_flow *flow, struct mpj_operand a, struct mpj_operand b)
{
  if (a.buffer != b.buffer)
    return flow->aliased && a.buffer < MPJ_BUFFER_TEMP && b.buffer < MPJ_BUFFER_TEMP &&
           b.buffer != MPJ_BUFFER_NONE && a.nsegments == 0 && a.part == MPJ_WHOLE;
  if (a.buffer >= MPJ_BUFFER_BUNDLE) return a.part == b.part; /* or a verdict */
  if (a.buffer == MPJ_BUFFER_TEMP && a.part != b.part) return false;
  if (a.nsegments == 0 && !is_one_part(a)) return true;
  if (is_cut_alike(a, b)) return contains(a, b.segment) && b.segment + b.span <= a.segment + a.span;
  return is_one_part(a) && is_one_part(b) && a.part == b.part;
}

/* What an operand is listed by: a part or a temporary, or all that touches more of its buffer. */
static int place_of(struct mpj_operand a)
{
  if (a.part != MPJ_WHOLE || a.buffer >= MPJ_BUFFER_TEMP) return a.part;
  return is_by_parts(a) && a.span == 1 ? a.segment : MPJ_WHOLE;
}

static int *chain_of(const struct mpj_flow *flow, unsigned buffer, int place, bool writes)
{
  const uint32_t mixed = ((uint32_t)place * 16 + 2 * buffer + writes) * UINT32_C(2654435761);
  return &flow->chains[(uint64_t)mixed * 2 * (uint32_t)flow->room >> 32];
}

static void list(struct mpj_flow *flow, int i)
{
  struct mpj_access *a = &flow->accesses[i];
  int *chain = chain_of(flow, a->what.buffer, place_of(a->what), a->writes);
  a->next = *chain;
  *chain = i;
}

static void wait_for(struct mpj_flow *flow, const struct mpj_access *a, int step,
                     struct mpj_operand what, int *last)
{
  if (a->step == step || a->step == *last || !touch(flow, a->what, what)) return;
  mpj_schedule_after(flow->b, step, a->step);
  *last = a->step;
}

static void wait_for_chain(struct mpj_flow *flow, const int *chain, int step,
                           struct mpj_operand what, int *last)
{
  for (int i = *chain; i >= 0; i = flow->accesses[i].next)
    wait_for(flow, &flow->accesses[i], step, what, last);
}

static void wait_for_earlier(struct mpj_flow *flow, int step, struct mpj_operand what, bool writes)
{
  const bool apart = what.buffer >= MPJ_BUFFER_TEMP;
  int last = -1; /* a step that both read and wrote it is mostly named twice in a row */
  if (flow->naccesses == 0) return;
  if (!apart && (flow->aliased || place_of(what) == MPJ_WHOLE)) {
    for (int i = 0; i < flow->naccesses; i++) {
      const struct mpj_access *a = &flow->accesses[i];
      if (a->what.buffer != MPJ_BUFFER_NONE && (writes || a->writes))
        wait_for(flow, a, step, what, &last);
    }
    return;
  }
  for (int by_writers = !writes; by_writers < 2; by_writers++) {
    const int *one = chain_of(flow, what.buffer, place_of(what), by_writers);
    const int *wide = chain_of(flow, what.buffer, MPJ_WHOLE, by_writers);
    wait_for_chain(flow, one, step, what, &last);
    if (!apart && wide != one) wait_for_chain(flow, wide, step, what, &last);
  }
}

/* Take those of a chain out that a step which writes `what` covers. */
static void forget_of_chain(struct mpj_flow *flow, int *link, int step, struct mpj_operand what)
{
  while (*link >= 0) {
    const int i = *link;
    struct mpj_access *a = &flow->accesses[i];
    if (a->step == step || !covers(flow, what, a->what)) {
      link = &a->next;
      continue;
    }
    *link = a->next;
    a->what = mpj_operand_none();
    a->next = flow->vacant;
    flow->vacant = i;
  }
}

static void forget_covered(struct mpj_flow *flow, int step, struct mpj_operand what)
{
  if (flow->naccesses == 0) return;
  if (what.buffer >= MPJ_BUFFER_TEMP || place_of(what) != MPJ_WHOLE) {
    for (int writes = 0; writes < 2; writes++)
      forget_of_chain(flow, chain_of(flow, what.buffer, place_of(what), writes), step, what);
    return;
  }
  for (int i = 0; i < flow->naccesses; i++) {
    const struct mpj_access *a = &flow->accesses[i];
    if (a->step != step && covers(flow, what, a->what))
      forget_of_chain(flow, chain_of(flow, a->what.buffer, place_of(a->what), a->writes), step,
                      what);
  }
}

/* False: there is no memory. */
static bool grow(struct mpj_flow *flow)
{
  const int more = flow->room ? 2 * flow->room : 32;
  struct mpj_access *accesses = mpj_alloc_array((size_t)more, sizeof *accesses);
  int *chains = mpj_alloc_array(2 * (size_t)more, sizeof *chains);
  if (!accesses || !chains) {
    mpj_free(accesses);
    mpj_free(chains);
    return false;
  }
  if (flow->room > 0) memcpy(accesses, flow->accesses, (size_t)flow->naccesses * sizeof *accesses);
  mpj_flow_end(flow);
  flow->accesses = accesses;
  flow->chains = chains;
  flow->room = more;
  flow->vacant = -1;
  memset(chains, -1, 2 * (size_t)more * sizeof *chains);
  for (int i = 0; i < flow->naccesses; i++) /* it grows while none is vacant */
    list(flow, i);
  return true;
}

static void note(struct mpj_flow *flow, int step, struct mpj_operand what, bool writes)
{
  int i = flow->naccesses;
  if (i > 0 && flow->vacant >= 0) {
    i = flow->vacant;
    flow->vacant = flow->accesses[i].next;
  } else if (i == flow->room && !grow(flow)) {
    mpj_schedule_fail(flow->b, mpj_error(MPJ_ERR_NO_MEM, "no memory to lay down a schedule"));
    return;
  } else {
    flow->naccesses++;
  }
  flow->accesses[i] = (struct mpj_access){what, step, writes, -1};
  list(flow, i);
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

static unsigned begin_phase(struct mpj_flow *flow, int64_t most, unsigned room)
{
  const unsigned phase = flow->names;
  if (phase > room || most > (int64_t)(room - phase))
    mpj_schedule_fail(flow->b, MPJ_TOO_MANY_NAMES);
  else if (most > 0)
    flow->names += (unsigned)most;
  return phase;
}

unsigned mpj_flow_phase(struct mpj_flow *flow, int64_t most)
{
  return begin_phase(flow, most, MPJ_ARRIVALS_MOST);
}

unsigned mpj_flow_signals(struct mpj_flow *flow, int64_t most)
{
  return begin_phase(flow, most, MPJ_BITS_MAX - 1);
}

/* A name of some phase. */
static unsigned named(struct mpj_flow *flow, unsigned name)
{
  if (name == 0 || name > flow->names)
    mpj_schedule_fail(flow->b,
                      mpj_error(MPJ_ERR_INTERNAL, "message %u of a schedule whose phases have %u",
                                name, flow->names));
  return name;
}

int mpj_flow_send(struct mpj_flow *flow, int peer, unsigned name, struct mpj_operand src)
{
  return lay(flow, mpj_schedule_send(flow->b, peer, named(flow, name), src, 0, NULL), src,
             mpj_operand_none());
}

int mpj_flow_send_by(struct mpj_flow *flow, int peer, unsigned name, struct mpj_operand src,
                     struct mpj_operand verdict)
{
  const int step = mpj_schedule_send_by(flow->b, peer, named(flow, name), src, verdict);
  lay(flow, step, verdict, mpj_operand_none());
  return lay(flow, step, src, mpj_operand_none());
}

int mpj_flow_recv(struct mpj_flow *flow, int peer, unsigned name, struct mpj_operand dst)
{
  return lay(flow, mpj_schedule_recv(flow->b, peer, named(flow, name), dst, 0, NULL),
             mpj_operand_none(), dst);
}

int mpj_flow_recv_reduce(struct mpj_flow *flow, int peer, unsigned name, struct mpj_operand aside,
                         struct mpj_operand dst)
{
  const int step = mpj_schedule_recv_reduce(flow->b, peer, named(flow, name), aside, dst, 0, NULL);
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

void mpj_flow_signal(struct mpj_flow *flow, int peer, unsigned name)
{
  mpj_schedule_signal(flow->b, peer, named(flow, name), flow->awaited >= 0, &flow->awaited);
}

void mpj_flow_await(struct mpj_flow *flow, int peer, unsigned name)
{
  flow->awaited =
      mpj_schedule_await(flow->b, peer, named(flow, name), flow->awaited >= 0, &flow->awaited);
}

void mpj_flow_meet(struct mpj_flow *flow, int home)
{
  flow->awaited = mpj_schedule_meet(flow->b, home, flow->awaited >= 0, &flow->awaited);
}

int mpj_flow_post(struct mpj_flow *flow, struct mpj_operand src)
{
  return lay(flow, mpj_schedule_post(flow->b, src, 0, NULL), src, mpj_operand_none());
}

void mpj_flow_send_unless(struct mpj_flow *flow, int peer, unsigned name, struct mpj_operand src,
                          int post)
{
  mpj_schedule_unless_posted(flow->b, mpj_flow_send(flow, peer, name, src), post);
}

void mpj_flow_end(struct mpj_flow *flow)
{
  mpj_free(flow->accesses);
  mpj_free(flow->chains);
  flow->accesses = NULL;
  flow->chains = NULL;
}
