/* This file implements the endpoint in a segment: cells, slots, bits, polling. */
#include "net/cells/cells.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/cells/exposure.h"
#include "net/cells/fence.h"
#include "net/cells/share.h"

/* In an eager cell the last four bytes of the body say the payload's length. */
enum { LENGTH_AT = MPJ_CELL_BODY - 4, CELLS_PER_POLL = 16 };

/* A locked instruction on a line that the peer's core holds waits for it to
 * come over, about 0.1 us. So each send asks for the line of the send after the
 * next, which the peer is not looking at yet. */
enum { AHEAD = 2, IN_A_ROW = 2 };

static struct mpj_cells *cells_of(struct mpj_transport *t)
{
  return (struct mpj_cells *)t;
}

/* Ours to ourselves is never written. */
void mpj_cells_look_for(struct mpj_cells *c, int peer)
{
  const struct mpj_cells_peer *p = &c->peers[peer];
  c->looks[peer].turn = &p->in[p->head % MPJ_RING_CELLS].turn;
  c->looks[peer].next = peer == c->rank ? UINT32_MAX : p->head + 1;
}

/* Positions begin at the sender's rank: rings are 4 KiB apart, and if they were all
 * at one place, the cells that a poll looks at would share one set of the cache. */
static void connect_peer(struct mpj_cells *c, int peer)
{
  struct mpj_segment *s = c->segment;
  const uint32_t all = s->config.tokens == 32 ? UINT32_MAX : (UINT32_C(1) << s->config.tokens) - 1;
  c->peers[peer] = (struct mpj_cells_peer){.in = mpj_segment_ring(s, c->rank, peer),
                                           .in_pair = mpj_segment_pair(s, c->rank, peer),
                                           .out = mpj_segment_ring(s, peer, c->rank),
                                           .out_pair = mpj_segment_pair(s, peer, c->rank),
                                           .head = (uint32_t)peer,
                                           .tail = (uint32_t)c->rank,
                                           .consumed = (uint32_t)c->rank,
                                           .tokens = all,
                                           .all = all};
}

static void list_exposures(struct mpj_cells *c)
{
  for (unsigned i = 0; i < MPJ_EXPOSURES; i++)
    c->exposed[i].next = i + 1;
  c->free_list = 0;
  c->open_list = MPJ_EXPOSURE_NONE;
}

static bool should_spin(const struct mpj_cells *c)
{
  const long choice = mpj_config()->spin;
  return choice < 0 ? c->nranks <= c->segment->config.cores : choice == 1;
}

/* The words of MPJ_TWO_SIDED. */
enum { TWO_SIDED_AUTO, TWO_SIDED_ON };

/* Where more ranks than cores wait, some can do long work that one rank would else do alone;
 * threads, which copy from layout to layout, do that best in one piece. */
static int64_t share_least(const struct mpj_cells *c)
{
  const long choice = mpj_config()->two_sided;
  const bool fit = c->nranks <= c->segment->config.cores;
  if (choice == TWO_SIDED_ON || (choice == TWO_SIDED_AUTO && fit)) return MPJ_SHARE_LEAST;
  if (choice == TWO_SIDED_AUTO && c->segment->config.shared) return MPJ_SHARE_LEAST_CROWDED;
  return MPJ_SHARE_NEVER;
}

int mpj_cells_begin(struct mpj_cells *c, struct mpj_segment *segment, int rank)
{
  if (segment->config.settings != mpj_settings_digest())
    return mpj_error(
        MPJ_ERR_ARG,
        "rank %d has other MPJ_EAGER_, MPJ_CHECK or MPJ_COLL_ settings than its launcher", rank);
  c->segment = segment;
  c->rank = rank;
  c->nranks = segment->config.nranks;
  c->sleep_ns = mpj_config()->sleep_us * 1000;
  c->spin = should_spin(c);
  c->share_least = share_least(c);
  c->light_fence = mpj_fence_register();
  c->peers = mpj_alloc_array((size_t)c->nranks, sizeof *c->peers);
  c->exposed = mpj_alloc_array(MPJ_EXPOSURES, sizeof *c->exposed);
  c->looks = mpj_alloc_array((size_t)c->nranks, sizeof *c->looks);
  if (!c->peers || !c->looks || !c->exposed) {
    mpj_free(c->exposed);
    mpj_free(c->looks);
    mpj_free(c->peers);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's endpoint to %d ranks", rank,
                     c->nranks);
  }
  for (int peer = 0; peer < c->nranks; peer++) {
    connect_peer(c, peer);
    mpj_cells_look_for(c, peer);
  }
  list_exposures(c);
  c->head.net = &c->net;
  c->net.rank = rank;
  c->net.size = c->nranks;
  c->net.eager_bytes = segment->config.eager_bytes;
  c->net.cores = segment->config.cores;
  c->net.transport = &c->head;
  if (!mpj_segment_claim(segment, rank)) {
    mpj_free(c->exposed);
    mpj_free(c->looks);
    mpj_free(c->peers);
    return mpj_error(MPJ_ERR_INTERNAL, "rank %d has been taken already", rank);
  }
  atomic_store(&mpj_segment_rank(segment, rank)->pid, (int32_t)getpid());
  return MPJ_SUCCESS;
}

