/* This file reads and writes the words of control windows. */
#include "coll/control/signals.h"

#include <string.h>

#include "base/config/config.h"
#include "coll/control/messages.h"
#include "coll/control/own_windows.h"

/* A locked instruction on a line that the peer's core holds waits for it to come over; so
 * each signal asks for the line of the one after the next. */
enum { AHEAD = 2 };

/* As much as the early-arrival slots of a pair hold, where there is room for that. */
static size_t board_bytes(void)
{
  const struct mpj_config *c = mpj_config();
  const size_t wanted = (size_t)c->eager_bytes * (size_t)c->eager_tokens;
  return wanted < MPJ_BOARD_BYTES ? wanted : MPJ_BOARD_BYTES;
}

void mpj_control_begin(struct mpj_control *control, struct mpj_net *net, void (*give_up)(void *ctx),
                       void *ctx)
{
  *control = (struct mpj_control){.net = net, .give_up = give_up, .ctx = ctx};
  if (!net) return;
  control->end = MPJ_FIRST_CONTROLS;
  control->common = mpj_net_common(net, net->rank, 0);
  control->board_bytes = board_bytes();
  if (!net->shares_all) mpj_told_begin(control);
}

void mpj_control_end(struct mpj_control *control)
{
  mpj_control_end_windows(control);
  if (control->net && (!control->net->shares_all || control->lacks_memory)) mpj_told_end(control);
  *control = (struct mpj_control){0};
}

static MPJ_ASIDE unsigned char *further_of(struct mpj_control *control, int peer, unsigned number)
{
  unsigned char *extent = mpj_net_common(control->net, peer, mpj_window_extent(number));
  if (!extent && mpj_net_common(control->net, peer, 0)) mpj_told_lacks_memory(control);
  return extent;
}

/* The extent of a peer's common memory with its window of that number. NULL: there is none, or it
 * cannot be had; then nothing may go on. */
static inline unsigned char *extent_of(struct mpj_control *control, int peer, unsigned number)
{
  if (number < MPJ_FIRST_CONTROLS)
    return mpj_net_common(control->net, peer, mpj_window_extent(number));
  return further_of(control, peer, number);
}

int mpj_control_signal(struct mpj_control *control, int peer, unsigned number, unsigned slot,
                       unsigned bit)
{
  unsigned char *extent = extent_of(control, peer, number);
  if (!extent && control->lacks_memory) return MPJ_AM_AGAIN;
  if (!extent) return mpj_tell_signal(control, peer, number, slot, bit);
  struct mpj_control_window *window = mpj_window_at(extent, number);
  mpj_atomic_bits_set(&window->slot[slot].arrived, bit);
  __builtin_prefetch(&window->slot[(slot + AHEAD) % MPJ_WINDOW], 1);
  mpj_net_wake(control->net, peer);
  return MPJ_SUCCESS;
}

uint64_t mpj_control_done(struct mpj_control *control, int peer, unsigned number)
{
  unsigned char *extent = extent_of(control, peer, number);
  if (!extent && control->lacks_memory) return 0;
  if (!extent) return mpj_told_done(control, peer, number);
  return atomic_load_explicit(&mpj_window_at(extent, number)->done, memory_order_acquire);
}

uint64_t mpj_control_meet(struct mpj_control *control, int home, unsigned number, unsigned slot,
                          uint64_t term, uint64_t all)
{
  unsigned char *extent = extent_of(control, home, number);
  if (!extent && control->lacks_memory) return all - 1;
  if (!extent) return mpj_told_meet(control, home, number, slot, term, all);
  _Atomic uint64_t *met = &mpj_window_at(extent, number)->met[slot];
  if (term == 0) return atomic_load_explicit(met, memory_order_acquire);
  return mpj_control_count_in(control, met, term, all);
}

void mpj_control_post(struct mpj_control *control, unsigned number, unsigned slot, uint64_t turn,
                      const void *body)
{
  struct mpj_net *net = control->net;
  const int64_t begun = net->watch ? mpj_clock_ns() : 0;
  struct mpj_post *post = mpj_control_post_at(control, number, slot);
  memcpy(post->body, body, sizeof post->body);
  atomic_store_explicit(&post->turn, turn, memory_order_seq_cst);
  mpj_net_wake(net, MPJ_NET_EVERYBODY);
  if (net->watch) /* to itself, as it were */
    mpj_watch_note(net->watch, MPJ_WATCH_SHORT, net->rank, MPJ_AM_COLLECTIVE, MPJ_CELL_BODY,
                   MPJ_SUCCESS, begun);
}

bool mpj_control_look(struct mpj_control *control, int peer, unsigned number, unsigned slot,
                      uint64_t turn, void *body)
{
  unsigned char *extent = extent_of(control, peer, number);
  if (!extent) return false;
  struct mpj_post *post = mpj_post_at(extent, number, slot);
  if (atomic_load_explicit(&post->turn, memory_order_seq_cst) != turn) return false;
  memcpy(body, post->body, sizeof post->body);
  return true;
}

unsigned char *mpj_control_published(struct mpj_control *control, int rank)
{
  return mpj_net_common(control->net, rank, 1);
}
