/* This file runs quick operations. */
#include "coll/quick.h"

#include <string.h>

#include "coll/context.h"

/* How long a step is waited for before the engine takes over: idle turns, some 10 us where ranks
 * spin; and turns in all. */
enum { PATIENCE = 512, TURNS_MOST = 4096 };

struct run {
  struct mpj_comm *comm;
  struct mpj_schedule *schedule;
  const struct mpj_quick *quick;
  const struct mpj_call *call;
  struct mpj_slot *slot; /* of the operation; not active */
  uint64_t sequence;
  unsigned done; /* steps, in quick's order */
  struct mpj_resumed rest;
};

static char *address(const struct run *r, unsigned buffer, MPJ_Aint at)
{
  const void *base = buffer == MPJ_BUFFER_SEND ? r->call->sendbuf : r->call->recvbuf;
  return (char *)((uintptr_t)base + (uintptr_t)at);
}

/* Most data is of one of these lengths. */
static void copy_bytes(void *to, const void *from, uint32_t bytes)
{
  if (bytes == 8)
    memcpy(to, from, 8);
  else if (bytes == 4)
    memcpy(to, from, 4);
  else if (bytes > 0)
    memcpy(to, from, bytes);
}

static void fill_header(const struct run *r, const struct mpj_quick_step *step,
                        struct mpj_arrival_message *m)
{
  memcpy(m, &r->quick->header, MPJ_ARRIVAL_HEADER);
  m->sequence = (uint32_t)r->sequence;
  m->bit = step->bit;
  m->bytes = step->bytes;
  m->digest = step->digest;
}

/* Whether something has happened that is the engine's affair. */
static bool is_unusual(const struct run *r)
{
  return r->slot->poison_code != 0 || r->comm->broken_code != 0 ||
         mpj_net_changes(r->comm->net) != 0;
}

/* Giving */

static bool send(struct run *r, const struct mpj_quick_step *step)
{
  struct mpj_arrival_message m;
  if (step->posted && r->rest.posted) return true;
  if (!mpj_window_is_open(r->comm, r->sequence, step->peer)) return false;
  fill_header(r, step, &m);
  copy_bytes(m.data, address(r, step->from, step->from_at), step->bytes);
  return mpj_net_short(r->comm->net, mpj_comm_world(r->comm, step->peer), MPJ_AM_COLLECTIVE, &m,
                       MPJ_ARRIVAL_HEADER + step->bytes) == MPJ_SUCCESS;
}

static bool signal_peer(struct run *r, const struct mpj_quick_step *step)
{
  struct mpj_comm *comm = r->comm;
  if (!mpj_window_is_open(comm, r->sequence, step->peer)) return false;
  return mpj_net_signal(comm->net, mpj_comm_world(comm, step->peer), comm->control,
                        (unsigned)(r->sequence % MPJ_WINDOW), step->bit, false) == MPJ_SUCCESS;
}

/* If it cannot be posted it is sent. Another's post is the engine's affair. */
static bool post(struct run *r, const struct mpj_quick_step *step)
{
  struct mpj_arrival_message m;
  if (!mpj_post_is_free(r->comm, r->sequence)) return true;
  memset(&m, 0, sizeof m);
  fill_header(r, step, &m);
  copy_bytes(m.data, address(r, step->from, step->from_at), step->bytes);
  mpj_net_post(r->comm->net, r->comm->control, (unsigned)(r->sequence % MPJ_WINDOW),
               r->sequence + 1, &m);
  r->rest.posted = true;
  return mpj_post_of_stranger(r->comm, r->schedule->operation, r->sequence, &m) < 0;
}

/* Taking */

static void put(const struct run *r, const struct mpj_quick_step *step, const void *data)
{
  _Alignas(16) unsigned char aligned[MPJ_INLINE_MAX];
  char *to = address(r, step->to, step->to_at);
  if (!step->combines) {
    copy_bytes(to, data, step->bytes);
    return;
  }
  memcpy(aligned, data, sizeof aligned);
  r->quick->kernel(aligned, to, step->bytes / r->quick->unit);
}