void mpj_cells_end(struct mpj_cells *c, enum mpj_rank_state state, int cause)
{
  for (unsigned i = c->open_list; i != MPJ_EXPOSURE_NONE; i = c->open_list) {
    const struct mpj_am_remote remote = {mpj_exposure_id(i, c->exposed[i].generation), 0};
    mpj_cells_withdraw(&c->head, &remote, true);
  }
  mpj_segment_mark(c->segment, c->rank, state, cause);
  mpj_free(c->exposed);
  mpj_free(c->looks);
  mpj_free(c->peers);
}

/* Sending */

/* The cell to write next, or NULL while the ring is full. */
static struct mpj_cell *free_cell(struct mpj_cells_peer *p)
{
  if (p->tail - p->consumed >= MPJ_RING_CELLS) {
    p->consumed = atomic_load_explicit(&p->out_pair->consumed, memory_order_acquire);
    if (p->tail - p->consumed >= MPJ_RING_CELLS) return NULL;
  }
  return &p->out[p->tail % MPJ_RING_CELLS];
}

/* Publish a cell that has been filled, and wake its reader if it sleeps. */
static void publish(struct mpj_cells *c, int peer, struct mpj_cell *cell)
{
  struct mpj_cells_peer *p = &c->peers[peer];
  p->in_a_row = 0;
  if (c->light_fence) {
    atomic_store_explicit(&cell->turn, ++p->tail, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
  } else {
    atomic_store_explicit(&cell->turn, ++p->tail, memory_order_seq_cst);
  }
  __builtin_prefetch(&p->out[(p->tail + AHEAD - 1) % MPJ_RING_CELLS], 1);
  mpj_segment_wake(c->segment, peer);
}

bool mpj_cells_has_room(struct mpj_cells *c, int peer)
{
  return free_cell(&c->peers[peer]) != NULL;
}

int mpj_cells_send_short(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                         unsigned header_bytes)
{
  struct mpj_cells *c = cells_of(t);
  struct mpj_cell *cell = free_cell(&c->peers[peer]);
  if (!cell) return MPJ_AM_AGAIN;
  assert(header_bytes <= MPJ_AM_SHORT_MAX);
  cell->handler = (uint8_t)handler;
  cell->bytes = (uint8_t)header_bytes;
  cell->slot = MPJ_NO_SLOT;
  if (header_bytes > 0) memcpy(cell->body, header, header_bytes);
  publish(c, peer, cell);
  return MPJ_SUCCESS;
}

/* Take a token for a slot at the peer; false if all are in use. */
static bool take_token(struct mpj_cells_peer *p, unsigned *slot)
{
  if (p->tokens == 0) {
    if (atomic_load_explicit(&p->out_pair->returned, memory_order_relaxed) == 0) return false;
    p->tokens = atomic_exchange_explicit(&p->out_pair->returned, 0, memory_order_acquire) & p->all;
    if (p->tokens == 0) return false;
  }
  *slot = (unsigned)__builtin_ctz(p->tokens);
  p->tokens &= p->tokens - 1;
  return true;
}

int mpj_cells_send_eager(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                         unsigned header_bytes, struct mpj_cursor *payload, MPJ_Count bytes,
                         mpj_am_complete_fn *sent, void *arg)
{
  (void)sent; /* the data has left when this returns */
  (void)arg;
  struct mpj_cells *c = cells_of(t);
  struct mpj_cells_peer *p = &c->peers[peer];
  struct mpj_cell *cell = free_cell(p);
  unsigned slot;
  assert(header_bytes <= MPJ_AM_EAGER_HEADER_MAX && bytes <= c->net.eager_bytes);
  if (!cell || !take_token(p, &slot)) return MPJ_AM_AGAIN;
  const uint32_t length = (uint32_t)bytes;
  mpj_cursor_pack(payload, mpj_segment_slot(c->segment, peer, c->rank, slot), bytes);
  cell->handler = (uint8_t)handler;
  cell->bytes = (uint8_t)header_bytes;
  cell->slot = (uint8_t)slot;
  if (header_bytes > 0) memcpy(cell->body, header, header_bytes);
  memcpy(cell->body + LENGTH_AT, &length, sizeof length);
  publish(c, peer, cell);
  return MPJ_SUCCESS;
}

int mpj_cells_signal(struct mpj_transport *t, int peer, unsigned control, unsigned slot,
                     unsigned bit, bool veto)
{
  struct mpj_cells *c = cells_of(t);
  struct mpj_control_window *window = mpj_segment_window(c->segment, peer, control);
  struct mpj_control_slot *s = &window->slot[slot];
  if (veto) mpj_atomic_bits_set(&s->vetoed, bit);
  mpj_atomic_bits_set(&s->arrived, bit);
  __builtin_prefetch(&window->slot[(slot + AHEAD) % MPJ_WINDOW], 1);
  mpj_segment_wake(c->segment, peer);
  return MPJ_SUCCESS;
}

uint64_t mpj_cells_done(struct mpj_transport *t, int peer, unsigned control)
{
  struct mpj_control_window *w = mpj_segment_window(cells_of(t)->segment, peer, control);
  return atomic_load_explicit(&w->done, memory_order_acquire);
}

uint64_t mpj_cells_meet(struct mpj_transport *t, int home, unsigned control, uint64_t all)
{
  struct mpj_cells *c = cells_of(t);
  _Atomic uint64_t *met = &mpj_segment_window(c->segment, home, control)->met;
  if (all == 0) return atomic_load_explicit(met, memory_order_acquire);
  const uint64_t now = atomic_fetch_add(met, 1) + 1;
  if (now == all)
    for (int i = 0; i < c->nranks; i++)
      mpj_segment_wake(c->segment, i);
  return now;
}

void mpj_cells_post(struct mpj_transport *t, unsigned control, unsigned slot, uint64_t turn,
                    const void *body)
{
  struct mpj_cells *c = cells_of(t);
  struct mpj_post *post = &mpj_segment_window(c->segment, c->rank, control)->slot[slot].post;
  memcpy(post->body, body, sizeof post->body);
  atomic_store_explicit(&post->turn, turn, memory_order_seq_cst);
  for (int peer = 0; peer < c->nranks; peer++)
    if (peer != c->rank) mpj_segment_wake(c->segment, peer);
}

bool mpj_cells_look(struct mpj_transport *t, int peer, unsigned control, unsigned slot,
                    uint64_t turn, void *body)
{
  struct mpj_post *post = &mpj_segment_window(cells_of(t)->segment, peer, control)->slot[slot].post;
  if (atomic_load_explicit(&post->turn, memory_order_seq_cst) != turn) return false;
  memcpy(body, post->body, sizeof post->body);
  return true;
}

unsigned char *mpj_cells_board(struct mpj_transport *t, int peer, size_t *bytes)
{
  return mpj_segment_board(cells_of(t)->segment, peer, bytes);
}

struct mpj_control_window *mpj_cells_window(struct mpj_transport *t, unsigned control)
{
  struct mpj_cells *c = cells_of(t);
  return mpj_segment_window(c->segment, c->rank, control);
}

/* Exposures, the owner's side */

int mpj_cells_expose(struct mpj_transport *t, const struct mpj_view *view, void *base,
                     unsigned pulls, mpj_am_complete_fn *sent, void *arg,
                     struct mpj_am_remote *remote)
{
  struct mpj_cells *c = cells_of(t);
  const unsigned i = c->free_list;
  if (i == MPJ_EXPOSURE_NONE) return MPJ_AM_AGAIN;
  struct mpj_cells_exposed *x = &c->exposed[i];
  struct mpj_exposure *e = mpj_segment_exposure(c->segment, c->rank, i);
  MPJ_Aint start;
  const bool dense = mpj_view_dense(view, &start);
  if (!dense) mpj_exposure_describe(e, view, base);
  c->free_list = x->next;
  atomic_store_explicit(&e->owner_data, x, memory_order_relaxed);
  x->view = *view;
  x->base = base;
  x->sent = sent;
  x->arg = arg;
  x->next = c->open_list;
  c->open_list = i;
  mpj_share_reset(e, mpj_exposure_next(e));
  x->generation = mpj_exposure_open(e, pulls);
  remote->id = mpj_exposure_id(i, x->generation);
  remote->address = dense ? (uint64_t)((uintptr_t)base + (uintptr_t)start) : 0;
  return MPJ_SUCCESS;
}

/* Move entry i from the open to the free list; `link` is what points to it. */
static void free_exposed(struct mpj_cells *c, unsigned *link, unsigned i)
{
  *link = c->exposed[i].next;
  c->exposed[i].generation = 0;
  c->exposed[i].next = c->free_list;
  c->free_list = i;
}

struct mpj_cells_exposed *mpj_cells_exposed_by_id(struct mpj_cells *c, uint64_t id)
{
  const unsigned i = mpj_exposure_index(id);
  if (i >= MPJ_EXPOSURES || mpj_exposure_generation(id) == 0) return NULL;
  return c->exposed[i].generation == mpj_exposure_generation(id) ? &c->exposed[i] : NULL;
}

static bool any_rank_died(struct mpj_cells *c)
{
  for (int i = 0; i < c->nranks; i++)
    if (mpj_cells_peer_state(&c->head, i, NULL) == MPJ_RANK_DEAD) return true;
  return false;
}

/* Whether to wait no longer for a reader. A process that was killed in the middle
 * never says that it has ended; a live one reads for some milliseconds at most.
 * A thread always ends its read. */
static bool reader_is_lost(struct mpj_cells *c, double begun)
{
  enum { PATIENCE_S = 1 };
  return c->segment->config.shared && MPJ_Wtime() - begun > PATIENCE_S && any_rank_died(c);
}

int mpj_cells_withdraw(struct mpj_transport *t, const struct mpj_am_remote *remote, bool known)
{
  (void)known; /* peers look at the exposure's word */
  struct mpj_cells *c = cells_of(t);
  struct mpj_cells_exposed *x = mpj_cells_exposed_by_id(c, remote->id);
  if (!x) return MPJ_SUCCESS;
  const unsigned i = mpj_exposure_index(remote->id);
  struct mpj_exposure *e = mpj_segment_exposure(c->segment, c->rank, i);
  const double begun = MPJ_Wtime();
  unsigned idle = 0;
  mpj_exposure_close(e);
  while (mpj_exposure_is_read(e) && !reader_is_lost(c, begun))
    mpj_cells_idle(t, &idle);
  unsigned *link = &c->open_list;
  while (*link != i)
    link = &c->exposed[*link].next;
  free_exposed(c, link, i);
  return MPJ_SUCCESS;
}

/* Whether to help who pulls; where ranks share cores, whoever has data for several leaves it to
 * them, who have the cores as well. */
static bool may_help(const struct mpj_cells *c)
{
  if (c->share_least != MPJ_SHARE_LEAST_CROWDED) return c->share_least != MPJ_SHARE_NEVER;
  return c->exposed[c->open_list].next == MPJ_EXPOSURE_NONE;
}

/* Close the exposures that everybody has pulled, and tell their owners. */
static bool poll_exposures(struct mpj_cells *c)
{
  bool moved = false;
  unsigned *link = &c->open_list;
  while (*link != MPJ_EXPOSURE_NONE) {
    const unsigned i = *link;
    const struct mpj_cells_exposed x = c->exposed[i];
    struct mpj_exposure *e = mpj_segment_exposure(c->segment, c->rank, i);
    if (!mpj_exposure_is_finished(e)) {
      if (may_help(c) && mpj_share_is_open(e)) moved |= c->help(c, i);
      link = &c->exposed[i].next;
      continue;
    }
    mpj_exposure_close(e);
    free_exposed(c, link, i);
    x.sent(x.arg, MPJ_SUCCESS);
    moved = true;
    link = &c->open_list; /* sent may have opened or closed others */
  }
  return moved;
}

int mpj_cells_decline(struct mpj_transport *t, int source, const struct mpj_am_remote *remote)
{
  struct mpj_cells *c = cells_of(t);
  const unsigned i = mpj_exposure_index(remote->id);
  if (i >= MPJ_EXPOSURES) return MPJ_SUCCESS;
  mpj_exposure_take(mpj_segment_exposure(c->segment, source, i),
                    mpj_exposure_generation(remote->id));
  mpj_segment_wake(c->segment, source);
  return MPJ_SUCCESS;
}

/* Receiving */

static void return_slot(struct mpj_cells *c, int source, unsigned slot)
{
  atomic_fetch_or_explicit(&c->peers[source].in_pair->returned, UINT32_C(1) << slot,
                           memory_order_release);
}

void mpj_cells_release(struct mpj_transport *t, const struct mpj_am_kept *kept)
{
  return_slot(cells_of(t), kept->source, kept->slot);
}

/* Describe the payload of an eager cell; false if the cell makes no sense. */
static bool find_payload(struct mpj_cells *c, const struct mpj_cell *cell, struct mpj_am_kept *kept)
{
  uint32_t length;
  memcpy(&length, cell->body + LENGTH_AT, sizeof length);
  if (cell->slot >= c->segment->config.tokens || length > c->segment->config.eager_bytes)
    return false;
  kept->slot = cell->slot;
  kept->bytes = length;
  kept->payload = mpj_segment_slot(c->segment, c->rank, kept->source, kept->slot);
  return true;
}

static void deliver(struct mpj_cells *c, const struct mpj_am_kept *kept,
                    const struct mpj_am_dest *dest)
{
  assert(mpj_cursor_remaining(dest->cursor) >= kept->bytes);
  mpj_cursor_unpack(dest->cursor, kept->payload, kept->bytes);
  return_slot(c, kept->source, kept->slot);
  dest->complete(dest->arg, MPJ_SUCCESS);
}

/* Run the handler of one cell, of which this is our copy. */
static void receive(struct mpj_cells *c, int source, const struct mpj_cell *cell)
{
  struct mpj_am_arrival arrival = {.source = source,
                                   .header = cell->body,
                                   .header_bytes = cell->bytes,
                                   .has_payload = cell->slot != MPJ_NO_SLOT,
                                   .kept = {.source = source}};
  struct mpj_am_dest dest;
  if (cell->bytes > MPJ_CELL_BODY ||
      (arrival.has_payload && !find_payload(c, cell, &arrival.kept))) {
    mpj_warn("rank %d dropped a malformed message from rank %d", c->rank, source);
    return;
  }
  switch (mpj_net_dispatch(&c->net, cell->handler, &arrival, &dest)) {
  case MPJ_AM_DONE:
    if (arrival.has_payload) return_slot(c, source, arrival.kept.slot);
    break;
  case MPJ_AM_DELIVER:
    deliver(c, &arrival.kept, &dest);
    break;
  case MPJ_AM_KEEP:
    break;
  }
}

/* Cells that a peer sends one after another, faster than they are read, are there before
 * they are looked at. A look at one that is not would take its line from the peer. */
static void look_ahead(struct mpj_cells *c, struct mpj_cells_peer *p)
{
  if (!c->waited && p->in_a_row >= IN_A_ROW)
    for (uint32_t i = 0; i < AHEAD; i++)
      __builtin_prefetch(&p->in[(p->head + i) % MPJ_RING_CELLS]);
  c->waited = false;
}

static bool poll_peer(struct mpj_cells *c, int source)
{
  struct mpj_cells_peer *p = &c->peers[source];
  const uint32_t first = p->head;
  while (p->head - first < CELLS_PER_POLL && !c->net.enough) {
    struct mpj_cell *cell = &p->in[p->head % MPJ_RING_CELLS];
    if (atomic_load_explicit(&cell->turn, memory_order_acquire) != p->head + 1) break;
    struct mpj_cell copy;
    copy.handler = cell->handler;
    copy.bytes = cell->bytes;
    copy.slot = cell->slot;
    memcpy(copy.body, cell->body, sizeof copy.body);
    p->head++;
    p->in_a_row++;
    receive(c, source, &copy);
  }
  if (p->head == first) return false;
  look_ahead(c, p);
  mpj_cells_look_for(c, source);
  atomic_store_explicit(&p->in_pair->consumed, p->head, memory_order_release);
  return true;
}

bool mpj_cells_poll_from(struct mpj_transport *t, int peer)
{
  struct mpj_cells *c = cells_of(t);
  const struct mpj_cells_look *look = &c->looks[peer];
  return atomic_load_explicit(look->turn, memory_order_relaxed) == look->next && poll_peer(c, peer);
}

bool mpj_cells_poll(struct mpj_transport *t)
{
  struct mpj_cells *c = cells_of(t);
  bool moved = false;
  for (int peer = 0; peer < c->nranks; peer++)
    moved |= mpj_cells_poll_from(t, peer);
  if (c->open_list != MPJ_EXPOSURE_NONE) moved |= poll_exposures(c);
  if (c->poll_long) moved |= c->poll_long(c);
  return moved;
}

enum mpj_rank_state mpj_cells_peer_state(struct mpj_transport *t, int peer, int *cause)
{
  struct mpj_rank_line *line = mpj_segment_rank(cells_of(t)->segment, peer);
  const uint32_t state = atomic_load_explicit(&line->state, memory_order_acquire);
  if (cause) *cause = atomic_load_explicit(&line->cause, memory_order_relaxed);
  return state > MPJ_RANK_DEAD ? MPJ_RANK_DEAD : (enum mpj_rank_state)state;
}

uint32_t mpj_cells_changes(struct mpj_transport *t)
{
  return atomic_load_explicit(&cells_of(t)->segment->changes, memory_order_acquire);
}
