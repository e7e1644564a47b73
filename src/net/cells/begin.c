/* This file sets an endpoint up in a segment, and takes it down. */
#include <string.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/cells/cells.h"
#include "net/cells/exposure.h"
#include "net/cells/fence.h"
#include "net/cells/fill.h"
#include "net/cells/inbox.h"
#include "net/cells/settings.h"
#include "net/cells/share.h"
#include "net/waiting.h"

/* Positions begin at the sender's rank: rings are 4 KiB apart, and if they were all
 * at one place, the cells that a poll looks at would share one set of the cache. */
struct mpj_cells_peer *mpj_cells_meet(struct mpj_cells *c, int peer)
{
  struct mpj_cells_peer *p = &c->peers[peer];
  if (p->met) return p;
  p->met = true;
  p->head = (uint32_t)peer;
  p->tail = (uint32_t)c->rank;
  return p;
}

uint32_t mpj_cells_all_tokens(const struct mpj_cells *c)
{
  const long tokens = c->segment->config.tokens;
  return tokens == 32 ? UINT32_MAX : (UINT32_C(1) << tokens) - 1;
}

/* Where each rank has a ring from each, they are numbered as their senders. */
static void connect_peer(struct mpj_cells *c, int peer)
{
  struct mpj_segment *s = c->segment;
  struct mpj_cells_peer *p = mpj_cells_meet(c, peer);
  p->in = mpj_segment_ring(s, c->rank, peer);
  p->in_pair = mpj_segment_pair(s, c->rank, peer);
  p->in_ring = (uint8_t)peer;
  p->out = mpj_segment_ring(s, peer, c->rank);
  p->out_pair = mpj_segment_pair(s, peer, c->rank);
  p->out_ring = (uint8_t)c->rank;
  p->mask = MPJ_RING_CELLS - 1;
  p->left = MPJ_RING_CELLS;
  p->tokens = p->all = mpj_cells_all_tokens(c);
  c->looks[peer].peer = peer;
  mpj_cells_look_for(c, peer);
}

/* Or they are given by and by. */
static void begin_inbox(struct mpj_cells *c)
{
  for (int ring = 0; ring < c->nlooks; ring++)
    c->looks[ring] = (struct mpj_cells_look){&c->never, UINT32_MAX, -1};
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

static void release_memory(struct mpj_cells *c)
{
  mpj_free_table(c->exposed, MPJ_EXPOSURES, sizeof *c->exposed);
  mpj_free(c->heard);
  mpj_free_table(c->letters, (size_t)c->nranks, sizeof *c->letters);
  mpj_free(c->looks);
  mpj_free_table(c->peers, (size_t)c->nranks, sizeof *c->peers);
  mpj_bits_end(&c->net.leaving);
}

int mpj_cells_begin(struct mpj_cells *c, struct mpj_segment *segment, int rank)
{
  char names[MPJ_SETTINGS_TEXT];
  if (segment->config.settings != mpj_settings_digest())
    return mpj_error(MPJ_ERR_ARG, "rank %d has other %s settings than its launcher", rank,
                     mpj_settings_name(segment->config.settings_each, names));
  c->segment = segment;
  c->rank = rank;
  c->nranks = segment->config.nranks;
  c->sleep_ns = mpj_config()->sleep_us * 1000;
  c->spin = should_spin(c);
  c->share_least = share_least(c);
  c->past_least = mpj_slot_past_least(c);
  c->light_fence = !mpj_segment_sleepers_fence(segment) || mpj_fence_register();
  c->peers = mpj_alloc_table((size_t)c->nranks, sizeof *c->peers);
  c->exposed = mpj_alloc_table(MPJ_EXPOSURES, sizeof *c->exposed);
  c->nlooks = segment->config.rings;
  c->inbox = mpj_segment_inbox(segment, rank);
  c->looks = mpj_alloc_array((size_t)c->nlooks, sizeof *c->looks);
  c->heard = mpj_alloc_array((size_t)c->nlooks, sizeof *c->heard);
  if (c->inbox) c->letters = mpj_alloc_table((size_t)c->nranks, sizeof *c->letters);
  if (!c->peers || !c->looks || !c->heard || (c->inbox && !c->letters) || !c->exposed) {
    release_memory(c);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's endpoint to %d ranks", rank,
                     c->nranks);
  }
  if (c->inbox) begin_inbox(c);
  for (int peer = 0; peer < c->nranks && !c->inbox; peer++)
    connect_peer(c, peer);
  c->free_list = c->open_list = MPJ_EXPOSURE_NONE;
  c->head.net = &c->net;
  c->net.rank = rank;
  c->net.size = c->nranks;
  c->net.eager_bytes = segment->config.eager_bytes;
  c->net.shares_all = true;
  c->net.one_process = !segment->config.shared;
  c->net.cores = segment->config.cores;
  c->net.core = mpj_core_shared(&mpj_segment_rank(segment, 0)->clock,
                                sizeof(struct mpj_rank_line), c->nranks, c->net.cores);
  c->net.near = c->head.ops->name;
  c->net.changes = &segment->changes;
  c->net.transport = &c->head;
  if (!mpj_segment_claim(segment, rank)) {
    release_memory(c);
    return mpj_error(MPJ_ERR_INTERNAL, "rank %d has been taken already", rank);
  }
  atomic_store(&mpj_segment_rank(segment, rank)->pid, (int32_t)getpid());
  atomic_store(&mpj_segment_rank(segment, rank)->clock, mpj_core_clock(segment->config.shared));
  return MPJ_SUCCESS;
}

void mpj_cells_end(struct mpj_cells *c, enum mpj_rank_state state, int cause)
{
  for (unsigned i = c->open_list; i != MPJ_EXPOSURE_NONE; i = c->open_list) {
    const struct mpj_am_remote remote = {mpj_exposure_id(i, c->exposed[i].generation), 0};
    mpj_cells_withdraw(&c->head, &remote, true);
  }
  mpj_segment_mark(c->segment, c->rank, state, cause);
  release_memory(c);
}
