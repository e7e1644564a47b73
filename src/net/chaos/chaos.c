/* This file disturbs the calls that go through a transport, by a plan. */
#include "net/chaos/chaos.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/chaos/state.h"

static struct mpj_transport *inner_of(struct mpj_transport *t)
{
  return mpj_chaos_of(t)->inner->transport;
}

/* Sending */

static int chaos_send_short(struct mpj_transport *t, int peer, unsigned handler,
                            struct mpj_am_mark mark, const void *data, unsigned bytes)
{
  struct mpj_transport *inner = inner_of(t);
  if (mpj_chaos_refuses(t)) return MPJ_AM_AGAIN;
  return inner->ops->send_short(inner, peer, handler, mark, data, bytes);
}

static int chaos_send_eager(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                            unsigned header_bytes, struct mpj_cursor *payload, MPJ_Count bytes,
                            mpj_am_complete_fn *sent, void *arg)
{
  struct mpj_transport *inner = inner_of(t);
  if (mpj_chaos_refuses(t)) return MPJ_AM_AGAIN;
  return inner->ops->send_eager(inner, peer, handler, header, header_bytes, payload, bytes, sent,
                                arg);
}

/* Receiving */

/* Let a message go to its handler now, and end its payload as that says. */
static void let_go(struct mpj_chaos *c, const struct mpj_chaos_held *h)
{
  struct mpj_am_dest dest;
  const struct mpj_am_kept *kept = &h->arrival.kept;
  const enum mpj_am_verdict verdict = mpj_net_dispatch(&c->net, h->handler, &h->arrival, &dest);
  if (!h->arrival.has_payload || verdict == MPJ_AM_KEEP) return;
  if (verdict == MPJ_AM_DELIVER) mpj_cursor_unpack(dest.cursor, kept->payload, kept->bytes);
  mpj_net_release(c->inner, kept);
  if (verdict == MPJ_AM_DELIVER) dest.complete(dest.arg, MPJ_SUCCESS);
}

static void let_first_go(struct mpj_chaos *c, struct mpj_chaos_line *line)
{
  struct mpj_chaos_held h = line->held[line->first];
  line->first = (line->first + 1) % MPJ_CHAOS_HELD;
  line->n--;
  c->waiting--;
  h.arrival.header = h.header;
  let_go(c, &h);
}

static void hold(struct mpj_chaos *c, struct mpj_chaos_line *line, unsigned handler, uint64_t until,
                 const struct mpj_am_arrival *arrival)
{
  if (line->n == MPJ_CHAOS_HELD) let_first_go(c, line);
  struct mpj_chaos_held *h = &line->held[(line->first + line->n++) % MPJ_CHAOS_HELD];
  *h = (struct mpj_chaos_held){.handler = handler, .due = until, .arrival = *arrival};
  memcpy(h->header, arrival->header, arrival->header_bytes);
  c->waiting++;
}

/* A message has come: it stays, its payload where it is, or goes on at once. */
static enum mpj_am_verdict on_message(void *ctx, const struct mpj_am_arrival *arrival,
                                      struct mpj_am_dest *dest)
{
  const struct mpj_chaos_relay *relay = ctx;
  struct mpj_chaos *c = relay->chaos;
  struct mpj_chaos_line *line = &c->lines[arrival->source];
  const uint64_t until = mpj_chaos_due(c);
  if (until > c->polls && !line->held)
    line->held = mpj_alloc_array(MPJ_CHAOS_HELD, sizeof *line->held); /* none: nothing is held */
  if (!line->held || (line->n == 0 && until == c->polls))
    return mpj_net_dispatch(&c->net, relay->handler, arrival, dest);
  hold(c, line, relay->handler, until, arrival);
  return arrival->has_payload ? MPJ_AM_KEEP : MPJ_AM_DONE;
}

static void chaos_release(struct mpj_transport *t, const struct mpj_am_kept *kept)
{
  mpj_net_release(mpj_chaos_of(t)->inner, kept);
}

static unsigned char *chaos_common(struct mpj_transport *t, int rank, unsigned extent)
{
  return mpj_net_common(mpj_chaos_of(t)->inner, rank, extent);
}

static int chaos_share(struct mpj_transport *t, size_t bytes, struct mpj_net_block *block)
{
  struct mpj_transport *inner = inner_of(t);
  return inner->ops->share ? inner->ops->share(inner, bytes, block) : MPJ_ERR_UNSUPPORTED;
}

/* Progress */

static void let_messages_go(struct mpj_chaos *c)
{
  for (int source = 0; source < c->net.size; source++) {
    struct mpj_chaos_line *line = &c->lines[source];
    while (line->n > 0 && line->held[line->first].due <= c->polls)
      let_first_go(c, line);
  }
}

static void stall(struct mpj_chaos *c)
{
  const long us = mpj_chaos_draw(&c->plan, c->plan.stall_us);
  const struct timespec t = {us / 1000000, us % 1000000 * 1000};
  nanosleep(&t, NULL);
}

