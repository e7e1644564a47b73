/* This file runs the steps of operations that are in order. */
#include <string.h>

#include "coll/comm/context.h"
#include "coll/run/in_order.h"
#include "coll/run/tally.h"
#include "coll/steps/posts.h"
#include "coll/steps/steps.h"

/* PATIENCE: idle turns for which a step is waited for, some 10 us where ranks spin. Each
 * LOOK_ROUND'th one looks at all peers, the others where the step's news must come from: where
 * ranks share a core each turn begins with cold caches; where they spin a turn is some 10 ns, and
 * news may come while all are looked at. */
enum { PATIENCE = 512, LOOK_ROUND_CROWDED = 4, LOOK_ROUND = 16, WINDOW_LOOK = 16 };

static char *address(const struct mpj_in_order *r, unsigned buffer, unsigned number, MPJ_Aint at)
{
  const void *base = buffer == MPJ_BUFFER_SEND ? r->slot->call->sendbuf : r->slot->call->recvbuf;
  if (buffer == MPJ_BUFFER_TEMP) base = r->slot->temporaries[number];
  return (char *)((uintptr_t)base + (uintptr_t)at);
}

static char *source_of(const struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  return address(r, step->from, step->from_number, step->from_at);
}

static char *target_of(const struct mpj_in_order *r, const struct mpj_plan_step *step)
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

static_assert((int)MPJ_AM_MARK == (int)MPJ_ARRIVAL_HEADER, "messages are known by their headers");

/* What begins the header: communicator and sequence. */
static uint64_t first_word(const struct mpj_in_order *r, uint32_t id)
{
  const uint64_t comm = id, sequence = (uint32_t)r->slot->sequence;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return comm | sequence << 32;
#else
  return comm << 32 | sequence;
#endif
}

/* id: the communicator's where the message arrives. */
static struct mpj_am_mark mark_of(const struct mpj_in_order *r, const struct mpj_plan_step *step,
                                  uint32_t id)
{
  return (struct mpj_am_mark){first_word(r, id), step->rest};
}

static void fill_header(const struct mpj_in_order *r, const struct mpj_plan_step *step, uint32_t id,
                        struct mpj_arrival_message *m)
{
  const uint64_t first = first_word(r, id);
  memcpy(m, &first, sizeof first);
  memcpy((char *)m + sizeof first, step->rest, sizeof step->rest);
}

/* Waiting */

/* One of the turns of a step that has nothing to do but wait; false: no more of them. */
static MPJ_HOT bool wait_a_turn(struct mpj_in_order *r, unsigned turn, unsigned *idle)
{
  const unsigned round = r->comm->facts.oversubscribed ? LOOK_ROUND_CROWDED : LOOK_ROUND;
  if (turn % round == round - 1) {
    if (mpj_in_order_is_disturbed(r->comm, r->slot)) return false;
    if (mpj_net_poll(r->comm->net)) return true;
  }
  if (*idle == PATIENCE) return false;
  mpj_net_idle(r->comm->net, idle);
  return true;
}

/* Look until `fn` says that what the step waits for has come. */
static MPJ_HOT bool wait_until(struct mpj_in_order *r, const struct mpj_plan_step *step,
                               bool (*fn)(struct mpj_in_order *r, const struct mpj_plan_step *step))
{
  unsigned idle = 0;
  for (unsigned turn = 0; !fn(r, step); turn++)
    if (turn == r->turns || !wait_a_turn(r, turn, &idle)) return false;
  return true;
}

static MPJ_HOT bool has_window(struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  return mpj_window_is_open(r->comm, r->slot->sequence, step->peer);
}

/* A rank that is a whole window ahead of a peer stays away until half of it is open: each look at
 * how far the peer has come takes the line from it that it writes with every call. Where ranks
 * share cores the peer has come far when this one has its turn again. */
static bool has_wide_window(struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  struct mpj_comm *comm = r->comm;
  if (++r->looks % WINDOW_LOOK != 0) return false;
  return r->slot->sequence < mpj_comm_look_at_done(comm, step->peer) + mpj_comm_slots(comm) / 2;
}

static bool reach(struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  if (has_window(r, step)) return true;
  r->looks = 0;
  return wait_until(r, step, r->comm->facts.oversubscribed ? has_window : has_wide_window);
}

