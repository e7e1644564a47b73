/* This file passes a rank's calls on to the transport that reaches the peer. */
#include "net/route/route.h"

#include <sched.h>
#include <string.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/shm/shm.h"

/* A peer's number in the local endpoint; FAR: it is reached over the network. */
enum { FAR = -1 };

struct route;

/* What the local endpoint's messages for one handler are passed on by. */
struct relay {
  struct route *route;
  unsigned handler;
};

struct route {
  struct mpj_transport head; /* first */
  struct mpj_net net;
  struct mpj_net *local;
  struct mpj_far *far;
  int *local_of; /* [size] the way to each rank */
  int *seat_of;  /* [size] a rank's number in the local endpoint, reached by it or not; or FAR */
  int *rank_of;  /* [local->size] */
  bool *told;    /* [local->size] the far peers, of its death */
  uint32_t near_changes; /* when they were looked at */
  double idle_since;     /* seconds; 0: not looked at yet */
  bool spin;             /* no machine has more ranks than cores */
  bool naps;             /* idle for so long that it sleeps */
  struct relay relays[MPJ_AM_HANDLERS];
};

static struct route *route_of(struct mpj_transport *t)
{
  return (struct route *)t;
}

/* The transport to `peer`, and the peer's number there. */
static struct mpj_transport *way_to(struct route *r, int peer, int *number)
{
  const int local = r->local_of[peer];
  *number = local == FAR ? peer : local;
  return local == FAR ? &r->far->head : r->local->transport;
}

static int route_send_short(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                            unsigned header_bytes)
{
  int to;
  struct mpj_transport *way = way_to(route_of(t), peer, &to);
  return way->ops->send_short(way, to, handler, header, header_bytes);
}

static int route_send_eager(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                            unsigned header_bytes, struct mpj_cursor *payload, MPJ_Count bytes,
                            mpj_am_complete_fn *sent, void *arg)
{
  int to;
  struct mpj_transport *way = way_to(route_of(t), peer, &to);
  return way->ops->send_eager(way, to, handler, header, header_bytes, payload, bytes, sent, arg);
}

static int route_signal(struct mpj_transport *t, int peer, unsigned control, unsigned slot,
                        unsigned bit)
{
  int to;
  struct mpj_transport *way = way_to(route_of(t), peer, &to);
  return way->ops->signal(way, to, control, slot, bit);
}

static uint64_t route_done(struct mpj_transport *t, int peer, unsigned control)
{
  int to;
  struct mpj_transport *way = way_to(route_of(t), peer, &to);
  return way->ops->done(way, to, control);
}

/* A rank's own meeting place is in its segment, whichever way the others come. */
static uint64_t route_meet(struct mpj_transport *t, int home, unsigned control, unsigned slot,
                           uint64_t term, uint64_t all)
{
  struct route *r = route_of(t);
  if (home == r->net.rank) return mpj_net_meet(r->local, r->local->rank, control, slot, term, all);
  int to;
  struct mpj_transport *way = way_to(r, home, &to);
  return way->ops->meet(way, to, control, slot, term, all);
}

static int route_expose(struct mpj_transport *t, const struct mpj_view *view, void *base,
                        unsigned pulls, mpj_am_complete_fn *sent, void *arg,
                        struct mpj_am_remote *remote)
{
  return mpj_net_expose(route_of(t)->local, view, base, pulls, sent, arg, remote);
}

static int route_withdraw(struct mpj_transport *t, const struct mpj_am_remote *remote, bool known)
{
  struct route *r = route_of(t);
  if (mpj_far_is_giving(r->far, remote->id)) return MPJ_AM_PENDING;
  if (known) mpj_far_tell_withdrawn(r->far, remote->id);
  return mpj_net_withdraw(r->local, remote, known);
}

static int route_pull(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
                      struct mpj_cursor *dst, mpj_am_complete_fn *complete, void *arg)
{
  int to;
  struct mpj_transport *way = way_to(route_of(t), source, &to);
  const int status = way->ops->pull(way, to, remote, dst, complete, arg);
  t->mover = way->mover;
  return status;
}