/* Of all peers, whoever it is for. */
static bool chaos_poll(struct mpj_transport *t, int from)
{
  struct mpj_chaos *c = mpj_chaos_of(t);
  if (from == MPJ_NET_LEAVING) {
    mpj_net_settle(c->inner);
    return false;
  }
  if (++c->polls == c->death) raise(SIGKILL);
  if (mpj_chaos_strikes(&c->plan, c->plan.stall)) stall(c);
  const bool moved = mpj_net_poll(c->inner);
  const bool waiting = c->waiting > 0;
  if (waiting) {
    let_messages_go(c);
    mpj_chaos_tell_ends(c);
    if (!moved) sched_yield(); /* as nobody calls idle now */
  }
  return moved || waiting;
}

/* The endpoint that pauses gives up the turn of the threads that share this one. (Written once, as
 * a thread that has given its turn up reads them.) */
static struct mpj_net *in_turn(struct mpj_transport *t)
{
  struct mpj_chaos *c = mpj_chaos_of(t);
  if (c->inner->turns.away != c->net.turns.away) c->inner->turns = c->net.turns;
  return c->inner;
}

static void chaos_idle(struct mpj_transport *t, unsigned *idle, long us)
{
  struct mpj_net *inner = in_turn(t);
  if (!idle)
    mpj_net_notice(inner);
  else if (us != 0)
    mpj_net_doze(inner, idle, us);
  else
    mpj_net_idle(inner, idle);
}

static void chaos_wake(struct mpj_transport *t, int rank)
{
  mpj_net_wake(mpj_chaos_of(t)->inner, rank);
}

static enum mpj_rank_state chaos_peer_state(struct mpj_transport *t, int peer, int *cause)
{
  return mpj_net_peer_state(mpj_chaos_of(t)->inner, peer, cause);
}

static void free_chaos(struct mpj_chaos *c)
{
  for (int i = 0; c->lines && i < c->net.size; i++)
    mpj_free(c->lines[i].held);
  mpj_free(c->lines);
  mpj_free(c);
}

/* What is still held back goes nowhere. */
static void chaos_close(struct mpj_transport *t, enum mpj_rank_state state, int cause)
{
  struct mpj_chaos *c = mpj_chaos_of(t);
  mpj_net_close(c->inner, state, cause);
  free_chaos(c);
}

static const struct mpj_transport_ops chaos_ops = {.name = "chaos",
                                                   .send_short = chaos_send_short,
                                                   .send_eager = chaos_send_eager,
                                                   .expose = mpj_chaos_expose,
                                                   .withdraw = mpj_chaos_withdraw,
                                                   .pull = mpj_chaos_pull,
                                                   .release = chaos_release,
                                                   .share = chaos_share,
                                                   .common = chaos_common,
                                                   .poll = chaos_poll,
                                                   .idle = chaos_idle,
                                                   .wake = chaos_wake,
                                                   .peer_state = chaos_peer_state,
                                                   .close = chaos_close};

/* Beginning */

static int read_plan(struct mpj_chaos *c, const char *text, bool alone)
{
  const int rank = c->net.rank;
  const int status = mpj_chaos_plan_read(text, rank, &c->plan);
  if (status != MPJ_SUCCESS) return status;
  if (c->plan.kill >= 0 && !alone)
    return mpj_error(MPJ_ERR_ARG, "MPJ_CHAOS has kill=%ld, and ranks that are threads die together",
                     c->plan.kill);
  if (c->plan.kill == rank) c->death = (uint64_t)mpj_chaos_draw(&c->plan, c->plan.after);
  return MPJ_SUCCESS;
}

static void wrap(struct mpj_chaos *c, struct mpj_net *inner)
{
  c->head = (struct mpj_transport){.ops = &chaos_ops, .net = &c->net};
  c->net.transport = &c->head;
  c->net.launch = inner->launch; /* what is owned now goes with this endpoint */
  inner->launch = NULL;
  inner->node_of = NULL;
  inner->rules = NULL;
  for (unsigned h = MPJ_AM_FIRST_FREE; h < MPJ_AM_HANDLERS; h++) {
    c->relays[h] = (struct mpj_chaos_relay){c, h};
    mpj_net_register(inner, h, on_message, &c->relays[h]);
  }
}

int mpj_chaos_open(struct mpj_net *inner, const char *text, bool alone, struct mpj_net **net)
{
  struct mpj_chaos *c = mpj_alloc_array(1, sizeof *c);
  if (!c) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the chaos of rank %d", inner->rank);
  c->inner = inner;
  c->net = *inner;
  c->lines = mpj_alloc_array((size_t)inner->size, sizeof *c->lines);
  const int status =
      c->lines ? read_plan(c, text, alone)
               : mpj_error(MPJ_ERR_NO_MEM, "no memory for the chaos of rank %d", inner->rank);
  if (status != MPJ_SUCCESS) {
    free_chaos(c);
    return status;
  }
  wrap(c, inner);
  *net = &c->net;
  return MPJ_SUCCESS;
}

int mpj_chaos_join(struct mpj_net **net, bool alone)
{
  const char *text = mpj_config()->chaos;
  return *net && *text ? mpj_chaos_open(*net, text, alone, net) : MPJ_SUCCESS;
}
