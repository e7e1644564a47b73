/* This header declares what the transports of one machine have in common: an
 * endpoint in a segment that sends cells, packs into slots, sets control bits,
 * polls its rings and waits by occupancy. `threads` and `shm` add how long data
 * moves.
 *
 * Invariants, for each peer:
 *   ring: tail - consumed <= MPJ_RING_CELLS      (no cell is overwritten unread)
 *   tokens | slots in flight | returned = all    (each slot has one holder;
 *                                                bits of `returned` beyond all are ignored) */
#ifndef MPJ_SRC_NET_CELLS_CELLS_H
#define MPJ_SRC_NET_CELLS_CELLS_H

#include "base/hot.h"
#include "net/cells/segment.h"
#include "net/net.h"

/* This rank's side of both directions with one peer; all zeros until they have met. */
struct mpj_cells_peer {
  struct mpj_cell *in;       /* ring from the peer; NULL: it has none here */
  struct mpj_pair *in_pair;  /* what we tell the peer */
  uint32_t head;             /* place of the next message to take, in the peer's sequence */
  uint32_t tail;             /* place of the next one to send, in ours */
  uint32_t left;             /* cells at `out` that are known to be free */
  uint32_t tokens;           /* slots at the peer that we may fill: a set bit each */
  struct mpj_cell *out;      /* ring to the peer; or a cell of its inbox, claimed */
  struct mpj_pair *out_pair; /* what the peer tells us; NULL: we have no ring there */
  uint32_t mask;             /* where in `out` a message lies: place & mask; 0: no ring */
  uint32_t all;              /* the slots that go with the ring */
  uint32_t in_a_row;         /* cells read since the last was written */
  bool met;
  uint8_t in_ring, out_ring; /* their numbers */
  uint8_t past, untimed;     /* slots still to be written past the caches, and into them, untimed */
};

/* What is known besides of a peer's inbox (inbox.h). */
struct mpj_cells_letters {
  uint64_t pool;  /* slots that we have claimed, freed since or not: a set bit each */
  uint32_t talks; /* messages that have gone by it, since a ring was tried for; see find_room */
  uint8_t
      mine[MPJ_INBOX_EACH]; /* 1 + number of each cell that we have filled, taken since or not */
};

/* The cell of a ring that its sender writes next, as a poll looks for it: its turn is `next` once
 * it is written. Apart from the rest, so that a pass over 32 rings that are empty
 * reads one line of this for four of them. */
