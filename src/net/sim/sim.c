/* This file runs a simulated machine: what is sent goes through ports and links, and comes. */
#include "net/sim/sim.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/wtime.h"
#include "net/sim/state.h"

/* Kinds of events. LINKS: the head of an item sets out on its way; PORT: it is at the receiver's
 * port; THERE: all of it is there; NOTHING: it was cut off. NOTICE: the rank hears of a death.
 * LOOK: its core is free, and sees to what has come meanwhile. */
enum { TIMER, LINKS, PORT, THERE, NOTICE, LOOK, NOTHING };

static void add_dimension(struct mpj_net_grid *grid, int n, bool periodic)
{
  grid->dims[grid->ndims] = n;
  grid->periodic[grid->ndims++] = periodic;
}

/* How ranks lie, where they fill the machine: the dimensions of its nodes, or the levels of its
 * switches, the highest first; then the ranks of a node. */
static void find_grid(const struct mpj_sim_machine *m, struct mpj_net_grid *grid)
{
  const bool full = m->kind != MPJ_SIM_FLAT && mpj_sim_nodes(m) * m->ranks_per_node == m->ranks;
  for (int i = 0; full && i < m->ndims; i++)
    add_dimension(grid, m->dims[m->kind == MPJ_SIM_FATTREE ? m->ndims - 1 - i : i],
                  m->kind == MPJ_SIM_TORUS);
  if (full) add_dimension(grid, m->ranks_per_node, false);
}

int mpj_sim_create(const struct mpj_sim_machine *machine, uint64_t seed, struct mpj_sim **out)
{
  int status = mpj_sim_machine_check(machine);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_sim *sim = mpj_alloc_array(1, sizeof *sim);
  if (!sim) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a simulated machine");
  sim->machine = *machine;
  sim->random = seed;
  find_grid(machine, &sim->grid);
  const size_t n = (size_t)machine->ranks;
  status = mpj_sim_links_begin(&sim->links, &sim->machine);
  if (status != MPJ_SUCCESS) goto free_sim;
  sim->ranks = mpj_alloc_array(n, sizeof *sim->ranks);
  sim->ports = mpj_alloc_array((size_t)mpj_sim_nodes(machine), sizeof *sim->ports);
  if (sim->ranks && sim->ports) {
    *out = sim;
    return MPJ_SUCCESS;
  }
  status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a simulated machine of %zu ranks", n);
  mpj_free(sim->ports);
  mpj_free(sim->ranks);
  mpj_sim_links_end(&sim->links);
free_sim:
  mpj_free(sim);
  return status;
}

struct mpj_sim_virtual *mpj_sim_virtual(struct mpj_sim *sim)
{
  return &sim->virtual;
}

static void drop_list(struct mpj_sim *sim, struct mpj_sim_item *item)
{
  while (item) {
    struct mpj_sim_item *next = item->next;
    mpj_sim_drop_item(sim, item);
    item = next;
  }
}

void mpj_sim_free(struct mpj_sim *sim)
{
  mpj_clock_simulated = NULL;
  int64_t time;
  while (sim->events.n > 0) {
    const struct mpj_sim_event e = mpj_sim_take(&sim->events, &time);
    if (e.what) mpj_sim_drop_item(sim, e.what);
  }
  for (int i = 0; i < sim->machine.ranks; i++)
    drop_list(sim, sim->ranks[i].first);
  while (sim->free_items) {
    struct mpj_sim_item *item = sim->free_items;
    sim->free_items = item->next;
    mpj_free(item);
  }
  mpj_sim_events_end(&sim->events);
  mpj_sim_links_end(&sim->links);
  for (unsigned i = 0; i < sim->nexposures; i++) {
    mpj_free(sim->exposures[i].put);
    mpj_sim_extents_end(&sim->exposures[i].extents);
  }
  mpj_sim_extents_end(&sim->kept.extents);
  mpj_sim_virtual_end(&sim->virtual);
  mpj_free(sim->exposures);
  mpj_free(sim->ports);
  mpj_free(sim->ranks);
  mpj_free(sim);
}

struct mpj_sim_item *mpj_sim_new_item(struct mpj_sim *sim)
{
  struct mpj_sim_item *item = sim->free_items;
  if (item)
    sim->free_items = item->next;
  else
    item = mpj_alloc(sizeof *item);
  if (item)
    memset(item, 0, offsetof(struct mpj_sim_item, header));
  else
    sim->out_of_memory = true;
  return item;
}

