/* This header declares what the transports of one machine have in common: an
 * endpoint in a segment that sends cells, packs into slots, sets control bits,
 * polls its rings and waits by occupancy. `threads` and `shm` add how long data
 * moves.
 *
 * Invariants, for each peer:
 *   out: tail - consumed <= MPJ_RING_CELLS       (no cell is overwritten unread)
 *   tokens | slots in flight | returned = all    (each slot has one holder;
 *                                                bits of `returned` beyond all are ignored) */
#ifndef MPJ_SRC_NET_CELLS_CELLS_H
#define MPJ_SRC_NET_CELLS_CELLS_H

#include "base/hot.h"
#include "net/cells/segment.h"
#include "net/net.h"

/* This rank's side of both directions with one peer. */
struct mpj_cells_peer {
  struct mpj_cell *in;       /* ring from the peer */
  struct mpj_pair *in_pair;  /* what we tell the peer */
  uint32_t head;             /* position of the next cell to read */
  uint32_t tail;             /* position of the next cell to write */
  uint32_t consumed;         /* cells of ours that the peer is known to have read */
  uint32_t tokens;           /* slots at the peer that we may fill: a set bit each */
  struct mpj_cell *out;      /* ring to the peer */
  struct mpj_pair *out_pair; /* what the peer tells us */
  uint32_t all;              /* the slots that there are at the peer */
  uint32_t in_a_row;         /* cells read since the last was written */
};

/* The cell that a peer writes next, as a poll looks for it: its turn is `next` once
 * it is written. Apart from the rest, so that a pass over 64 rings that are empty
 * reads one line of this for four of them. */
struct mpj_cells_look {
  const _Atomic uint32_t *turn;
  uint32_t next; /* for this rank itself: what its turn never is */
};

/* An exposure as its owner knows it. */
struct mpj_cells_exposed {
  struct mpj_view view; /* layout and data borrowed */
  void *base;
  mpj_am_complete_fn *sent;
  void *arg;
  uint32_t generation; /* 0 while the entry is free */
  unsigned next;       /* in the list of open or of free entries */
};
enum { MPJ_EXPOSURE_NONE = MPJ_EXPOSURES };

struct mpj_cells {
  struct mpj_transport head; /* first: ops take a pointer to it */
  struct mpj_net net;
  struct mpj_segment *segment;
  int rank, nranks;
  int first;        /* the ring that the next poll looks at first */
  bool spin;        /* the ranks fit the cores: pause, do not yield */
  bool light_fence; /* a sleeper makes this rank's sends pass a fence (fence.h) */
  /* The sleeping word is set, by the waiter with this count: one more poll, then it
   * sleeps. NULL: it is not. */
  const unsigned *armed_by;
  uint32_t alarms;     /* the word's last value but 0: another each time that it is set */
  int64_t share_least; /* bytes from which both sides work at a transfer (share.h), or NEVER */
  long sleep_ns;       /* idle time before sleeping */
  bool waited;         /* since the last cell that was read */
  int64_t idle_since;  /* ns, monotonic clock; when the present idle phase was first looked at */
  struct mpj_cells_peer *peers;      /* [nranks] */
  struct mpj_cells_look *looks;      /* [nranks] */
  struct mpj_cells_exposed *exposed; /* [MPJ_EXPOSURES] */
  unsigned open_list, free_list;     /* heads of the lists of exposures */
  /* Moves long data on; set by the transport; NULL if it has nothing to do. */
  bool (*poll_long)(struct mpj_cells *cells);
  /* Push one chunk of open exposure i to the receiver that shares it, if it still
   * wants it; whether it did. Set by the transport. */
  bool (*help)(struct mpj_cells *cells, unsigned i);
};

/* Whether this rank has data of its own for others to pull. */
static inline bool mpj_cells_gives(const struct mpj_cells *c)
{
  return c->open_list != MPJ_EXPOSURE_NONE;
}

/* Set the endpoint of `rank` up in a valid segment. Errors: MPJ_ERR_NO_MEM,
 * MPJ_ERR_ARG (this process's settings differ from the segment's),
 * MPJ_ERR_INTERNAL (the rank has been taken). On success
 * mpj_cells_end must follow. The caller sets head.ops before. */
int mpj_cells_begin(struct mpj_cells *cells, struct mpj_segment *segment, int rank);

/* Mark the rank as left and free what begin allocated. */
void mpj_cells_end(struct mpj_cells *cells, enum mpj_rank_state state, int cause);

/* The entries of the ops table that the two transports share. */
MPJ_HOT int mpj_cells_send_short(struct mpj_transport *t, int peer, unsigned handler,
                                 struct mpj_am_mark mark, const void *data, unsigned bytes);
/* Fill a cell with a mark and the data behind it. */
MPJ_HOT void mpj_cells_put_mark(struct mpj_cell *cell, struct mpj_am_mark mark, const void *data,
                                unsigned bytes);
/* Whether the ring to peer has a free cell, so that the next short message will go. */
bool mpj_cells_has_room(struct mpj_cells *cells, int peer);
MPJ_HOT int mpj_cells_send_eager(struct mpj_transport *t, int peer, unsigned handler,
                                 const void *header, unsigned header_bytes,
                                 struct mpj_cursor *payload, MPJ_Count bytes,
                                 mpj_am_complete_fn *sent, void *arg);
int mpj_cells_expose(struct mpj_transport *t, const struct mpj_view *view, void *base,
                     unsigned pulls, mpj_am_complete_fn *sent, void *arg,
                     struct mpj_am_remote *remote);
int mpj_cells_withdraw(struct mpj_transport *t, const struct mpj_am_remote *remote, bool known);
int mpj_cells_decline(struct mpj_transport *t, int source, const struct mpj_am_remote *remote);
MPJ_HOT void mpj_cells_release(struct mpj_transport *t, const struct mpj_am_kept *kept);
MPJ_HOT unsigned char *mpj_cells_common(struct mpj_transport *t, int rank);
MPJ_HOT void mpj_cells_wake(struct mpj_transport *t, int rank);
MPJ_HOT enum mpj_taken mpj_cells_take(struct mpj_transport *t, int peer, unsigned handler,
                                      struct mpj_am_mark mark, void *data, unsigned bytes);
MPJ_HOT bool mpj_cells_poll(struct mpj_transport *t, int from);
MPJ_HOT void mpj_cells_idle(struct mpj_transport *t, unsigned *idle, long us);
enum mpj_rank_state mpj_cells_peer_state(struct mpj_transport *t, int peer, int *cause);

/* Let polls look at the peer's next cell, after peers[peer].head has changed. Ours to ourselves is
 * never written. */
static inline void mpj_cells_look_for(struct mpj_cells *cells, int peer)
{
  const struct mpj_cells_peer *p = &cells->peers[peer];
  cells->looks[peer].turn = &p->in[p->head % MPJ_RING_CELLS].turn;
  cells->looks[peer].next = peer == cells->rank ? UINT32_MAX : p->head + 1;
}

/* Close the exposures that everybody has pulled, tell their owners, and help who pulls. */
bool mpj_cells_poll_exposures(struct mpj_cells *cells);

/* The open exposure behind an id that a peer sent, or NULL. Owner's side. */
struct mpj_cells_exposed *mpj_cells_exposed_by_id(struct mpj_cells *cells, uint64_t id);

#endif
