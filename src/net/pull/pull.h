/* This header declares the table of the pulls that an endpoint has under way, and what a mover is:
 * one way to bring the data.
 *
 * A pull is in the table from mpj_pulls_begin until it ends, whichever mover carries it; a mover
 * may hand it on to another one. At most MPJ_PULLS_PER_SOURCE at a time are from one source, so
 * that an owner's side can be bounded as well.
 *
 *   state        event                                     next
 *   free         begin, and the mover ends it at once      free; the caller has the status
 *   free         begin, otherwise                          carried
 *   carried      poll: move says MPJ_AM_PENDING            carried
 *   carried      poll: move says how it ended              free, complete
 *   carried      mpj_pull_end, from a message's handler    free, complete
 *   carried      mpj_pull_choose                           carried by another mover, from its place
 *
 * Invariant: active = number of entries that a mover carries; all of them are below `top`. */
#ifndef MPJ_SRC_NET_PULL_PULL_H
#define MPJ_SRC_NET_PULL_PULL_H

#include "net/net.h"
#include "net/pull/tried.h"

enum { MPJ_PULLS = 64, MPJ_PULLS_PER_SOURCE = 4 };

struct mpj_pulls;
struct mpj_pull;

struct mpj_mover {
  const char *name; /* for statistics */
  const char *why;  /* when it is chosen, for people */
  unsigned ways;    /* of tried.h that it goes: a set bit each; 0: it is none of those */
  /* Whether this pull can go so, and no mover before this one in the transport's list would; sets
   * what `move` needs in the pull. NULL: it always can. */
  bool (*can)(struct mpj_pulls *t, struct mpj_pull *p);
  /* Move on by a bounded amount and set *moved if anything has happened. MPJ_AM_PENDING, or how
   * the pull has ended: the place is then at its end, or the data is not there. Never blocks. */
  int (*move)(struct mpj_pulls *t, struct mpj_pull *p, bool *moved);
  /* Before the memory is the caller's again though the pull has not ended: whether nobody else can
   * touch it any more; until then it is called again. NULL: nobody ever does. */
  bool (*stop)(struct mpj_pulls *t, struct mpj_pull *p);
};

/* Where a peer's bytes lie. */
struct mpj_place {
  uint64_t address; /* of the first, in its process; 0: that is not known */
  struct mpj_rows rows;
};

struct mpj_pull {
  const struct mpj_mover *mover; /* NULL: the entry is free */
  uint32_t generation;           /* tells this pull's messages from an earlier one's */
  int source;
  struct mpj_am_remote remote;
  struct mpj_cursor *dst; /* borrowed */
  MPJ_Count first;        /* dst's offset when the pull began */
  struct mpj_pull_how how;
  MPJ_Count taken; /* bytes that how.take has been given */
  mpj_am_complete_fn *complete;
  void *arg;
  /* The movers' own: */
  unsigned step;              /* of the mover's states; 0 when it begins */
  unsigned waits;             /* polls in a row in which nothing has come */
  bool late;                  /* the source has not done its part in time */
  struct mpj_place from, to;  /* in the source, and here */
  struct mpj_columns columns; /* if `from` is a matrix whose columns are the data; else unit 0 */
  struct mpj_cursor whole;    /* dst as it was when the pull began */
  uint32_t chunk;             /* bytes of a piece, or that one of two sides takes at a time */
  unsigned ring;              /* of pieces, lent to the source; so many of them are emptied */
  uint32_t ring_generation, pieces;
  MPJ_Count failure;       /* why no more chunks are taken: a negative errno */
  int status;              /* of data that has moved by itself */
  enum mpj_try way;        /* that has been chosen, where there is a choice */
  struct mpj_tried *tried; /* what is told how long it has taken; NULL: nothing */
  int64_t begun;           /* ns, if something is */
};

struct mpj_pulls {
  int rank;
  unsigned active, top;
  uint32_t turns; /* pulls of which nobody says their turn */
  struct mpj_transport *transport;
  const struct mpj_mover *const *movers; /* in the order of preference; NULL ends them */
  struct mpj_pull pull[MPJ_PULLS];
};

/* Begin a pull of at least one byte with the first mover that can, named in the transport's
 * `mover`. Contract of mpj_net_pull; MPJ_AM_AGAIN also where the table is full. */
int mpj_pulls_begin(struct mpj_pulls *t, int source, const struct mpj_am_remote *remote,
                    struct mpj_cursor *dst, const struct mpj_pull_how *how,
                    mpj_am_complete_fn *complete, void *arg);

/* Let all pulls move on; whether anything has happened. */
bool mpj_pulls_poll(struct mpj_pulls *t);

/* End a pull outside of a poll of its mover. */
void mpj_pull_end(struct mpj_pulls *t, struct mpj_pull *p, int status);

/* Let the first mover that now can bring the rest, from dst's place on. */
void mpj_pull_choose(struct mpj_pulls *t, struct mpj_pull *p);

/* The pull goes from the beginning otherwise than by the way that was chosen: its time is not kept.
 */
void mpj_pull_refuse(struct mpj_pull *p);

/* Wait until nobody can touch the memory of the pulls that have not ended; idle(ctx) pauses. */
void mpj_pulls_stop(struct mpj_pulls *t, void (*idle)(void *ctx, unsigned *idle), void *ctx);

/* A pull's id in messages, and the pull of `source` that an id from there names, or NULL. */
uint64_t mpj_pull_id(const struct mpj_pulls *t, const struct mpj_pull *p);
struct mpj_pull *mpj_pull_by_id(struct mpj_pulls *t, uint64_t id, int source);

/* Bytes that have come. */
static inline MPJ_Count mpj_pull_done(const struct mpj_pull *p)
{
  return p->dst->offset - p->first;
}

/* Whether either side has copying of its own to do meanwhile: what this one waits for does not
 * say how long both take, the time to the next operation does (tried.h). */
static inline bool mpj_pull_takes_turns(const struct mpj_pull *p)
{
  return p->how.both_ways || p->how.giver_busy || p->how.taker_busy;
}

/* The next `bytes` bytes have come to `data`: to their place, or to who takes them. */
void mpj_pull_put(struct mpj_pull *p, const void *data, MPJ_Count bytes);

/* The errors of pulls: what source offered is no longer there; it has died or left. */
int mpj_pull_withdrawn(const struct mpj_pulls *t, int source);
int mpj_pull_lost(const struct mpj_pulls *t, int source);

#endif
