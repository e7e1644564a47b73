/* This file passes a rank's calls on to the transport that reaches the peer. */
#include "net/route/route.h"

#include <string.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/far/far_connect.h"
#include "net/shm/shm.h"
#include "net/waiting.h"

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
  bool shared;  /* ranks that are in the local endpoint are reached by it */
  int first;    /* the lowest of them */
  int *seat_of; /* [size] a rank's number in the local endpoint, or FAR; NULL: rank - first */
  int *rank_of; /* [local->size] */
  bool *told;   /* [local->size] the far peers, of its death */
  uint32_t near_changes;    /* when they were looked at */
  int64_t idle_since;       /* ns; 0: not looked at yet */
  _Atomic uint32_t changes; /* of both, when they were polled last */
  bool spin;                /* no machine has more ranks than cores */
  bool naps;                /* idle for so long that it sleeps */
  struct relay relays[MPJ_AM_HANDLERS];
};

static struct route *route_of(struct mpj_transport *t)
{
  return (struct route *)t;
}

/* A rank's number in the local endpoint, reached by it or not; or FAR. */
static int seat_of(const struct route *r, int rank)
{
  if (r->seat_of) return r->seat_of[rank];
  const int seat = rank - r->first;
  return seat >= 0 && seat < r->local->size ? seat : FAR;
}

/* The same of a rank that is reached by it. */
static int local_of(const struct route *r, int rank)
{
  return r->shared ? seat_of(r, rank) : FAR;
}

/* The transport to `peer`, and the peer's number there. */
static struct mpj_transport *way_to(struct route *r, int peer, int *number)
{
  const int local = local_of(r, peer);
  *number = local == FAR ? peer : local;
  return local == FAR ? &r->far->head : r->local->transport;
}

static int route_send_short(struct mpj_transport *t, int peer, unsigned handler,
                            struct mpj_am_mark mark, const void *data, unsigned bytes)
{
  int to;
  struct mpj_transport *way = way_to(route_of(t), peer, &to);
  return way->ops->send_short(way, to, handler, mark, data, bytes);
}

static int route_send_eager(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                            unsigned header_bytes, struct mpj_cursor *payload, MPJ_Count bytes,
                            mpj_am_complete_fn *sent, void *arg)
{
  int to;
  struct mpj_transport *way = way_to(route_of(t), peer, &to);
  return way->ops->send_eager(way, to, handler, header, header_bytes, payload, bytes, sent, arg);
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
                      struct mpj_cursor *dst, const struct mpj_pull_how *how,
                      mpj_am_complete_fn *complete, void *arg)
{
  int to;
  struct mpj_transport *way = way_to(route_of(t), source, &to);
  const int status = way->ops->pull(way, to, remote, dst, how, complete, arg);
  t->mover = way->mover;
  return status;
}

static void route_release(struct mpj_transport *t, const struct mpj_am_kept *kept)
{
  struct mpj_am_kept there = *kept;
  struct mpj_transport *way = way_to(route_of(t), kept->source, &there.source);
  way->ops->release(way, &there);
}

/* A rank's own common memory is in its segment, whichever way the others come. */
static unsigned char *route_common(struct mpj_transport *t, int rank, unsigned extent)
{
  struct route *r = route_of(t);
  const int local = rank == r->net.rank ? r->local->rank : local_of(r, rank);
  return local == FAR ? NULL : mpj_net_common(r->local, local, extent);
}