/* What was kept for the step before it was its turn; false if that is something else. */
static bool take_kept(struct run *r, const struct mpj_quick_step *step,
                      const struct mpj_arrival_message *want)
{
  struct mpj_early **link = &r->slot->early, *e;
  while (*link && (*link)->message.bit != step->bit)
    link = &(*link)->next;
  e = *link;
  if (!e || e->source != step->peer || e->relays || e->relayed > 0 ||
      memcmp(&e->message, want, MPJ_ARRIVAL_HEADER) != 0)
    return false;
  put(r, step, e->message.data);
  *link = e->next;
  mpj_comm_drop_early(r->comm, e);
  return true;
}

static bool take_post(struct run *r, const struct mpj_quick_step *step,
                      const struct mpj_arrival_message *want)
{
  struct mpj_arrival_message m;
  struct mpj_comm *comm = r->comm;
  if (!mpj_net_look(comm->net, mpj_comm_world(comm, step->peer), comm->control,
                    (unsigned)(r->sequence % MPJ_WINDOW), r->sequence + 1, &m))
    return false;
  m.bit = step->bit;
  if (memcmp(&m, want, MPJ_ARRIVAL_HEADER) != 0) return false; /* the engine will say so */
  put(r, step, m.data);
  mpj_bits_set(&r->slot->seen, step->bit);
  return true;
}

/* Poll until the awaited message is here, or something else for the step. */
static bool wait_for(struct run *r, const struct mpj_quick_step *step,
                     const struct mpj_awaited *awaited)
{
  struct mpj_net *net = r->comm->net;
  const struct mpj_arrival_message *want = &awaited->message;
  unsigned idle = 0;
  for (unsigned turn = 0; turn < TURNS_MOST; turn++) {
    if (step->posted && take_post(r, step, want)) return true;
    const bool moved = mpj_net_poll(net);
    if (awaited->here) {
      put(r, step, want->data);
      return true;
    }
    if (mpj_bits_test(&r->slot->seen, step->bit)) return take_kept(r, step, want);
    if (moved) continue;
    if (idle == PATIENCE || is_unusual(r)) return false;
    mpj_net_idle(net, &idle);
  }
  return false;
}

static bool receive(struct run *r, const struct mpj_quick_step *step)
{
  struct mpj_context *context = r->comm->context;
  struct mpj_awaited awaited;
  fill_header(r, step, &awaited.message);
  if (mpj_bits_test(&r->slot->seen, step->bit)) return take_kept(r, step, &awaited.message);
  awaited.slot = r->slot;
  awaited.source = mpj_comm_world(r->comm, step->peer);
  awaited.here = false;
  context->awaited = &awaited;
  const bool taken = wait_for(r, step, &awaited);
  context->awaited = NULL;
  return taken;
}

bool mpj_quick_take(struct mpj_context *context, const struct mpj_am_arrival *arrival)
{
  struct mpj_awaited *a = context->awaited;
  if (!a || arrival->source != a->source || arrival->has_payload ||
      arrival->header_bytes != MPJ_ARRIVAL_HEADER + a->message.bytes ||
      memcmp(arrival->header, &a->message, MPJ_ARRIVAL_HEADER) != 0)
    return false;
  copy_bytes(a->message.data, (const char *)arrival->header + MPJ_ARRIVAL_HEADER,
             (uint32_t)a->message.bytes);
  mpj_bits_set(&a->slot->seen, a->message.bit);
  a->here = true;
  context->awaited = NULL; /* another one like it is a stranger */
  return true;
}

/* Signals and meetings: poll until `fn` says that it has come. */
static bool wait_until(struct run *r, const struct mpj_quick_step *step,
                       bool (*fn)(struct run *r, const struct mpj_quick_step *step))
{
  unsigned idle = 0;
  for (unsigned turn = 0; turn < TURNS_MOST; turn++) {
    if (fn(r, step)) return true;
    if (mpj_net_poll(r->comm->net)) continue;
    if (idle == PATIENCE || is_unusual(r)) return false;
    mpj_net_idle(r->comm->net, &idle);
  }
  return false;
}

