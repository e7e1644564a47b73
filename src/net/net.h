/* This header declares active messages: how one rank makes a handler run on
 * another, and how data moves from layout to layout.
 *
 * A message names a handler and carries a small header. There are three ways to
 * move something, cheapest first:
 *   short    a header alone, with up to a few bytes of data inside it.
 *   eager    a header and a payload of at most eager_bytes, packed from a cursor into an
 *            early-arrival slot at the peer. Rationed by tokens: without one the send
 *            returns MPJ_AM_AGAIN, and the sender may advertise the data instead.
 *   long     receiver-driven: the owner exposes a view and tells the peer its
 *            mpj_am_remote in a message; the peer pulls it into a cursor when
 *            it gets there.
 *
 * Rules. No call here blocks. Handlers run inside mpj_net_poll on the polling
 * thread; they send nothing, poll nothing, and keep no pointer into the
 * arrival beyond their return. What finds no room returns MPJ_AM_AGAIN and has
 * changed nothing: the caller tries again after a poll. Transports answer from
 * poll too, out of tables of bounded size, so every ring always drains. An endpoint
 * belongs to one thread at a time; where several share it, it has turns, and the one
 * whose turn it is lets the others in only while it pauses in mpj_net_idle. Messages from one rank
 * to another arrive in the order in which they were sent. A rank sends
 * nothing to itself: `peer` and `source` are always another. */
#ifndef MPJ_SRC_NET_NET_H
#define MPJ_SRC_NET_NET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "base/hot.h"
#include "base/wtime.h"
#include "net/core.h"
#include "net/transport.h"
#include "net/watch.h"

struct mpj_launch;

/* How the threads that share an endpoint take turns; all NULL where one has it.
 *   away  give the turn up, to pause (or, if asleep, to sleep); returns what back needs
 *   back  take it again */
struct mpj_net_turns {
  unsigned (*away)(void *ctx, bool asleep);
  void (*back)(void *ctx, bool asleep, unsigned kept);
  void *ctx;
};

/* Ranks as places of a torus or mesh, row-major, the last dimension the fastest. */
enum { MPJ_NET_DIMS_MAX = 16 };
struct mpj_net_grid {
  int ndims;
  int dims[MPJ_NET_DIMS_MAX];
  bool periodic[MPJ_NET_DIMS_MAX];
};

/* Who has polls do something more. */
enum mpj_also { MPJ_ALSO_USERS, MPJ_ALSO_CONTROL, MPJ_ALSO_DECLINES, MPJ_ALSO_ALL };

struct mpj_declined;