/* What comes from the network ends the sleep of a rank that has such peers. */
static void route_wake(struct mpj_transport *t, int rank)
{
  struct route *r = route_of(t);
  const int local = rank == MPJ_NET_EVERYBODY ? rank : local_of(r, rank);
  if (rank == MPJ_NET_EVERYBODY || local != FAR) mpj_net_wake(r->local, local);
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

static void note_changes(struct route *r)
{
  const uint32_t now = mpj_net_changes(r->local) + r->far->changes;
  atomic_store_explicit(&r->changes, now, memory_order_release);
}

static bool route_poll(struct mpj_transport *t, int from)
{
  struct route *r = route_of(t);
  if (from == MPJ_NET_LEAVING) return r->far->head.ops->poll(&r->far->head, from);
  bool moved = mpj_net_poll(r->local);
  if (mpj_net_changes(r->local) != r->near_changes) tell_deaths(r);
  moved |= r->far->head.ops->poll(&r->far->head, MPJ_NET_EVERYBODY);
  note_changes(r);
  return moved;
}

/* Sleep until something comes from the network; news from local peers is found after
 * NAP_MS at the latest. */
static void doze(struct route *r)
{
  enum { NAP_MS = 1 };
  mpj_shm_look(r->local);
  r->far->carrier->ops->sleep(r->far->carrier, NAP_MS, &r->net);
}

/* As a segment's endpoint waits, but for the sleep. */
static void route_idle(struct mpj_transport *t, unsigned *idle, long us)
{
  enum { SPINS = 256 }; /* a poll takes 0.5 us */
  struct route *r = route_of(t);
  if (!idle) {
    mpj_shm_look(r->local);
    return;
  }
  if (us != 0) {
    ++*idle;
    doze(r);
    return;
  }
  const unsigned count = (*idle)++;
  if (count == 0) {
    r->idle_since = 0;
    r->naps = false;
  }
  if (r->naps) {
    doze(r);
    return;
  }
  if (mpj_waiting_spins(r->spin, SPINS, count)) {
    mpj_net_back(&r->net, false, mpj_net_away(&r->net, false));
    return;
  }
  if (r->net.asleep > 0 && mpj_net_may_sleep(&r->net)) {
    r->net.asleep--;
    r->naps = true;
    return;
  }
  const bool timed = mpj_core_times(&r->net.core);
  const int kept = mpj_net_away(&r->net, false);
  const struct mpj_absence away = mpj_give_core_timed(timed);
  mpj_net_back(&r->net, false, kept);
  if (!r->spin) mpj_net_note_core(&r->net, mpj_core_back(&r->net.core, away));
  if (!mpj_waiting_looks(count)) return;
  mpj_shm_look(r->local);
  r->naps = mpj_net_may_sleep(&r->net) &&
            mpj_waiting_is_long(&r->idle_since, mpj_config()->sleep_us * INT64_C(1000));
}

static enum mpj_rank_state route_peer_state(struct mpj_transport *t, int peer, int *cause)
{
  struct route *r = route_of(t);
  const int seat = seat_of(r, peer);
  if (seat != FAR) {
    const enum mpj_rank_state state = mpj_net_peer_state(r->local, seat, cause);
    if (state >= MPJ_RANK_FINALIZED || r->shared || peer == r->net.rank) return state;
  }
  return r->far->head.ops->peer_state(&r->far->head, peer, cause);
}

static void free_route(struct route *r)
{
  mpj_free(r->seat_of);
  mpj_free(r->rank_of);
  mpj_free(r->told);
  mpj_bits_end(&r->net.leaving);
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
                                                   .expose = route_expose,
                                                   .withdraw = route_withdraw,
                                                   .pull = route_pull,
                                                   .release = route_release,
                                                   .common = route_common,
                                                   .wake = route_wake,
                                                   .poll = route_poll,
                                                   .idle = route_idle,
                                                   .peer_state = route_peer_state,
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

/* False: there is no memory. */
static bool lay_ways(struct route *r, const int members[])
{
  bool even = true;
  r->first = members[0];
  for (int i = 0; i < r->local->size; i++) {
    r->rank_of[i] = members[i];
    even &= members[i] == r->first + i;
  }
  if (even) return true;
  r->seat_of = mpj_alloc_array((size_t)r->net.size, sizeof *r->seat_of);
  for (int i = 0; r->seat_of && i < r->net.size; i++)
    r->seat_of[i] = FAR;
  for (int i = 0; r->seat_of && i < r->local->size; i++)
    r->seat_of[members[i]] = i;
  return r->seat_of != NULL;
}

int mpj_route_open(struct mpj_net *local, const int members[], bool shared, struct mpj_far *far,
                   int rank, int size, int cores, struct mpj_net **net)
{
  struct route *r = mpj_alloc_array(1, sizeof *r);
  if (!r) return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's routes", rank);
  r->local = local;
  r->shared = shared;
  r->net.size = size;
  r->rank_of = mpj_alloc_array((size_t)local->size, sizeof *r->rank_of);
  r->told = mpj_alloc_array((size_t)local->size, sizeof *r->told);
  if (!r->rank_of || !r->told || !lay_ways(r, members)) {
    free_route(r);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's routes", rank);
  }
  r->head = (struct mpj_transport){.ops = &route_ops, .net = &r->net};
  r->far = far;
  r->net = (struct mpj_net){.rank = rank,
                            .size = size,
                            .eager_bytes = local->eager_bytes,
                            .cores = cores,
                            .core = local->core,
                            .node = local->node,
                            .settles = true,
                            .reads_all = local->reads_all,
                            .one_thread = far->carrier->one_thread,
                            .changes = &r->changes,
                            .near = local->near,
                            .far = far->carrier->ops->name,
                            .transport = &r->head};
  r->spin = ((struct mpj_cells *)local->transport)->spin && size <= cores;
  for (unsigned h = MPJ_AM_FIRST_FREE; h < MPJ_AM_HANDLERS; h++) {
    r->relays[h] = (struct relay){r, h};
    mpj_net_register(local, h, pass_on, &r->relays[h]);
  }
  mpj_far_begin(far, &r->net, (struct mpj_cells *)local->transport);
  *net = &r->net;
  return MPJ_SUCCESS;
}
