/* This file is the transport of a simulated machine's rank. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "net/sim/state.h"

/* Send a message (moved) that this rank's core begins now. */
static int post(struct mpj_sim_rank *r, struct mpj_sim_item *item, int peer)
{
  item->kind = MPJ_SIM_MESSAGE;
  item->from = r->net.rank;
  item->to = peer;
  item->wire_bytes = item->header_bytes + item->bytes + mpj_sim_put_bytes(r);
  item->begun = r->now;
  r->counts.sent++;
  mpj_sim_busy(r, r->sim->machine.o_ps);
  mpj_sim_put_left(r, mpj_sim_send(r->sim, item, r->now));
  return MPJ_SUCCESS;
}

static int send_short(struct mpj_transport *t, int peer, unsigned handler, struct mpj_am_mark mark,
                      const void *data, unsigned bytes)
{
  struct mpj_sim_rank *r = mpj_sim_rank_of(t);
  const unsigned at = mark.rest ? MPJ_AM_MARK : 0;
  struct mpj_sim_item *item = mpj_sim_new_item(r->sim);
  if (!item) return MPJ_AM_AGAIN; /* the machine stops (mpj_sim_status) */
  item->handler = handler;
  item->header_bytes = at + bytes;
  if (mark.rest) {
    memcpy(item->header, &mark.first, sizeof mark.first);
    memcpy(item->header + sizeof mark.first, mark.rest, MPJ_AM_MARK - sizeof mark.first);
  }
  if (bytes > 0) memcpy(item->header + at, data, bytes);
  return post(r, item, peer);
}

/* The core has copied so many bytes. */
static void copied(struct mpj_sim_rank *r, MPJ_Count bytes)
{
  mpj_sim_busy(r, bytes * r->sim->machine.copy_byte_fs / 1000);
}

static int pack(struct mpj_net *net, struct mpj_cursor *from, void *to, MPJ_Count bytes)
{
  struct mpj_sim_rank *r = mpj_sim_rank_of(net->transport);
  copied(r, bytes);
  if (mpj_sim_is_virtual(&r->sim->virtual, from->origin))
    return mpj_sim_keep(r->sim, from->origin + from->offset, to, bytes);
  mpj_sim_forget(r->sim);
  mpj_cursor_pack(from, to, bytes);
  return MPJ_SUCCESS;
}

static int send_eager(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                      unsigned header_bytes, struct mpj_cursor *payload, MPJ_Count bytes,
                      mpj_am_complete_fn *sent, void *arg)
{
  struct mpj_sim_rank *r = mpj_sim_rank_of(t);
  struct mpj_sim_item *item = mpj_sim_new_item(r->sim);
  (void)sent;
  (void)arg;
  if (!item) return MPJ_AM_AGAIN;
  if (mpj_sim_is_virtual(&r->sim->virtual, payload->origin)) {
    mpj_sim_drop_item(r->sim, item);
    r->sim->eager_virtual = bytes;
    return MPJ_AM_AGAIN; /* the machine stops */
  }
  item->payload = mpj_alloc(bytes > 0 ? (size_t)bytes : 1);
  if (!item->payload) {
    r->sim->out_of_memory = true;
    mpj_sim_drop_item(r->sim, item);
    return MPJ_AM_AGAIN;
  }
  item->handler = handler;
  item->header_bytes = header_bytes;
  item->bytes = bytes;
  memcpy(item->header, header, header_bytes);
  mpj_cursor_pack(payload, item->payload, bytes);
  copied(r, bytes);
  return post(r, item, peer);
}

/* Its payload has been copied out of its slot. */
static void release(struct mpj_transport *t, const struct mpj_am_kept *kept)
{
  copied(mpj_sim_rank_of(t), kept->bytes);
  mpj_free((void *)(uintptr_t)kept->payload);
}

/* Run its handler; the payload goes where that says. */
static void dispatch(struct mpj_sim_rank *r, struct mpj_sim_item *item)
{
  struct mpj_am_dest dest = {0};
  const struct mpj_am_arrival arrival = {
      .source = item->from,
      .header = item->header,
      .header_bytes = item->header_bytes,
      .has_payload = item->payload != NULL,
      .kept = {.source = item->from, .payload = item->payload, .bytes = item->bytes}};
  const enum mpj_am_verdict verdict = mpj_net_dispatch(&r->net, item->handler, &arrival, &dest);
  if (verdict == MPJ_AM_KEEP)
    item->payload = NULL; /* until it is released */
  else if (item->payload)
    copied(r, item->bytes);
  if (verdict != MPJ_AM_DELIVER) return;
  mpj_cursor_unpack(dest.cursor, item->payload, item->bytes);
  dest.complete(dest.arg, MPJ_SUCCESS);
}

