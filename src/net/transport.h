/* This header declares what a transport provides. */
#ifndef MPJ_SRC_NET_TRANSPORT_H
#define MPJ_SRC_NET_TRANSPORT_H

#include "net/message.h"
#include "types/parts/view.h"

struct mpj_net;
struct mpj_transport;

/* What a poll is for, besides a peer's number. */
enum {
  MPJ_NET_EVERYBODY = -1,
  MPJ_NET_LEAVING = -2 /* nobody may poll for long: what was sent must leave this process */
};

/* The rules are those of net.h, whose functions call these: none blocks but idle, withdraw and
 * close; what finds no room returns MPJ_AM_AGAIN and has changed nothing. Peers and sources are
 * never this rank, unless it is said. */
struct mpj_transport_ops {
  const char *name; /* for people */

  /* A message without payload for `handler`: the mark's MPJ_AM_MARK bytes, if it has one, and
   * `bytes` bytes of data, MPJ_AM_SHORT_MAX in all. MPJ_SUCCESS or MPJ_AM_AGAIN. */
  int (*send_short)(struct mpj_transport *t, int peer, unsigned handler, struct mpj_am_mark mark,
                    const void *data, unsigned bytes);
  /* A message of a header and a payload, as mpj_net_eager. */
  int (*send_eager)(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                    unsigned header_bytes, struct mpj_cursor *payload, MPJ_Count bytes,
                    mpj_am_complete_fn *sent, void *arg);
  /* A payload that a handler has kept is done with. */
  void (*release)(struct mpj_transport *t, const struct mpj_am_kept *kept);
  /* The next message of peer, if it is here and just this one: mpj_net_take. NULL: messages come
   * by polls only. */
  enum mpj_taken (*take)(struct mpj_transport *t, int peer, unsigned handler,
                         struct mpj_am_mark mark, void *data, unsigned bytes,
                         struct mpj_am_kept *kept);

  /* Offer data, and take the offer back: mpj_net_expose, mpj_net_withdraw. */
  int (*expose)(struct mpj_transport *t, const struct mpj_view *view, void *base, unsigned pulls,
                mpj_am_complete_fn *sent, void *arg, struct mpj_am_remote *remote);
  int (*withdraw)(struct mpj_transport *t, const struct mpj_am_remote *remote, bool known);
  /* Bring what `source` has offered to dst, and say in t->mover what carries it: mpj_net_pull.
   * dst NULL: this rank does not want it; MPJ_SUCCESS or MPJ_AM_AGAIN. */
  int (*pull)(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
              struct mpj_cursor *dst, const struct mpj_pull_how *how, mpj_am_complete_fn *complete,
              void *arg);

  /* The common memory of a rank, this one too: mpj_net_common. */
  unsigned char *(*common)(struct mpj_transport *t, int rank, unsigned extent);
  /* Let a rank that shares memory with this one look again, or MPJ_NET_EVERYBODY; this rank: end
   * the sleep of all its threads. NULL: nobody sleeps for more than a moment. */
  void (*wake)(struct mpj_transport *t, int rank);
  /* Make a block of zeroed memory that those can map who share memory with this rank. MPJ_SUCCESS,
   * or an error: there is none of that kind. bytes 0: take the block back; its owner unmaps it.
   * NULL: there never is. */
  int (*share)(struct mpj_transport *t, size_t bytes, struct mpj_net_block *block);

  /* Run the handlers of what has come from `from` or MPJ_NET_EVERYBODY, move transfers on, and call
   * the completions of those that have ended; more than was asked for may be done. Returns whether
   * anything has happened. MPJ_NET_LEAVING: wait a moment, if need be, until what was sent has
   * left; handlers may run. */
  bool (*poll)(struct mpj_transport *t, int from);
  /* Polls have found nothing, *idle times in a row: count it, and pause, yield, or sleep for a
   * bounded time. us, not 0: for a thread that has no core of its own; the first call in a row says
   * that it is about to sleep, the next ones sleep, so many microseconds at most. idle NULL: nobody
   * waits; only see whether a process has ended that no launcher watches, as waits do now and then:
   * for those who poll and never idle. */
  void (*idle)(struct mpj_transport *t, unsigned *idle, long us);

  /* How a rank is, this one too; *cause (may be NULL) as mpj_net_peer_state. Whenever one has left
   * or died, *net->changes rises. */
  enum mpj_rank_state (*peer_state)(struct mpj_transport *t, int peer, int *cause);
  /* Leave: mark this rank as `state` for the others, and release everything. */
  void (*close)(struct mpj_transport *t, enum mpj_rank_state state, int cause);
};

/* The head of every transport's own structure. */
struct mpj_transport {
  const struct mpj_transport_ops *ops;
  struct mpj_net *net;
  const char *mover; /* what carries the pull begun last: static text, for statistics */
};

#endif