void mpj_sim_drop_item(struct mpj_sim *sim, struct mpj_sim_item *item)
{
  mpj_free(item->payload);
  item->next = sim->free_items;
  sim->free_items = item;
}

static void put(struct mpj_sim *sim, int64_t time, int kind, int rank, void *what)
{
  if (mpj_sim_put(&sim->events, time, kind, rank, what)) return;
  sim->out_of_memory = true;
  if (what) mpj_sim_drop_item(sim, what);
}

void mpj_sim_deliver_at(struct mpj_sim *sim, struct mpj_sim_item *item, int64_t time)
{
  item->time = time;
  put(sim, time, THERE, item->to, item);
}

/* G of the slowest that it goes through. */
static int64_t slowest(const struct mpj_sim_machine *m)
{
  return m->kind != MPJ_SIM_FLAT && m->link_byte_fs > m->byte_fs ? m->link_byte_fs : m->byte_fs;
}

int64_t mpj_sim_send(struct mpj_sim *sim, struct mpj_sim_item *item, int64_t time)
{
  const struct mpj_sim_machine *m = &sim->machine;
  const int from = mpj_sim_node(sim, item->from), to = mpj_sim_node(sim, item->to);
  const bool near = from == to;
  const int64_t tail = mpj_sim_tail_ps(item->wire_bytes, near ? m->node_byte_fs : m->byte_fs);
  if (m->jitter_ps > 0) time += (int64_t)(mpj_sim_draw(sim) % (uint64_t)(m->jitter_ps + 1));
  int64_t *out = near ? &sim->ranks[item->from].near_out : &sim->ports[from].out;
  if (time < *out) time = *out;
  *out = time + tail + (near ? 0 : m->g_ps);
  item->leaves = time + tail;
  sim->counts.messages++;
  sim->counts.bytes += item->wire_bytes;
  if (near)
    mpj_sim_deliver_at(sim, item, time + m->node_latency_ps + tail);
  else if (m->kind == MPJ_SIM_FLAT)
    put(sim, time + m->latency_ps, PORT, item->to, item);
  else
    put(sim, time, LINKS, item->to, item);
  return time + tail;
}

void mpj_sim_busy(struct mpj_sim_rank *r, int64_t ps)
{
  r->now += ps;
  if (r == r->sim->running) r->sim->clock_ns = r->now / 1000;
}

/* The thread acts for this rank from here on. */
static void run(struct mpj_sim_rank *r)
{
  r->sim->running = r;
  r->sim->clock_ns = r->now / 1000;
  mpj_clock_simulated = &r->sim->clock_ns;
}

/* It is there. Returns whether its receiver has to be told. */
static bool arrive(struct mpj_sim *sim, struct mpj_sim_item *item)
{
  struct mpj_sim_rank *r = &sim->ranks[item->to];
  if (item->kind == MPJ_SIM_REQUEST || item->kind == MPJ_SIM_DECLINE) {
    sim->serve(sim, item);
    return false;
  }
  const bool gone = r->state != MPJ_RANK_ACTIVE;
  if (gone && item->kind != MPJ_SIM_PULLED) {
    mpj_sim_drop_item(sim, item);
    return false;
  }
  if (gone) item->status = MPJ_ERR_PEER; /* its layouts are its own again */
  item->next = NULL;
  if (r->first)
    r->last->next = item;
  else
    r->first = item;
  r->last = item;
  return r->in_call && !gone;
}

/* Its head is at the receiver's port, which takes the bytes of one at a time, by its own G; the
 * last byte is not there before the slowest of the way has brought it. */
static bool take_in(struct mpj_sim *sim, struct mpj_sim_item *item, int64_t now)
{
  struct mpj_sim_port *port = &sim->ports[mpj_sim_node(sim, item->to)];
  const int64_t gap = mpj_sim_is_word(item) ? 0 : sim->machine.g_ps;
  const int64_t free = port->in - (sim->machine.g_ps - gap); /* still behind all that came before */
  const int64_t begin = now > free ? now : free;
  const int64_t taken = begin + mpj_sim_tail_ps(item->wire_bytes, sim->machine.byte_fs);
  const int64_t brought = now + mpj_sim_tail_ps(item->wire_bytes, slowest(&sim->machine));
  const int64_t all = taken > brought ? taken : brought;
  if (port->in < taken + gap) port->in = taken + gap;
  if (all == now || mpj_sim_is_quiet(&sim->events, all)) { /* nothing comes before it */
    item->time = all;
    return arrive(sim, item);
  }
  mpj_sim_deliver_at(sim, item, all);
  return false;
}

