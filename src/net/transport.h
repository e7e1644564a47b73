/* This header declares what a transport provides. */
#ifndef MPJ_SRC_NET_TRANSPORT_H
#define MPJ_SRC_NET_TRANSPORT_H

#include "net/message.h"
#include "types/parts/view.h"

struct mpj_net;
/* See the functions of net.h for each contract. */
struct mpj_transport;
struct mpj_transport_ops {
  const char *name;
  int (*send_short)(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                    unsigned header_bytes);
  int (*send_eager)(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                    unsigned header_bytes, struct mpj_cursor *payload, MPJ_Count bytes,
                    mpj_am_complete_fn *sent, void *arg);
  int (*expose)(struct mpj_transport *t, const struct mpj_view *view, void *base, unsigned pulls,
                mpj_am_complete_fn *sent, void *arg, struct mpj_am_remote *remote);
  int (*withdraw)(struct mpj_transport *t, const struct mpj_am_remote *remote, bool known);
  int (*pull)(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
              struct mpj_cursor *dst, mpj_am_complete_fn *complete, void *arg);
  int (*decline)(struct mpj_transport *t, int source, const struct mpj_am_remote *remote);
  void (*release)(struct mpj_transport *t, const struct mpj_am_kept *kept);
  /* Optional (NULL: mpj_net_alloc gives private memory). */
  int (*share)(struct mpj_transport *t, size_t bytes, struct mpj_net_block *block);
  void (*unshare)(struct mpj_transport *t, struct mpj_net_block *block);
  /* NULL: this rank has none in common with any other. */
  unsigned char *(*common)(struct mpj_transport *t, int rank);
  /* NULL: nobody sleeps for more than a moment. */
  void (*wake)(struct mpj_transport *t, int rank);
  /* Both, or none (NULL): see mpj_net_take. */
  int (*send_marked)(struct mpj_transport *t, int peer, unsigned handler, struct mpj_am_mark mark,
                     const void *data, unsigned bytes);
  enum mpj_taken (*take)(struct mpj_transport *t, int peer, unsigned handler,
                         struct mpj_am_mark mark, void *data, unsigned bytes);
  bool (*poll)(struct mpj_transport *t, int from);
  /* Called when polls have found nothing; *idle counts how often in a row. May pause, yield, or
   * sleep for a bounded time. us, not 0: for a thread that has no core of its own; the first call
   * in a row says that it is about to sleep, the next ones sleep, so many microseconds at most.
   * idle NULL: nobody waits; only see whether a process has ended that no launcher watches, as
   * waits do now and then: for those who poll and never idle. */
  void (*idle)(struct mpj_transport *t, unsigned *idle, long us);
  /* See that what was sent leaves although nobody may poll for long. NULL: it always has. */
  void (*settle)(struct mpj_transport *t);
  enum mpj_rank_state (*peer_state)(struct mpj_transport *t, int peer, int *cause);
  /* Leave: mark this rank as `state` for the others and release everything. */
  void (*close)(struct mpj_transport *t, enum mpj_rank_state state, int cause);
};

/* The head of every transport's own structure. */
struct mpj_transport {
  const struct mpj_transport_ops *ops;
  struct mpj_net *net;
  const char *mover; /* what carries the pull begun last: static text, for statistics */
};

#endif