struct mpj_net {
  int rank, size;
  long eager_bytes;                /* largest payload of an eager message; the same on all ranks */
  struct mpj_transport *transport; /* reaches every peer; route.h where that takes several */
  const _Atomic uint32_t *changes; /* see mpj_net_changes */
  struct mpj_watch *watch;         /* NULL: nobody asked for counts or a trace */
  /* Set by a handler: what is polled for is here, all other messages can wait. None is taken
   * until whoever polled for it sets it back. */
  bool enough;
  bool glances; /* polls take one message of each peer, where its messages lie by themselves */
  /* Copies of this rank's own that go on between polls: each moves only a little of what is long,
   * so that all of it reads the same stretch of memory at a time. */
  unsigned copies;
  bool flows;        /* the last poll has moved long data, as far as the transport tells */
  bool asks;         /* there is a pull to begin: a poll that moves long data can wait, once */
  bool does_more;    /* one of `also` is there */
  bool in_idle;      /* the turn may be given up */
  bool shares_all;   /* every rank shares memory with every other; the same on all ranks */
  bool one_process;  /* all ranks are threads of this process; the same on all ranks */
  bool settles;      /* what is sent may wait here until the next poll */
  bool one_thread;   /* the transport stands on what only one thread may call */
  bool simulated;    /* its ranks take turns on one thread: none gives the core away to another */
  bool puts;         /* data can go along with the message that says where it is (MPJ_PULLS_PUT) */
  unsigned sleepers; /* threads that sleep just now */
  /* Among strangers (waiting.h), where ranks do not spin: waits that will sleep at once, and how
   * many did last. */
  unsigned asleep, spell;
  struct mpj_core core;
  struct mpj_net_turns turns;
  struct {
    void (*fn)(void *ctx); /* run by waits, rate-limited; or NULL */
    void *ctx;
    int64_t due;    /* ns of MPJ's clock; not before this */
    unsigned looks; /* that find nothing until it is run again, whatever the clock says; 0: the
                       clock says it */
  } elsewhere;
  struct {
    mpj_am_header_fn *fn;
    void *ctx;
  } handler[MPJ_AM_HANDLERS];
  struct {
    bool (*fn)(void *ctx); /* run by every poll, after the transport's; or NULL */
    void *ctx;
  } also[MPJ_ALSO_ALL];
  struct mpj_declined *declined; /* list of data that its owners have still to be told is not
                                    wanted; owned */
  int cores;      /* that all the ranks together may keep busy; the same on all ranks */
  int node;       /* this rank's machine: ranks of equal ones share its memory */
  int *node_of;   /* [size] `node` of each rank, the same on all ranks; owned; NULL: one node, or */
  int node_ranks; /* blocks of so many; 0: one node */
  char *rules;    /* what the machine of the job's first rank was measured to run best, JSON as of
                     MPJ_COLL_FILE; the same on all ranks; owned; NULL: nothing */
  struct mpj_launch *launch; /* owned: ended with the endpoint; NULL: none */
  bool reads_all;            /* others can read or write all memory of this rank in one copy; else
                                what mpj_net_alloc gave */
  int align_bytes;           /* what can be put begins at multiples of this; 0: anywhere */
  const struct mpj_net_grid *grid; /* how all ranks' places are joined, or NULL; borrowed */
  /* Pack the next bytes of a cursor to memory of the library's, as mpj_cursor_pack; where that
   * takes simulated time, and data may be virtual. What is virtual is exposed from there next. Or
   * NULL. MPJ_SUCCESS, MPJ_ERR_NO_MEM. */
  int (*pack)(struct mpj_net *net, struct mpj_cursor *from, void *to, MPJ_Count bytes);
  const char *near, *far; /* what takes messages to those who share memory with this rank, and to
                             others: "shm"; static text */
  const unsigned *connections; /* ranks that it is, or was, connected to over a network; NULL: none
                                  can be */
  uint32_t leaves;             /* ranks that have been noted as leaving */
  struct mpj_bits leaving;     /* which: set up when the first one is */
};

/* Whether two ranks are on one node. */
static inline bool mpj_net_same_node(const struct mpj_net *net, int rank, int other)
{
  if (net->node_of) return net->node_of[rank] == net->node_of[other];
  return net->node_ranks == 0 || rank / net->node_ranks == other / net->node_ranks;
}

/* Let messages for `handler` (MPJ_AM_FIRST_FREE up) run fn(ctx, ...). Before
 * the first message can come. A message without a handler is dropped with a
 * warning that names the sender. */
void mpj_net_register(struct mpj_net *net, unsigned handler, mpj_am_header_fn *fn, void *ctx);

/* Let every poll run also(ctx), which may send; whether it moved anything on. NULL: no more. */
void mpj_net_also(struct mpj_net *net, enum mpj_also which, bool (*also)(void *ctx), void *ctx);

/* Let waits that find nothing to do run fn(ctx), which lets another library of this process
 * move on; NULL: none. At most every MPJ_NET_ELSEWHERE_NS. */
enum { MPJ_NET_ELSEWHERE_NS = 100000 };
void mpj_net_elsewhere(struct mpj_net *net, void (*fn)(void *ctx), void *ctx);
/* Let them run it whenever `looks` more looks have found nothing, and not sleep; 0: as said above.
 */
void mpj_net_elsewhere_often(struct mpj_net *net, unsigned looks);
static inline bool mpj_net_may_sleep(const struct mpj_net *net)
{
  return !net->elsewhere.fn || net->elsewhere.looks == 0;
}
/* The core has been given away and has come back, `late` or not: a stranger may have had it, or for
 * once a rank that had much to do. So each time in a row twice as many waits sleep. */
enum { MPJ_WAITS_ASLEEP_MOST = 64 };
static inline void mpj_net_note_core(struct mpj_net *net, bool late)
{
  if (late) {
    const unsigned twice = net->spell == 0 ? 1 : 2 * net->spell;
    net->spell = twice < MPJ_WAITS_ASLEEP_MOST ? twice : MPJ_WAITS_ASLEEP_MOST;
    net->asleep = net->spell;
  } else if (net->spell > 0) {
    net->spell /= 2;
  }
}
/* Run it if it is due, in a wait that has found nothing `idle` times in a row. */
void mpj_net_look_elsewhere(struct mpj_net *net, unsigned idle);