struct mpj_cells_look {
  const _Atomic uint32_t *turn;
  uint32_t next; /* for nobody, and for this rank itself: what its turn never is */
  int peer;      /* -1: nobody */
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
  int nlooks;       /* rings that this rank has */
  int first;        /* the one that the next poll looks at first */
  bool spin;        /* the ranks fit the cores: pause, do not yield */
  bool light_fence; /* sends need no fence: a sleeper or the wake has it (fence.h) */
  /* The sleeping word is set, by the waiter with this count: one more poll, then it
   * sleeps. NULL: it is not. */
  const unsigned *armed_by;
  uint32_t alarms;     /* the word's last value but 0: another each time that it is set */
  int64_t past_least;  /* bytes from which a slot may be written past the caches; 0: each is */
  int64_t share_least; /* bytes from which both sides work at a transfer (share.h), or NEVER */
  long sleep_ns;       /* idle time before sleeping */
  long nap_us;         /* how long it slept last in the present idle phase */
  bool waited;         /* since the last cell that was read */
  int64_t idle_since;  /* ns, monotonic clock; when the present idle phase was first looked at */
  struct mpj_cells_peer *peers;      /* [nranks] touched only for those that it has met */
  struct mpj_cells_letters *letters; /* [nranks] the same; NULL without inboxes */
  struct mpj_cells_look *looks;      /* [nlooks] */
  struct mpj_cells_exposed *exposed; /* [MPJ_EXPOSURES] */
  unsigned open_list, free_list;     /* heads of the lists of exposures */
  unsigned exposed_ever;             /* those before it have been open */
  /* inbox.h */
  struct mpj_inbox *inbox;        /* its own; NULL: there are none, each has a ring from each */
  uint64_t held[MPJ_INBOX_WORDS]; /* cells to look at */
  unsigned first_cell;            /* the one that is looked at first */
  uint32_t changes_seen;
  unsigned vain_turns;    /* times that somebody else had the turn (inbox_claim.c) */
  bool reaps;             /* ranks are gone, of which not all has been taken */
  int recall_in;          /* polls until a ring may be wanted back */
  uint32_t *heard;        /* [nlooks] `head` when somebody was last short of rings */
  _Atomic uint32_t never; /* 0 */
  /* Moves long data on; set by the transport; NULL if it has nothing to do. */
  bool (*poll_long)(struct mpj_cells *cells);
  /* Push one chunk of open exposure i to the receiver that shares it, if it still
   * wants it; whether it did. Set by the transport. */
  bool (*help)(struct mpj_cells *cells, unsigned i);
  /* Common memory from extent MPJ_EXTENTS_AT_ONCE on, as mpj_net_common. Set by the transport. */
  unsigned char *(*further)(struct mpj_cells *cells, int rank, unsigned extent);
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

/* Fill a cell with a mark and the data behind it. */
MPJ_HOT void mpj_cells_put_mark(struct mpj_cell *cell, struct mpj_am_mark mark, const void *data,
                                unsigned bytes);
/* In an eager cell the last four bytes of the body say the payload's length. */
enum { MPJ_CELL_LENGTH_AT = MPJ_CELL_BODY - 4 };
/* Run the handler of one cell, of which this is our copy. */
void mpj_cells_receive(struct mpj_cells *cells, int source, const struct mpj_cell *cell);
/* The record of a peer, from which on they have met. */
struct mpj_cells_peer *mpj_cells_meet(struct mpj_cells *cells, int peer);
/* The slots of a ring. */
uint32_t mpj_cells_all_tokens(const struct mpj_cells *cells);
int mpj_cells_expose(struct mpj_transport *t, const struct mpj_view *view, void *base,
                     unsigned pulls, mpj_am_complete_fn *sent, void *arg,
                     struct mpj_am_remote *remote);
int mpj_cells_withdraw(struct mpj_transport *t, const struct mpj_am_remote *remote, bool known);
int mpj_cells_decline(struct mpj_transport *t, int source, const struct mpj_am_remote *remote);
MPJ_HOT void mpj_cells_release(struct mpj_transport *t, const struct mpj_am_kept *kept);
MPJ_HOT unsigned char *mpj_cells_common(struct mpj_transport *t, int rank, unsigned extent);
MPJ_HOT void mpj_cells_wake(struct mpj_transport *t, int rank);
MPJ_HOT enum mpj_taken mpj_cells_take(struct mpj_transport *t, int peer, unsigned handler,
                                      struct mpj_am_mark mark, void *data, unsigned bytes,
                                      struct mpj_am_kept *kept);
MPJ_HOT void mpj_cells_idle(struct mpj_transport *t, unsigned *idle, long us);
enum mpj_rank_state mpj_cells_peer_state(struct mpj_transport *t, int peer, int *cause);

/* Let polls look at the next cell of the peer's ring, after peers[peer].head has changed. Ours to
 * ourselves is never written. */
static inline void mpj_cells_look_for(struct mpj_cells *cells, int peer)
{
  const struct mpj_cells_peer *p = &cells->peers[peer];
  struct mpj_cells_look *look = &cells->looks[p->in_ring];
  look->turn = &p->in[p->head % MPJ_RING_CELLS].turn;
  look->next = peer == cells->rank ? UINT32_MAX : p->head + 1;
}

/* Close the exposures that everybody has pulled, tell their owners, and help who pulls. */
bool mpj_cells_poll_exposures(struct mpj_cells *cells);

/* The open exposure behind an id that a peer sent, or NULL. Owner's side. */
struct mpj_cells_exposed *mpj_cells_exposed_by_id(struct mpj_cells *cells, uint64_t id);

#endif