/* Of a death: the dead rank's own news are the first, and from then on the others see it. Returns
 * whether the rank is to be told. */
static bool hear(struct mpj_sim *sim, int rank)
{
  struct mpj_sim_rank *r = &sim->ranks[rank];
  if (r->state == MPJ_RANK_DEAD && !r->noticed) {
    r->noticed = true;
    atomic_fetch_add(&sim->changes, 1);
  }
  return r->state == MPJ_RANK_ACTIVE && r->in_call;
}

/* Whether the rank of the event is to be told. */
static bool happen(struct mpj_sim *sim, const struct mpj_sim_event *e, int64_t time)
{
  struct mpj_sim_item *item = e->what;
  switch (e->kind) {
  case LINKS:
    put(sim,
        mpj_sim_route(&sim->links, mpj_sim_node(sim, item->from), mpj_sim_node(sim, item->to),
                      item->wire_bytes, time),
        PORT, item->to, item);
    return false;
  case PORT:
    return take_in(sim, item, time);
  case THERE:
    return arrive(sim, item);
  case NOTICE:
    return hear(sim, e->rank);
  case NOTHING:
    return false;
  case LOOK:
    sim->ranks[e->rank].looks = false;
    return sim->ranks[e->rank].in_call && sim->ranks[e->rank].first;
  default:
    return sim->ranks[e->rank].state == MPJ_RANK_ACTIVE;
  }
}

/* Whether the rank looks later, at all that has come by then: its core is busy; or it is a word
 * that has been set, and others may be set at the same time. */
static bool looks_later(struct mpj_sim *sim, const struct mpj_sim_event *e, int64_t time)
{
  struct mpj_sim_rank *r = &sim->ranks[e->rank];
  if (e->kind == TIMER || e->kind == NOTICE) return false;
  const bool more =
      e->kind != LOOK && mpj_sim_is_word(r->last) && !mpj_sim_is_quiet(&sim->events, time);
  if (r->now <= time && !more) return false;
  if (!r->looks) put(sim, r->now > time ? r->now : time, LOOK, e->rank, NULL);
  r->looks = true;
  return true;
}

void mpj_sim_at(struct mpj_sim *sim, int rank, int64_t time)
{
  put(sim, time, TIMER, rank, NULL);
}

/* Fetch what the events after this one need, a little at a time: many ranks' state is in no cache,
 * and what is needed of it lies behind pointers that have to be there first. */
static void fetch_ahead(const struct mpj_sim *sim)
{
  static const unsigned ahead[MPJ_SIM_FETCHES] = {24, 18, 12, 6};
  const struct mpj_sim_event *e = mpj_sim_ahead(&sim->events, ahead[0]);
  if (e && e->what) {
    mpj_sim_fetch(e->what, sizeof(struct mpj_sim_item));
    __builtin_prefetch(&sim->ports[mpj_sim_node(sim, e->rank)], 1);
  }
  for (int stage = 0; stage < MPJ_SIM_FETCHES; stage++) {
    e = mpj_sim_ahead(&sim->events, ahead[stage]);
    if (!e || e->kind == PORT || e->kind == LINKS) continue;
    if (stage == 0) mpj_sim_fetch(&sim->ranks[e->rank], sizeof(struct mpj_sim_rank));
    if (sim->fetch) sim->fetch(sim->fetch_ctx, e->rank, stage);
  }
}

bool mpj_sim_next(struct mpj_sim *sim, struct mpj_sim_news *news)
{
  int64_t time;
  while (sim->events.n > 0 && !sim->out_of_memory && sim->eager_virtual == 0) {
    const struct mpj_sim_event e = mpj_sim_take(&sim->events, &time);
    sim->counts.events++;
    fetch_ahead(sim);
    if (!happen(sim, &e, time) || looks_later(sim, &e, time)) continue;
    struct mpj_sim_rank *r = &sim->ranks[e.rank];
    if (e.kind == NOTICE && r->now < time) r->now = time;
    run(r);
    *news = (struct mpj_sim_news){e.kind == TIMER ? MPJ_SIM_TIMER : MPJ_SIM_NEWS, e.rank, time};
    return true;
  }
  return false;
}

int mpj_sim_status(const struct mpj_sim *sim)
{
  if (sim->eager_virtual > 0)
    return mpj_error(MPJ_ERR_UNSUPPORTED,
                     "a message of %lld bytes of virtual payload is eager: it must have more than "
                     "%ld, or the payload be real",
                     (long long)sim->eager_virtual, sim->ranks[0].net.eager_bytes);
  if (!sim->out_of_memory) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for what is on its way on the simulated machine");
}