static bool has_signal(struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  const struct mpj_control_slot *c =
      &r->comm->window->slot[mpj_slot_number(r->comm, r->slot->sequence)];
  if (!(mpj_atomic_bits_load(&c->arrived, step->bit / 64) >> (step->bit % 64) & 1)) return false;
  mpj_bits_set(&r->slot->seen, step->bit);
  return true;
}

static bool have_met(struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  return mpj_meet(r->comm, r->slot->schedule, r->slot->sequence, step->peer, &r->slot->counted) ==
         MPJ_MEETING_OVER;
}

/* Giving */

static int send_eager(struct mpj_in_order *r, const struct mpj_plan_step *step, int world)
{
  const struct mpj_view view = {r->comm->byte.layout, step->bytes, 1, 0};
  struct mpj_arrival_message m;
  struct mpj_cursor cursor;
  int status = mpj_cursor_begin(&cursor, &view, source_of(r, step));
  if (status != MPJ_SUCCESS) return status;
  fill_header(r, step, mpj_comm_id_at(r->comm, step->peer), &m);
  status = mpj_net_eager(r->comm->net, world, MPJ_AM_COLLECTIVE, &m, MPJ_ARRIVAL_HEADER, &cursor,
                         step->bytes, NULL, NULL);
  mpj_cursor_end(&cursor);
  return status;
}

static bool send(struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  const int world = mpj_comm_world(r->comm, step->peer);
  if (step->posted && r->slot->posted) return true;
  if (!reach(r, step)) return false;
  const bool eager = step->bytes > MPJ_INLINE_MAX;
  const int status = eager ? send_eager(r, step, world)
                           : mpj_net_marked(r->comm->net, world, MPJ_AM_COLLECTIVE,
                                            mark_of(r, step, mpj_comm_id_at(r->comm, step->peer)),
                                            source_of(r, step), step->bytes);
  if (status == MPJ_SUCCESS && r->comm->context->tally)
    mpj_tally_sent(r->comm, r->slot->schedule, eager ? MPJ_SENT_EAGER : MPJ_SENT_INLINE);
  return status == MPJ_SUCCESS;
}

static bool signal_peer(struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  struct mpj_comm *comm = r->comm;
  if (!reach(r, step)) return false;
  return mpj_control_signal(comm->windows, mpj_comm_world(comm, step->peer),
                            mpj_comm_control_at(comm, step->peer),
                            mpj_slot_number(comm, r->slot->sequence), step->bit) == MPJ_SUCCESS;
}

static bool has_free_post(struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  (void)step;
  return mpj_post_is_free(r->comm, r->slot->sequence);
}

/* If there is no room for the data it is sent. Another's post is the engine's affair. */
static bool post(struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  struct mpj_arrival_message m = {0};
  if (r->slot->posted || !wait_until(r, step, has_free_post)) return false;
  fill_header(r, step, r->comm->id, &m);
  void *place = mpj_post_place(r->comm, r->slot->sequence, &m);
  if (!place) return true;
  copy_bytes(place, source_of(r, step), step->bytes);
  mpj_control_post(r->comm->windows, r->comm->control, mpj_slot_number(r->comm, r->slot->sequence),
                   r->slot->sequence + 1, &m);
  r->slot->posted = true;
  return mpj_post_of_stranger(r->comm, r->slot->schedule->operation, r->slot->sequence, &m) < 0;
}

/* Taking */

/* Data that has come, within a message or (payload) aside of it, to its place. */
static void put(const struct mpj_plan *plan, const struct mpj_plan_step *step, char *to,
                const void *data, const void *payload)
{
  _Alignas(16) unsigned char aligned[MPJ_INLINE_MAX];
  if (!step->combines) {
    copy_bytes(to, payload ? payload : data, step->bytes);
    return;
  }
  if (!payload) payload = memcpy(aligned, data, step->bytes);
  plan->kernel(payload, to, step->bytes / plan->unit);
}

static void put_for(const struct mpj_awaited *a, const void *data, const void *payload)
{
  put(a->plan, a->step, a->to, data, payload);
}

/* What was kept for the step before it was its turn; false if that is something else. */
static MPJ_HOT bool take_kept(struct mpj_in_order *r, const struct mpj_awaited *a)
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

