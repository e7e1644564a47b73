/* This header declares what a message is to those who send and receive it: its sizes,
 * the handlers, an arrival, and where its data goes. net.h has the rules. */
#ifndef MPJ_SRC_NET_MESSAGE_H
#define MPJ_SRC_NET_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/cells/segment.h"
#include "pack/run/cursor.h"

/* What a call returns besides MPJ_SUCCESS and the MPJ_ERR_ codes. */
enum {
  MPJ_AM_AGAIN = -1,  /* no room now; nothing has happened */
  MPJ_AM_PENDING = -2 /* under way; the completion function will be called from a poll */
};

/* Largest header of a short and of an eager message, bytes. */
enum { MPJ_AM_SHORT_MAX = MPJ_CELL_BODY, MPJ_AM_EAGER_HEADER_MAX = MPJ_CELL_BODY - 4 };

/* The first MPJ_AM_MARK bytes of a message that is told by them from all others: a word that
 * changes from one to the next, and three that do not. In registers: what is written to memory in
 * small pieces and read in larger ones has to wait until all that was written before has reached
 * the cache, and that may be what goes to another core. */
enum { MPJ_AM_MARK = 32 };
struct mpj_am_mark {
  uint64_t first;
  const uint64_t *rest; /* [3], borrowed; NULL: a message without one */
};

/* What became of a message that a rank waited for. */
enum mpj_taken {
  MPJ_NOT_HERE,
  MPJ_ANOTHER_HERE, /* before it, from the same rank */
  MPJ_TAKEN,
  MPJ_TAKEN_MARKED /* and it was sent by its mark */
};

/* Handler numbers: those below MPJ_AM_FIRST_FREE are the transports' own. */
enum {
  MPJ_AM_REQUEST, /* receiver -> owner: move an exposure's data to me */
  MPJ_AM_PUSHED,  /* owner -> receiver: the pull's data is in place, or cannot be had */
  MPJ_AM_FIRST_FREE,
  MPJ_AM_COLLECTIVE = MPJ_AM_FIRST_FREE, /* src/coll's arrivals */
  MPJ_AM_USERS,                          /* users' active messages */
  MPJ_AM_CONTROL,                        /* src/coll's control windows */
  MPJ_AM_WORD, /* src/coll's arrivals of a byte: where a network sets words
                  in memory by itself they cost the receiver's core nothing */
  MPJ_AM_HANDLERS = 16
};

/* A payload that stays in its early-arrival slot until mpj_net_release. */
struct mpj_am_kept {
  int source;
  unsigned slot;
  const void *payload;
  MPJ_Count bytes;
};

/* A message as its header handler sees it. */
struct mpj_am_arrival {
  int source;         /* rank that sent it */
  const void *header; /* this rank's own copy: nobody changes it any more */
  unsigned header_bytes;
  bool has_payload;
  struct mpj_am_kept kept; /* the payload, if any; copy it before returning MPJ_AM_KEEP */
};

/* Called when a transfer has ended: status is MPJ_SUCCESS or an error, after
 * which the layout is the caller's again. */
typedef void mpj_am_complete_fn(void *arg, int status);

/* Where a payload goes. */
struct mpj_am_dest {
  struct mpj_cursor
      *cursor; /* borrowed until complete is called; exactly the payload's bytes remain */
  mpj_am_complete_fn *complete;
  void *arg;
};

enum mpj_am_verdict {
  MPJ_AM_DONE,    /* nothing further: the payload, if any, is dropped */
  MPJ_AM_DELIVER, /* unpack the payload as *dest says, then call its complete */
  MPJ_AM_KEEP     /* the payload stays where it is: mpj_net_release(kept) ends that */
};
typedef enum mpj_am_verdict mpj_am_header_fn(void *ctx, const struct mpj_am_arrival *arrival,
                                             struct mpj_am_dest *dest);

/* In place of the number of pulls of an exposure: one, by the receiver of the short message that
 * this rank sends next. The data goes along with that (mpj_net.puts). */
enum { MPJ_PULLS_PUT = 0 };

/* The handle under which a peer may pull exposed data; travels in messages. */
struct mpj_am_remote {
  uint64_t id;      /* the owner's */
  uint64_t address; /* in the owner's address space if the data is dense, else 0 */
};

/* What whoever pulls says of the pull besides.
 *   read_next   this rank reads next what comes, so that it is better off in this core's cache
 *   giver_busy  who gives the data copies as much for itself meanwhile
 *   taker_busy  this rank copies as much for itself meanwhile
 *   both_ways   this rank gives as much meanwhile
 *   turn        a number that rises by one from transfer to transfer, or from one round of such to
 *               the next, alike on all ranks (net/pull/tried.h)
 *   take        not NULL: takes the bytes, in order and all of them, in pieces of whole `unit`s,
 *               which divide 4096: as dst, of one dense stretch, need not. Called from a poll, or
 *               from the call that begins the pull; not after the pull has ended. */
typedef void mpj_pull_take_fn(void *arg, const void *data, MPJ_Count bytes);
struct mpj_pull_how {
  bool read_next, giver_busy, taker_busy, both_ways;
  uint32_t turn;
  mpj_pull_take_fn *take;
  void *arg; /* for take */
  MPJ_Count unit;
};

/* Memory from mpj_net_alloc. */
struct mpj_net_block {
  void *base;
  size_t bytes; /* of the mapping */
  int shared;   /* the transport's number for it, or -1: nobody else can map it */
};

#endif
