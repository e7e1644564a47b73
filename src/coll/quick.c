/* This file runs quick operations. */
#include "coll/quick.h"

#include <string.h>

#include "coll/context.h"

/* How long a step is waited for before the engine takes over: idle turns, some 10 us where ranks
 * spin; and turns in all. Each LOOK_ROUND'th one looks at all peers, the others where the step's
 * news must come from: where ranks share a core each turn begins with cold caches. */
enum { PATIENCE = 512, TURNS_MOST = 4096, LOOK_ROUND = 4 };

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

static char *address(const struct run *r, unsigned buffer, unsigned number, MPJ_Aint at)
{
  const void *base = buffer == MPJ_BUFFER_SEND ? r->call->sendbuf : r->call->recvbuf;
  if (buffer == MPJ_BUFFER_TEMP) base = r->rest.temporaries[number].memory;
  return (char *)((uintptr_t)base + (uintptr_t)at);
}

static char *source_of(const struct run *r, const struct mpj_quick_step *step)
{
  return address(r, step->from, step->from_number, step->from_at);
}

static char *target_of(const struct run *r, const struct mpj_quick_step *step)
{
  return address(r, step->to, step->to_number, step->to_at);
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
  m->kind = step->bytes <= MPJ_INLINE_MAX ? MPJ_ARRIVAL_INLINE : MPJ_ARRIVAL_EAGER;
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

/* Waiting */

/* One of the turns of a step that has nothing to do but wait; false: no more of them. */
static bool wait_a_turn(struct run *r, unsigned turn, unsigned *idle)
{
  if (turn % LOOK_ROUND == LOOK_ROUND - 1) {
    if (is_unusual(r)) return false;
    if (mpj_net_poll(r->comm->net)) return true;
  }
  if (*idle == PATIENCE) return false;
  mpj_net_idle(r->comm->net, idle);
  return true;
}

/* Look until `fn` says that what the step waits for has come. */
static bool wait_until(struct run *r, const struct mpj_quick_step *step,
                       bool (*fn)(struct run *r, const struct mpj_quick_step *step))
{
  unsigned idle = 0;
  for (unsigned turn = 0; turn < TURNS_MOST; turn++) {
    if (fn(r, step)) return true;
    if (!wait_a_turn(r, turn, &idle)) return false;
  }
  return false;
}

static bool has_window(struct run *r, const struct mpj_quick_step *step)
{
  return mpj_window_is_open(r->comm, r->sequence, step->peer);
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
  if (r->rest.meeting == 0) all = r->rest.meeting = ++comm->meetings * (uint64_t)comm->size;
  if (mpj_net_meet(comm->net, home, comm->control, all) < r->rest.meeting) return false;
  r->rest.meeting = 0;
  return true;
}

/* Giving */

static int send_eager(struct run *r, const struct mpj_quick_step *step, int world,
                      const struct mpj_arrival_message *m)
{
  const struct mpj_view view = {r->comm->byte.layout, step->bytes, 1, 0};
  struct mpj_cursor cursor;
  int status = mpj_cursor_begin(&cursor, &view, source_of(r, step));
  if (status != MPJ_SUCCESS) return status;
  status = mpj_net_eager(r->comm->net, world, MPJ_AM_COLLECTIVE, m, MPJ_ARRIVAL_HEADER, &cursor,
                         step->bytes, NULL, NULL);
  mpj_cursor_end(&cursor);
  return status;
}

static bool send(struct run *r, const struct mpj_quick_step *step)
{
  struct mpj_arrival_message m;
  const int world = mpj_comm_world(r->comm, step->peer);
  if (step->posted && r->rest.posted) return true;
  if (!has_window(r, step) && !wait_until(r, step, has_window)) return false;
  fill_header(r, step, &m);
  if (m.kind == MPJ_ARRIVAL_EAGER) return send_eager(r, step, world, &m) == MPJ_SUCCESS;
  copy_bytes(m.data, source_of(r, step), step->bytes);
  return mpj_net_short(r->comm->net, world, MPJ_AM_COLLECTIVE, &m,
                       MPJ_ARRIVAL_HEADER + step->bytes) == MPJ_SUCCESS;
}

static bool signal_peer(struct run *r, const struct mpj_quick_step *step)
{
  struct mpj_comm *comm = r->comm;
  if (!has_window(r, step) && !wait_until(r, step, has_window)) return false;
  return mpj_net_signal(comm->net, mpj_comm_world(comm, step->peer), comm->control,
                        (unsigned)(r->sequence % MPJ_WINDOW), step->bit, false) == MPJ_SUCCESS;
}

static bool has_free_post(struct run *r, const struct mpj_quick_step *step)
{
  (void)step;
  return mpj_post_is_free(r->comm, r->sequence);
}

/* If there is no room for the data it is sent. Another's post is the engine's affair. */
static bool post(struct run *r, const struct mpj_quick_step *step)
{
  struct mpj_arrival_message m = {0};
  if (!wait_until(r, step, has_free_post)) return false;
  fill_header(r, step, &m);
  void *place = mpj_post_place(r->comm, r->sequence, &m);
  if (!place) return true;
  copy_bytes(place, source_of(r, step), step->bytes);
  mpj_net_post(r->comm->net, r->comm->control, (unsigned)(r->sequence % MPJ_WINDOW),
               r->sequence + 1, &m);
  r->rest.posted = true;
  return mpj_post_of_stranger(r->comm, r->schedule->operation, r->sequence, &m) < 0;
}

/* Taking */

/* Data that has come, within a message or (payload) aside of it, to its place. */
static void put(const struct mpj_quick *quick, const struct mpj_quick_step *step, char *to,
                const void *data, const void *payload)
{
  _Alignas(16) unsigned char aligned[MPJ_INLINE_MAX];
  if (!step->combines) {
    copy_bytes(to, payload ? payload : data, step->bytes);
    return;
  }
  if (!payload) payload = memcpy(aligned, data, step->bytes);
  quick->kernel(payload, to, step->bytes / quick->unit);
}

static void put_for(const struct mpj_awaited *a, const void *data, const void *payload)
{
  put(a->quick, a->step, a->to, data, payload);
}

/* What was kept for the step before it was its turn; false if that is something else. */
static bool take_kept(struct run *r, const struct mpj_awaited *a)
{
  struct mpj_early **link = &r->slot->early, *e;
  while (*link && (*link)->message.bit != a->step->bit)
    link = &(*link)->next;
  e = *link;
  if (!e || e->source != a->step->peer || e->relays || e->relayed > 0 ||
      memcmp(&e->message, &a->message, MPJ_ARRIVAL_HEADER) != 0)
    return false;
  const bool eager = e->message.kind == MPJ_ARRIVAL_EAGER;
  put_for(a, e->message.data, eager ? e->kept.payload : NULL);
  if (eager) mpj_net_release(r->comm->net, &e->kept);
  *link = e->next;
  mpj_comm_drop_early(r->comm, e);
  return true;
}

static bool take_post(struct run *r, const struct mpj_awaited *a)
{
  struct mpj_arrival_message m;
  const void *payload;
  struct mpj_comm *comm = r->comm;
  if (!mpj_net_look(comm->net, a->source, comm->control, (unsigned)(r->sequence % MPJ_WINDOW),
                    r->sequence + 1, &m))
    return false;
  m.bit = a->step->bit;
  if (memcmp(&m, &a->message, MPJ_ARRIVAL_HEADER) != 0 ||
      !mpj_post_data(comm, a->source, &m, &payload))
    return false; /* the engine will say so */
  put_for(a, m.data, payload);
  mpj_bits_set(&r->slot->seen, a->step->bit);
  return true;
}

/* Poll until the awaited message is here, or something else for the step. */
static bool wait_for(struct run *r, const struct mpj_awaited *a)
{
  struct mpj_net *net = r->comm->net;
  unsigned idle = 0;
  for (unsigned turn = 0; turn < TURNS_MOST; turn++) {
    if (a->step->posted ? take_post(r, a) : mpj_net_poll_from(net, a->source) && a->here)
      return true;
    if (!mpj_bits_test(&r->slot->seen, a->step->bit) && !wait_a_turn(r, turn, &idle)) return false;
    if (a->here) return true;
    if (mpj_bits_test(&r->slot->seen, a->step->bit)) return take_kept(r, a);
  }
  return false;
}

static bool receive(struct run *r, const struct mpj_quick_step *step)
{
  struct mpj_context *context = r->comm->context;
  struct mpj_awaited awaited;
  fill_header(r, step, &awaited.message);
  awaited.slot = r->slot;
  awaited.source = mpj_comm_world(r->comm, step->peer);
  awaited.here = false;
  awaited.quick = r->quick;
  awaited.step = step;
  awaited.to = target_of(r, step);
  if (mpj_bits_test(&r->slot->seen, step->bit)) return take_kept(r, &awaited);
  context->awaited = &awaited;
  const bool taken = wait_for(r, &awaited);
  context->awaited = NULL;
  context->net->enough = false;
  return taken;
}

bool mpj_quick_take(struct mpj_context *context, const struct mpj_am_arrival *arrival)
{
  struct mpj_awaited *a = context->awaited;
  if (!a || arrival->source != a->source || arrival->header_bytes < MPJ_ARRIVAL_HEADER ||
      memcmp(arrival->header, &a->message, MPJ_ARRIVAL_HEADER) != 0)
    return false;
  const bool eager = a->message.kind == MPJ_ARRIVAL_EAGER;
  const unsigned data = eager ? 0 : a->step->bytes;
  if (arrival->has_payload != eager || arrival->header_bytes != MPJ_ARRIVAL_HEADER + data ||
      (eager && arrival->kept.bytes != a->step->bytes))
    return false;
  put_for(a, (const char *)arrival->header + MPJ_ARRIVAL_HEADER,
          eager ? arrival->kept.payload : NULL);
  mpj_bits_set(&a->slot->seen, a->message.bit);
  a->here = context->net->enough = true;
  context->awaited = NULL; /* another one like it is a stranger */
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
    copy_bytes(target_of(r, step), source_of(r, step), step->bytes);
    return true;
  case MPJ_STEP_REDUCE:
    r->quick->kernel(source_of(r, step), target_of(r, step), step->bytes / r->quick->unit);
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

bool mpj_quick_is_for(const struct mpj_quick *q, const struct mpj_call *call)
{
  const struct mpj_type *const types[2] = {call->recvtype, call->sendtype};
  const void *const buffers[2] = {call->recvbuf, call->sendbuf};
  if (!q->bound || call->reduce != q->reduce) return false;
  for (int k = 0; k < 2; k++)
    if (q->uses[k] && (buffers[k] == MPJ_IN_PLACE || mpj_type_tag_known(types[k]) != q->tag[k]))
      return false;
  return true;
}

static void give_temporaries(struct run *r)
{
  while (r->rest.ntemporaries > 0)
    mpj_scratch_give(&r->comm->context->scratch,
                     r->rest.temporaries[--r->rest.ntemporaries].memory);
}

static bool take_temporaries(struct run *r)
{
  const struct mpj_quick *q = r->quick;
  r->rest.ntemporaries = 0;
  for (unsigned k = 0; k < q->ntemporaries; k++) {
    void *memory = mpj_scratch_take(&r->comm->context->scratch, q->temporaries[k].bytes);
    if (!memory) {
      give_temporaries(r);
      return false;
    }
    r->rest.temporaries[k].number = q->temporaries[k].number;
    r->rest.temporaries[k].memory = memory;
    r->rest.ntemporaries++;
  }
  return true;
}

static int hand_over(struct run *r)
{
  for (unsigned k = 0; k < r->done; k++)
    r->rest.done[r->rest.ndone++] = r->quick->steps[k].number;
  return mpj_engine_complete(r->comm, mpj_engine_resume(r->comm, r->schedule, r->call, &r->rest));
}

bool mpj_quick_run(struct mpj_comm *comm, struct mpj_schedule *schedule,
                   const struct mpj_call *call, int *status)
{
  struct mpj_context *context = comm->context;
  if (!mpj_quick_is_for(schedule->quick, call) || comm->checker ||
      comm->started != comm->completed || has_others(context) || context->gate.closed ||
      comm->net->transport->ops->settle)
    return false;
  struct run r;
  r.comm = comm; /* one by one: the list of what is done is long, and mostly not needed */
  r.schedule = schedule;
  r.quick = schedule->quick;
  r.call = call;
  r.slot = &comm->slots[comm->started % MPJ_WINDOW];
  r.sequence = comm->started;
  r.done = r.rest.ndone = 0;
  r.rest.posted = false;
  r.rest.meeting = 0;
  if (is_unusual(&r) || !take_temporaries(&r)) return false;
  if (run_steps(&r)) {
    give_temporaries(&r);
    mpj_engine_pass(comm, schedule);
    *status = MPJ_SUCCESS;
  } else {
    *status = hand_over(&r);
  }
  return true;
}
