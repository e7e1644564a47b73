/* This file reads and writes what ranks tell each other without a cell: bits, counts,
 * posts, and the state of a rank. */
#include <string.h>

#include "base/bits.h"
#include "base/status.h"
#include "net/cells/cells.h"
#include "net/net.h"

/* A locked instruction on a line that the peer's core holds waits for it to come over; so
 * each signal asks for the line of the one after the next. */
enum { AHEAD = 2 };

static struct mpj_cells *cells_of(struct mpj_transport *t)
{
  return (struct mpj_cells *)t;
}

int mpj_cells_signal(struct mpj_transport *t, int peer, unsigned control, unsigned slot,
                     unsigned bit)
{
  struct mpj_cells *c = cells_of(t);
  struct mpj_control_window *window = mpj_segment_window(c->segment, peer, control);
  struct mpj_control_slot *s = &window->slot[slot];
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

uint64_t mpj_cells_meet(struct mpj_transport *t, int home, unsigned control, unsigned slot,
                        uint64_t term, uint64_t all)
{
  struct mpj_cells *c = cells_of(t);
  _Atomic uint64_t *met = &mpj_segment_window(c->segment, home, control)->met[slot];
  if (term == 0) return atomic_load_explicit(met, memory_order_acquire);
  const uint64_t now = atomic_fetch_add(met, term) + term;
  if (mpj_meet_beyond(now, all) == 0)
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