static int route_decline(struct mpj_transport *t, int source, const struct mpj_am_remote *remote)
{
  int to;
  struct mpj_transport *way = way_to(route_of(t), source, &to);
  return way->ops->decline(way, to, remote);
}

static void route_release(struct mpj_transport *t, const struct mpj_am_kept *kept)
{
  struct mpj_am_kept there = *kept;
  struct mpj_transport *way = way_to(route_of(t), kept->source, &there.source);
  way->ops->release(way, &there);
}

static struct mpj_control_window *route_window(struct mpj_transport *t, unsigned control)
{
  return mpj_net_window(route_of(t)->local, control);
}

/* Tell the far peers who of this node has died since they were told last. */
static void tell_deaths(struct route *r)
{
  r->near_changes = mpj_net_changes(r->local);
  for (int seat = 0; seat < r->local->size; seat++) {
    int cause = 0;
    if (r->told[seat] || mpj_net_peer_state(r->local, seat, &cause) != MPJ_RANK_DEAD) continue;
    r->told[seat] = true;
    mpj_far_tell_death(r->far, r->rank_of[seat], cause);
  }
}

static bool route_poll(struct mpj_transport *t)
{
  struct route *r = route_of(t);
  bool moved = mpj_net_poll(r->local);
  if (mpj_net_changes(r->local) != r->near_changes) tell_deaths(r);
  moved |= r->far->head.ops->poll(&r->far->head);
  return moved;
}

static void route_notice(struct mpj_transport *t)
{
  mpj_shm_look(route_of(t)->local);
}

/* Sleep until something comes from the network; news from local peers is found after
 * NAP_MS at the latest. */
static void route_doze(struct mpj_transport *t, unsigned *idle, long us)
{
  enum { NAP_MS = 1 };
  struct route *r = route_of(t);
  (void)us;
  ++*idle;
  mpj_shm_look(r->local);
  r->far->carrier->ops->sleep(r->far->carrier, NAP_MS, &r->net);
}

/* As a segment's endpoint waits, but for the sleep. */
static void route_idle(struct mpj_transport *t, unsigned *idle)
{
  enum { SPINS = 256, LOOKS_AT_CLOCK_EVERY = 64 }; /* a poll takes 0.5 us */
  struct route *r = route_of(t);
  const unsigned count = (*idle)++;
  if (count == 0) {
    r->idle_since = 0;
    r->naps = false;
  }
  if (r->naps) {
    route_doze(t, idle, 0);
    return;
  }
  if (r->spin && count < SPINS) {
    mpj_net_back(&r->net, false, mpj_net_away(&r->net, false));
    return;
  }
  const int kept = mpj_net_away(&r->net, false);
  sched_yield();
  mpj_net_back(&r->net, false, kept);
  if (count % LOOKS_AT_CLOCK_EVERY != LOOKS_AT_CLOCK_EVERY - 1) return;
  const double now = MPJ_Wtime();
  mpj_shm_look(r->local);
  if (r->idle_since == 0) r->idle_since = now;
  r->naps =
      mpj_net_may_sleep(&r->net) && (now - r->idle_since) * 1e6 >= (double)mpj_config()->sleep_us;
}

static const char *route_way(struct mpj_transport *t, int peer)
{
  const struct route *r = route_of(t);
  return r->local_of[peer] == FAR ? r->far->carrier->ops->name : r->local->transport->ops->name;
}

static void route_settle(struct mpj_transport *t)
{
  struct mpj_far *far = route_of(t)->far;
  far->head.ops->settle(&far->head);
}

static enum mpj_rank_state route_peer_state(struct mpj_transport *t, int peer, int *cause)
{
  struct route *r = route_of(t);
  const int seat = r->seat_of[peer];
  if (seat != FAR) {
    const enum mpj_rank_state state = mpj_net_peer_state(r->local, seat, cause);
    if (state >= MPJ_RANK_FINALIZED || r->local_of[peer] != FAR || peer == r->net.rank)
      return state;
  }
  return r->far->head.ops->peer_state(&r->far->head, peer, cause);
}