/* Send a header of at most MPJ_AM_SHORT_MAX bytes. MPJ_SUCCESS or AGAIN. */
static inline int mpj_net_short(struct mpj_net *net, int peer, unsigned handler, const void *header,
                                unsigned header_bytes)
{
  const int64_t begun = net->watch ? mpj_clock_ns() : 0;
  const struct mpj_am_mark none = {0, NULL};
  const int status =
      net->transport->ops->send_short(net->transport, peer, handler, none, header, header_bytes);
  if (net->watch)
    mpj_watch_note(net->watch, MPJ_WATCH_SHORT, peer, handler, header_bytes, status, begun);
  return status;
}

/* Send a header of at most MPJ_AM_EAGER_HEADER_MAX bytes with the next `bytes`
 * bytes of payload's stream. MPJ_SUCCESS: the data has left (sent is not
 * called); PENDING: the layout is borrowed until sent(arg, status); AGAIN: no
 * token or no room, the cursor has not moved. */
static inline int mpj_net_eager(struct mpj_net *net, int peer, unsigned handler, const void *header,
                                unsigned header_bytes, struct mpj_cursor *payload, MPJ_Count bytes,
                                mpj_am_complete_fn *sent, void *arg)
{
  const int64_t begun = net->watch ? mpj_clock_ns() : 0;
  const int status = net->transport->ops->send_eager(net->transport, peer, handler, header,
                                                     header_bytes, payload, bytes, sent, arg);
  if (net->watch)
    mpj_watch_note(net->watch, MPJ_WATCH_EAGER, peer, handler, header_bytes + bytes, status, begun);
  return status;
}

/* Memory of `rank` that this rank shares, an extent on a page's border, zeros
 * in the beginning; NULL where it shares none. Its own is there if it can share memory with
 * anybody. What is in it is the affair of those above, and what a peer wrote may be anything.
 * Extent 0 has MPJ_NEAR_BYTES and those of all ranks follow one another: to look at many ranks' is
 * cheap there, since a page's fault brings its neighbours, too. Extent 1 has MPJ_MIDDLE_BYTES, the
 * others have MPJ_COMMON_BYTES. Those below MPJ_EXTENTS_AT_ONCE are there from the start; a further
 * one is made when its rank asks for it, and found by peers from then on. NULL: it has not been
 * made, or there is no memory or no room for it. */
static inline unsigned char *mpj_net_common(struct mpj_net *net, int rank, unsigned extent)
{
  return net->transport->ops->common(net->transport, rank, extent);
}

/* Let a rank that shares memory with this one, or all of them, look again, after common memory has
 * been changed by an atomic that is a full fence; this rank: all its threads. */
static inline void mpj_net_wake(struct mpj_net *net, int rank)
{
  if (net->transport->ops->wake) net->transport->ops->wake(net->transport, rank);
}

/* Offer the view at base to `pulls` pulls (each a pull or a decline of one
 * peer). MPJ_SUCCESS: *remote is set, view's layout and the data are borrowed
 * until sent(arg, status) has been called from a poll, or mpj_net_withdraw has
 * returned. AGAIN: too many exposures. MPJ_ERR_NO_MEM. */
static inline int mpj_net_expose(struct mpj_net *net, const struct mpj_view *view, void *base,
                                 unsigned pulls, mpj_am_complete_fn *sent, void *arg,
                                 struct mpj_am_remote *remote)
{
  return net->transport->ops->expose(net->transport, view, base, pulls, sent, arg, remote);
}

/* Take an exposure back; `known` unless no peer can have heard of it. MPJ_SUCCESS: nobody reads the
 * data any more, pulls that come later fail at their side, and sent is not called; this waits for a
 * copy under way by another local rank. PENDING: the data is on its way to another node, which
 * cannot be stopped: sent will be called from a poll, as soon as it has got there or the peer is
 * gone. */
static inline int mpj_net_withdraw(struct mpj_net *net, const struct mpj_am_remote *remote,
                                   bool known)
{
  return net->transport->ops->withdraw(net->transport, remote, known);
}

/* Bring the exposed data of `source` to dst, whose remaining bytes are its
 * size; how (borrowed for the call) may be NULL. MPJ_SUCCESS: it is there (complete is not called);
 * PENDING: cursor and layout are borrowed until complete(arg, status), which comes even if the
 * source dies or leaves (MPJ_ERR_PEER) or withdrew (MPJ_ERR_INTERNAL); AGAIN; or
 * an error at once. However it ends, it counts as one of the pulls. */