/* The core sees to what is here. */
static void look_at(struct mpj_sim_rank *r, struct mpj_sim_item *item)
{
  struct mpj_sim *sim = r->sim;
  if (r->now < item->time) r->now = item->time;
  if (item->kind == MPJ_SIM_SENT) { /* a word in memory */
    mpj_sim_sent(sim, item);
    return;
  }
  if (!mpj_sim_is_word(item)) mpj_sim_busy(r, sim->machine.o_ps);
  r->counts.received++;
  if (sim->see)
    sim->see(sim->see_ctx,
             &(struct mpj_sim_seen){item->from, item->to, item->kind == MPJ_SIM_PULLED,
                                    item->wire_bytes, item->begun, r->now});
  if (item->kind == MPJ_SIM_MESSAGE) {
    dispatch(r, item);
    return;
  }
  if (item->status == MPJ_ERR_INTERNAL)
    (void)mpj_error(item->status, "rank %d withdrew the data that rank %d was to pull", item->from,
                    item->to);
  else if (item->status == MPJ_ERR_PEER)
    (void)mpj_error(item->status, "rank %d, whose data rank %d was to pull, is gone", item->from,
                    item->to);
  item->complete(item->arg, item->status);
}

static bool poll(struct mpj_transport *t, int from)
{
  struct mpj_sim_rank *r = mpj_sim_rank_of(t);
  bool moved = false;
  (void)from;
  while (r->first && !r->net.enough) {
    struct mpj_sim_item *item = r->first;
    r->first = item->next;
    look_at(r, item);
    mpj_sim_drop_item(r->sim, item);
    moved = true;
  }
  return moved;
}

/* A rank has no stack on which to wait: a blocking call would never end. */
static void idle(struct mpj_transport *t, unsigned *count, long us)
{
  enum { PATIENCE = 1 << 16 };
  (void)us;
  if (!count || ++*count < PATIENCE) return;
  mpj_warn("rank %d of a simulated machine waits in a blocking call, which cannot end",
           t->net->rank);
  abort();
}

static unsigned char *common(struct mpj_transport *t, int rank, unsigned extent)
{
  (void)t;
  (void)rank;
  (void)extent;
  return NULL;
}

static enum mpj_rank_state peer_state(struct mpj_transport *t, int peer, int *cause)
{
  const struct mpj_sim_rank *r = &mpj_sim_rank_of(t)->sim->ranks[peer];
  const bool unheard = r->state == MPJ_RANK_DEAD && !r->noticed;
  if (cause) *cause = unheard ? 0 : r->cause;
  return unheard ? MPJ_RANK_ACTIVE : r->state;
}

static void close_rank(struct mpj_transport *t, enum mpj_rank_state state, int cause)
{
  struct mpj_sim_rank *r = mpj_sim_rank_of(t);
  if (r->state == MPJ_RANK_ACTIVE) {
    r->state = state;
    r->cause = cause;
    r->noticed = true;
    atomic_fetch_add(&r->sim->changes, 1);
  }
  mpj_sim_withdraw_all(r->sim, r->net.rank);
  mpj_bits_end(&r->net.leaving);
}

static const struct mpj_transport_ops sim_ops = {.name = "simulated",
                                                 .send_short = send_short,
                                                 .send_eager = send_eager,
                                                 .release = release,
                                                 .expose = mpj_sim_expose,
                                                 .withdraw = mpj_sim_withdraw,
                                                 .pull = mpj_sim_pull,
                                                 .common = common,
                                                 .poll = poll,
                                                 .idle = idle,
                                                 .peer_state = peer_state,
                                                 .close = close_rank};

int mpj_sim_open(struct mpj_sim *sim, int rank, long eager_bytes, struct mpj_net **net)
{
  struct mpj_sim_rank *r = &sim->ranks[rank];
  memset(r, 0, sizeof *r);
  r->head.ops = &sim_ops;
  r->head.net = &r->net;
  r->sim = sim;
  sim->serve = mpj_sim_serve;
  r->state = MPJ_RANK_ACTIVE;
  r->net.transport = &r->head;
  r->net.rank = rank;
  r->net.size = sim->machine.ranks;
  r->net.cores = sim->machine.ranks;
  r->net.eager_bytes = eager_bytes;
  r->net.near = r->net.far = sim_ops.name;
  r->net.puts = r->net.reads_all = r->net.simulated = true;
  r->net.align_bytes = sim->machine.align_bytes;
  r->net.pack = pack;
  if (sim->grid.ndims > 0) r->net.grid = &sim->grid;
  r->net.changes = &sim->changes;
  r->net.node = mpj_sim_node(sim, rank);
  r->net.node_ranks = sim->machine.ranks_per_node;
  *net = &r->net;
  return MPJ_SUCCESS;
}