static bool take_post(struct mpj_in_order *r, const struct mpj_awaited *a)
{
  struct mpj_arrival_message m;
  const void *payload;
  struct mpj_comm *comm = r->comm;
  if (!mpj_post_look(comm, a->step->peer, r->slot->sequence, &m)) return false;
  m.bit = a->step->bit;
  if (memcmp(&m, &a->message, MPJ_ARRIVAL_HEADER) != 0 ||
      !mpj_post_data(comm, a->source, &m, &payload))
    return false; /* the engine will say so */
  put_for(a, m.data, payload);
  mpj_bits_set(&r->slot->seen, a->step->bit);
  return true;
}

/* Marks are sent by operations that are in order, and a rank that is in one has ended all before
 * it. */
static void know_done(const struct mpj_in_order *r, int peer)
{
  if (mpj_comm_known_done(r->comm, peer) < r->slot->sequence)
    mpj_comm_note_done(r->comm, peer, r->slot->sequence);
}

/* The message, within which its data is, if it is the next one of its source (in WORLD). */
static bool take_next(const struct mpj_in_order *r, const struct mpj_plan_step *step, int source)
{
  _Alignas(16) unsigned char aside[MPJ_INLINE_MAX];
  char *to = target_of(r, step), *data = step->combines ? (char *)aside : to;
  const enum mpj_taken taken = mpj_net_take(r->comm->net, source, MPJ_AM_COLLECTIVE,
                                            mark_of(r, step, r->comm->id), data, step->bytes);
  if (taken == MPJ_NOT_HERE) return false;
  if (taken == MPJ_TAKEN_MARKED) know_done(r, step->peer);
  if (step->combines) r->plan->kernel(aside, to, step->bytes / r->plan->unit);
  mpj_bits_set(&r->slot->seen, step->bit);
  return true;
}

static bool can_take(const struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  return step->bytes <= MPJ_INLINE_MAX && !step->posted && mpj_net_can_take(r->comm->net);
}

static bool look_for(struct mpj_in_order *r, const struct mpj_awaited *a)
{
  if (a->step->posted) return take_post(r, a);
  if (can_take(r, a->step)) return take_next(r, a->step, a->source);
  return mpj_net_poll_from(r->comm->net, a->source) && a->here;
}

/* Look until the awaited message is here, or something else for the step. */
static MPJ_HOT bool wait_for(struct mpj_in_order *r, const struct mpj_awaited *a)
{
  unsigned idle = 0;
  for (unsigned turn = 0; !look_for(r, a); turn++) {
    if (!mpj_bits_test(&r->slot->seen, a->step->bit) &&
        (turn == r->turns || !wait_a_turn(r, turn, &idle)))
      return false;
    if (a->here) return true;
    if (mpj_bits_test(&r->slot->seen, a->step->bit)) return take_kept(r, a);
  }
  return true;
}

static bool await(struct mpj_in_order *r, const struct mpj_plan_step *step, int source)
{
  struct mpj_context *context = r->comm->context;
  struct mpj_awaited awaited;
  fill_header(r, step, r->comm->id, &awaited.message);
  awaited.slot = r->slot;
  awaited.source = source;
  awaited.here = false;
  awaited.plan = r->plan;
  awaited.step = step;
  awaited.to = target_of(r, step);
  if (mpj_bits_test(&r->slot->seen, step->bit)) return take_kept(r, &awaited);
  context->awaited = &awaited;
  const bool taken = wait_for(r, &awaited);
  context->awaited = NULL;
  context->net->enough = false;
  return taken;
}

static bool receive(struct mpj_in_order *r, const struct mpj_plan_step *step)
{
  const int source = mpj_comm_world(r->comm, step->peer);
  if (can_take(r, step) && !mpj_bits_test(&r->slot->seen, step->bit)) {
    if (take_next(r, step, source)) return true;
    if (r->turns == 0) return false; /* a poll will say what it is that has come */
  }
  return await(r, step, source);
}

bool mpj_in_order_take(struct mpj_context *context, const struct mpj_am_arrival *arrival)
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

bool mpj_in_order_step(struct mpj_in_order *r, const struct mpj_plan_step *step)
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
    r->plan->kernel(source_of(r, step), target_of(r, step), step->bytes / r->plan->unit);
    return true;
  default:
    return false;
  }
}