static bool has_signal(struct run *r, const struct mpj_quick_step *step)
{
  const struct mpj_control_slot *c =
      &mpj_net_window(r->comm->net, r->comm->control)->slot[r->sequence % MPJ_WINDOW];
  if (!(mpj_atomic_bits_load(&c->arrived, step->bit / 64) >> (step->bit % 64) & 1)) return false;
  mpj_bits_set(&r->slot->seen, step->bit);
  return true;
}

static bool have_met(struct run *r, const struct mpj_quick_step *step)
{
  struct mpj_comm *comm = r->comm;
  const int home = mpj_comm_world(comm, step->peer);
  uint64_t all = 0;
  if (r->rest.meeting == 0)
    all = r->rest.meeting = ++comm->meetings * (uint64_t)comm->size;
  if (mpj_net_meet(comm->net, home, comm->control, all) < r->rest.meeting) return false;
  r->rest.meeting = 0;
  return true;
}

/* Steps */

static bool run_step(struct run *r, const struct mpj_quick_step *step)
{
  switch ((enum mpj_step_kind)step->kind) {
  case MPJ_STEP_SEND:
    return send(r, step);
  case MPJ_STEP_RECV:
    return receive(r, step);
  case MPJ_STEP_POST:
    return post(r, step);
  case MPJ_STEP_SIGNAL:
    return signal_peer(r, step);
  case MPJ_STEP_AWAIT:
    return wait_until(r, step, has_signal);
  case MPJ_STEP_MEET:
    return wait_until(r, step, have_met);
  case MPJ_STEP_COPY:
    copy_bytes(address(r, step->to, step->to_at), address(r, step->from, step->from_at),
               step->bytes);
    return true;
  case MPJ_STEP_REDUCE:
    r->quick->kernel(address(r, step->from, step->from_at), address(r, step->to, step->to_at),
                     step->bytes / r->quick->unit);
    return true;
  default:
    return false;
  }
}

static bool run_steps(struct run *r)
{
  for (; r->done < r->schedule->nsteps; r->done++)
    if (!run_step(r, &r->quick->steps[r->done])) return false;
  return !r->slot->early && !is_unusual(r);
}

/* Whether other operations of the rank wait to be moved on. */
static bool has_others(const struct mpj_context *context)
{
  for (const struct mpj_comm *c = context->busy; c; c = c->next)
    if (c->completed < c->started || c->queued || c->relaying) return true;
  return false;
}

static bool is_for(const struct mpj_quick *q, const struct mpj_call *call)
{
  const struct mpj_type *const types[2] = {call->recvtype, call->sendtype};
  const void *const buffers[2] = {call->recvbuf, call->sendbuf};
  if (!q->bound || call->reduce != q->reduce) return false;
  for (int k = 0; k < 2; k++)
    if (q->uses[k] &&
        (buffers[k] == MPJ_IN_PLACE || mpj_type_tag_known(types[k]) != q->tag[k]))
      return false;
  return true;
}

static int hand_over(struct run *r)
{
  for (unsigned k = 0; k < r->done; k++)
    r->rest.done[r->rest.ndone++] = r->quick->steps[k].number;
  return mpj_engine_complete(r->comm,
                             mpj_engine_resume(r->comm, r->schedule, r->call, &r->rest));
}

bool mpj_quick_run(struct mpj_comm *comm, struct mpj_schedule *schedule,
                   const struct mpj_call *call, int *status)
{
  struct mpj_context *context = comm->context;
  if (!is_for(schedule->quick, call) || comm->started != comm->completed || has_others(context) ||
      context->gate.closed || comm->net->transport->ops->settle)
    return false;
  struct run r = {.comm = comm,
                  .schedule = schedule,
                  .quick = schedule->quick,
                  .call = call,
                  .slot = &comm->slots[comm->started % MPJ_WINDOW],
                  .sequence = comm->started};
  if (is_unusual(&r)) return false;
  if (run_steps(&r)) {
    mpj_engine_pass(comm, schedule);
    *status = MPJ_SUCCESS;
  } else {
    *status = hand_over(&r);
  }
  return true;
}