static inline int mpj_net_pull(struct mpj_net *net, int source, const struct mpj_am_remote *remote,
                               struct mpj_cursor *dst, const struct mpj_pull_how *how,
                               mpj_am_complete_fn *complete, void *arg)
{
  const int64_t begun = net->watch ? mpj_clock_ns() : 0;
  const MPJ_Count bytes = mpj_cursor_remaining(dst);
  const int status =
      net->transport->ops->pull(net->transport, source, remote, dst, how, complete, arg);
  if (net->watch) {
    mpj_watch_note(net->watch, MPJ_WATCH_PULL, source, MPJ_WATCH_NO_HANDLER, bytes, status, begun);
    if (status != MPJ_AM_AGAIN) mpj_watch_mover(net->watch, net->transport->mover, bytes);
  }
  return status;
}

/* Tell the source that this rank will not pull; by polls, where that finds no room now. */
void mpj_net_decline(struct mpj_net *net, int source, const struct mpj_am_remote *remote);

/* Give a kept payload's slot, and with it its token, back. */
static inline void mpj_net_release(struct mpj_net *net, const struct mpj_am_kept *kept)
{
  net->transport->ops->release(net->transport, kept);
}

/* Whether a rank can wait for one message without its handler. */
static inline bool mpj_net_can_take(const struct mpj_net *net)
{
  return net->transport->ops->take != NULL;
}

/* Send a mark and `bytes` bytes of data as a short message, MPJ_AM_SHORT_MAX in all.
 * MPJ_SUCCESS or AGAIN. */
static inline int mpj_net_marked(struct mpj_net *net, int peer, unsigned handler,
                                 struct mpj_am_mark mark, const void *data, unsigned bytes)
{
  const int64_t begun = net->watch ? mpj_clock_ns() : 0;
  const int status =
      net->transport->ops->send_short(net->transport, peer, handler, mark, data, bytes);
  if (net->watch)
    mpj_watch_note(net->watch, MPJ_WATCH_SHORT, peer, handler, MPJ_AM_MARK + bytes, status, begun);
  return status;
}

/* Whether the next message of peer is here and is this one: short, for `handler`, the mark and
 * then `bytes` bytes. If it is (TAKEN, TAKEN_MARKED) these have been copied to `data`, and the
 * message is done with. Else it has not been touched, and a poll hands it to its handler; what came
 * by the inbox may have been handed over already. kept not NULL: it is to be the mark and a payload
 * of `bytes` bytes, which stays in its slot until mpj_net_release. Only if mpj_net_can_take. */
static inline enum mpj_taken mpj_net_take(struct mpj_net *net, int peer, unsigned handler,
                                          struct mpj_am_mark mark, void *data, unsigned bytes,
                                          struct mpj_am_kept *kept)
{
  const enum mpj_taken taken =
      net->transport->ops->take(net->transport, peer, handler, mark, data, bytes, kept);
  if (taken >= MPJ_TAKEN && net->watch)
    mpj_watch_note(net->watch, MPJ_WATCH_RECEIVE, peer, handler, MPJ_AM_MARK + bytes, MPJ_SUCCESS,
                   mpj_clock_ns());
  return taken;
}

/* What polls do besides; whether it moved anything on. */
bool mpj_net_do_more(struct mpj_net *net);

/* Run the handlers of what has arrived and move transfers on. Returns whether
 * anything happened. */
static inline bool mpj_net_poll(struct mpj_net *net)
{
  const bool moved = net->transport->ops->poll(net->transport, MPJ_NET_EVERYBODY);
  return net->does_more ? mpj_net_do_more(net) || moved : moved;
}

/* The same for a rank that waits for nothing, and is to notice what it does not expect: what has
 * come ahead of its time is left where it is, as it takes twice as long to take that in by itself
 * as by the step that waits for it. */
static inline void mpj_net_glance(struct mpj_net *net)
{
  net->glances = true;
  mpj_net_poll(net);
  net->glances = false;
}

/* A poll for what has come from one peer; more may be done. Who waits so polls as well, now
 * and then. */
static inline bool mpj_net_poll_from(struct mpj_net *net, int peer)
{
  return net->transport->ops->poll(net->transport, peer);
}

static inline void mpj_net_idle(struct mpj_net *net, unsigned *idle)
{
  if (net->elsewhere.fn) mpj_net_look_elsewhere(net, *idle);
  net->in_idle = net->turns.away;
  net->transport->ops->idle(net->transport, idle, 0);
  net->in_idle = false;
}

static inline void mpj_net_doze(struct mpj_net *net, unsigned *idle, long us)
{
  net->in_idle = net->turns.away;
  net->transport->ops->idle(net->transport, idle, us);
  net->in_idle = false;
}