static uint32_t route_changes(struct mpj_transport *t)
{
  struct route *r = route_of(t);
  return mpj_net_changes(r->local) + r->far->head.ops->changes(&r->far->head);
}

static void free_route(struct route *r)
{
  mpj_free(r->local_of);
  mpj_free(r->seat_of);
  mpj_free(r->rank_of);
  mpj_free(r->told);
  mpj_free(r);
}

/* The far peers first: what they still pull is in the segment. */
static void route_close(struct mpj_transport *t, enum mpj_rank_state state, int cause)
{
  struct route *r = route_of(t);
  r->far->head.ops->close(&r->far->head, state, cause);
  mpj_net_close(r->local, state, cause);
  free_route(r);
}

static const struct mpj_transport_ops route_ops = {.name = "route",
                                                   .send_short = route_send_short,
                                                   .send_eager = route_send_eager,
                                                   .signal = route_signal,
                                                   .done = route_done,
                                                   .meet = route_meet,
                                                   .expose = route_expose,
                                                   .withdraw = route_withdraw,
                                                   .pull = route_pull,
                                                   .decline = route_decline,
                                                   .release = route_release,
                                                   .window = route_window,
                                                   .poll = route_poll,
                                                   .idle = route_idle,
                                                   .doze = route_doze,
                                                   .notice = route_notice,
                                                   .settle = route_settle,
                                                   .way = route_way,
                                                   .peer_state = route_peer_state,
                                                   .changes = route_changes,
                                                   .close = route_close};

/* A message of a local peer: the same under the job's numbers. */
static enum mpj_am_verdict pass_on(void *ctx, const struct mpj_am_arrival *arrival,
                                   struct mpj_am_dest *dest)
{
  const struct relay *relay = ctx;
  struct mpj_am_arrival ours = *arrival;
  ours.source = ours.kept.source = relay->route->rank_of[arrival->source];
  if (relay->route->far->closing) return MPJ_AM_DONE;
  return mpj_net_dispatch(&relay->route->net, relay->handler, &ours, dest);
}

static void lay_ways(struct route *r, const int members[], bool shared)
{
  for (int i = 0; i < r->net.size; i++)
    r->local_of[i] = r->seat_of[i] = FAR;
  for (int i = 0; i < r->local->size; i++) {
    r->rank_of[i] = members[i];
    r->seat_of[members[i]] = i;
    if (shared) r->local_of[members[i]] = i;
  }
}

int mpj_route_open(struct mpj_net *local, const int members[], bool shared, struct mpj_far *far,
                   int rank, int size, int cores, struct mpj_net **net)
{
  struct route *r = mpj_alloc_array(1, sizeof *r);
  if (!r) return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's routes", rank);
  r->local_of = mpj_alloc_array((size_t)size, sizeof *r->local_of);
  r->seat_of = mpj_alloc_array((size_t)size, sizeof *r->seat_of);
  r->rank_of = mpj_alloc_array((size_t)local->size, sizeof *r->rank_of);
  r->told = mpj_alloc_array((size_t)local->size, sizeof *r->told);
  if (!r->local_of || !r->seat_of || !r->rank_of || !r->told) {
    free_route(r);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's routes", rank);
  }
  r->head = (struct mpj_transport){.ops = &route_ops, .net = &r->net};
  r->local = local;
  r->far = far;
  r->net = (struct mpj_net){.rank = rank,
                            .size = size,
                            .eager_bytes = local->eager_bytes,
                            .cores = cores,
                            .node = local->node,
                            .one_thread = far->carrier->one_thread,
                            .transport = &r->head};
  lay_ways(r, members, shared);
  r->spin = ((struct mpj_cells *)local->transport)->spin && size <= cores;
  for (unsigned h = MPJ_AM_FIRST_FREE; h < MPJ_AM_HANDLERS; h++) {
    r->relays[h] = (struct relay){r, h};
    mpj_net_register(local, h, pass_on, &r->relays[h]);
  }
  mpj_far_begin(far, &r->net, (struct mpj_cells *)local->transport);
  *net = &r->net;
  return MPJ_SUCCESS;
}