void mpj_sim_enter(struct mpj_sim *sim, int rank, int64_t time)
{
  struct mpj_sim_rank *r = &sim->ranks[rank];
  if (r->now < time) r->now = time;
  r->in_call = true;
  run(r);
}

bool mpj_sim_waits(const struct mpj_sim *sim, int rank)
{
  return sim->ranks[rank].first != NULL;
}

static bool is_cut_off(const struct mpj_sim_event *e, const struct mpj_sim_rank *dead)
{
  const struct mpj_sim_item *item = e->what;
  return item && item->kind == MPJ_SIM_PULLED && item->from == dead->net.rank &&
         item->status == MPJ_SUCCESS && item->leaves > dead->died_ps;
}

/* Data that has not left when its owner dies never comes: who pulls it waits until it knows. What a
 * core has sent is the port's, and goes on. */
static void cut_off(struct mpj_sim *sim, const struct mpj_sim_rank *dead)
{
  struct mpj_sim_item *cut = NULL;
  for (size_t i = 0; i < sim->events.nrows; i++) {
    const struct mpj_sim_row *row = sim->events.heap[i].row;
    for (size_t k = row->taken; k < row->n; k++)
      if (is_cut_off(&row->at[k], dead)) {
        struct mpj_sim_item *item = row->at[k].what;
        row->at[k].kind = NOTHING;
        row->at[k].what = NULL;
        item->status = MPJ_ERR_PEER;
        item->next = cut;
        cut = item;
      }
  }
  while (cut) {
    struct mpj_sim_item *item = cut;
    cut = item->next;
    mpj_sim_deliver_at(sim, item, dead->noticed_ps);
  }
}

void mpj_sim_kill(struct mpj_sim *sim, int rank, int cause)
{
  struct mpj_sim_rank *r = &sim->ranks[rank];
  if (r->state != MPJ_RANK_ACTIVE) return;
  r->state = MPJ_RANK_DEAD;
  r->cause = cause;
  r->died_ps = r->now;
  r->noticed_ps = r->now + sim->machine.notice_ps;
  put(sim, r->noticed_ps, NOTICE, rank, NULL);
  for (int i = 0; i < sim->machine.ranks; i++)
    if (sim->ranks[i].state == MPJ_RANK_ACTIVE) put(sim, r->noticed_ps, NOTICE, i, NULL);
  cut_off(sim, r);
}

void mpj_sim_stop(struct mpj_sim *sim)
{
  for (int i = 0; i < sim->machine.ranks; i++)
    if (sim->ranks[i].state == MPJ_RANK_ACTIVE)
      sim->ranks[i].state = MPJ_RANK_FINALIZED;
    else
      sim->ranks[i].noticed = true;
  atomic_fetch_add(&sim->changes, 1);
  int64_t time;
  while (sim->events.n > 0) {
    const struct mpj_sim_event e = mpj_sim_take(&sim->events, &time);
    struct mpj_sim_item *item = e.what;
    if (item && item->kind == MPJ_SIM_REQUEST) {
      item->kind = MPJ_SIM_PULLED;
      item->to = item->from;
    }
    if (item) arrive(sim, item);
  }
}

int64_t mpj_sim_time(const struct mpj_sim *sim, int rank)
{
  return sim->ranks[rank].now;
}

void mpj_sim_reduces(struct mpj_sim *sim, int64_t bytes)
{
  if (sim->running) mpj_sim_busy(sim->running, bytes * sim->machine.reduce_byte_fs / 1000);
}

void mpj_sim_count(const struct mpj_sim *sim, struct mpj_sim_counts *counts)
{
  *counts = sim->counts;
  counts->hops = sim->links.hops;
  counts->waited_ps = sim->links.waited_ps;
  for (int64_t i = 0; i < sim->links.nlinks; i++)
    if (sim->links.carried[i] > counts->busiest_link_bytes)
      counts->busiest_link_bytes = sim->links.carried[i];
}

struct mpj_sim_rank_counts mpj_sim_rank_count(const struct mpj_sim *sim, int rank)
{
  return sim->ranks[rank].counts;
}

void mpj_sim_watch(struct mpj_sim *sim, mpj_sim_see_fn *see, void *ctx)
{
  sim->see = see;
  sim->see_ctx = ctx;
}

void mpj_sim_fetch_by(struct mpj_sim *sim, mpj_sim_fetch_fn *fetch, void *ctx)
{
  sim->fetch = fetch;
  sim->fetch_ctx = ctx;
}