/* Reads the clock. */
static inline void mpj_net_notice(struct mpj_net *net)
{
  net->transport->ops->idle(net->transport, NULL, 0);
}

/* For transports: around a pause in idle (net may be NULL: before there is one). Between the two
 * others may use the endpoint, so nothing but what is local or atomic may be touched. */
enum { MPJ_NET_NO_TURN = ~0 };
static inline int mpj_net_away(struct mpj_net *net, bool asleep)
{
  if (!net || !net->in_idle) return MPJ_NET_NO_TURN;
  net->in_idle = false;
  net->sleepers += asleep;
  return (int)net->turns.away(net->turns.ctx, asleep);
}

static inline void mpj_net_back(struct mpj_net *net, bool asleep, int kept)
{
  if (kept == MPJ_NET_NO_TURN) return;
  net->turns.back(net->turns.ctx, asleep, (unsigned)kept);
  net->sleepers -= asleep;
  net->in_idle = true;
}

/* Before this rank goes about its own business: let what it has sent leave this
 * process, so that no peer waits for its next call. Waits a moment at most, while
 * handlers run as in a poll. */
static inline void mpj_net_settle(struct mpj_net *net)
{
  if (net->settles) net->transport->ops->poll(net->transport, MPJ_NET_LEAVING);
}

/* Which transport takes messages to peer; and all of them, the near ones
 * first, cut to fit: "shm+ucx". For people. */
static inline const char *mpj_net_way(struct mpj_net *net, int peer)
{
  return mpj_net_common(net, peer, 0) ? net->near : net->far;
}
void mpj_net_ways(struct mpj_net *net, char *text, size_t size);

/* Marks a cause of death as a thread rank's return value (its low 30 bits)
 * rather than a wait status; 0: there was no thread for it, as one that returns 0 leaves in good
 * order. */
enum { MPJ_CAUSE_RETURNED = 1 << 30 };
/* Marks a cause as an errno: of the connection to the rank, or ESRCH where its
 * process was found to be gone and how it ended is not known. */
enum { MPJ_CAUSE_LOST = 1 << 29 };
/* It left in good order without having begun: it never called MPJ_Init. */
enum { MPJ_CAUSE_NEVER_BEGAN = 1 << 28 };

/* State of a peer; *cause (may be NULL) is how it died or left, 0 in the ordinary way. */
static inline enum mpj_rank_state mpj_net_peer_state(struct mpj_net *net, int peer, int *cause)
{
  return net->transport->ops->peer_state(net->transport, peer, cause);
}

/* Counts ranks that have left or died: when it differs from what was seen
 * before, look at the peers. */
static inline uint32_t mpj_net_changes(struct mpj_net *net)
{
  return atomic_load_explicit(net->changes, memory_order_acquire);
}

/* The peer has said that it is about to leave. Its state is still ACTIVE: it polls, and what it is
 * sent arrives, but its users' active messages are over. */
static inline void mpj_net_note_leaving(struct mpj_net *net, int peer)
{
  if (net->leaves == 0 && !mpj_bits_begin(&net->leaving, (unsigned)net->size)) return;
  if (mpj_bits_test(&net->leaving, (unsigned)peer)) return;
  mpj_bits_set(&net->leaving, (unsigned)peer);
  net->leaves++;
}

static inline bool mpj_net_is_leaving(const struct mpj_net *net, int peer)
{
  return net->leaves > 0 && mpj_bits_test(&net->leaving, (unsigned)peer);
}

/* Zeroed memory on a page's border, which the peers on this machine can map where
 * that is possible, so that long data from and to it needs no system call. net may
 * be NULL. mpj_net_free must follow. Errors: MPJ_ERR_NO_MEM. */
int mpj_net_alloc(struct mpj_net *net, size_t bytes, struct mpj_net_block *block);
void mpj_net_free(struct mpj_net *net, struct mpj_net_block *block);

/* Leave: tell the others (state FINALIZED, or DEAD with a cause) and release
 * the endpoint; then the launcher. */
void mpj_net_close(struct mpj_net *net, enum mpj_rank_state state, int cause);

/* For transports: run the handler of a message. */
MPJ_HOT enum mpj_am_verdict mpj_net_dispatch(struct mpj_net *net, unsigned handler,
                                             const struct mpj_am_arrival *arrival,
                                             struct mpj_am_dest *dest);

/* "was killed by signal 9 (Killed)", "exited with code 3", "returned 2", "was
 * lost (Connection reset by peer)", from peer_state's cause. */
void mpj_net_cause_text(int cause, char *text, size_t size);

#endif
