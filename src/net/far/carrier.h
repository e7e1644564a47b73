/* This header declares what the far transport needs of a network library: a
 * carrier. It moves messages of a head and perhaps a payload, in order from one
 * rank to another, and streams between two layouts; it knows nothing of what
 * they mean. All calls belong to one thread at a time and none blocks but close.
 *
 * A carrier calls back, from its poll only: mpj_far_receive, mpj_far_offer,
 * mpj_far_lost and the completions that it was given. */
#ifndef MPJ_SRC_NET_FAR_CARRIER_H
#define MPJ_SRC_NET_FAR_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/far/mac.h"
#include "net/net.h"

struct mpj_far;
struct mpj_carrier;

enum { MPJ_FAR_BODY = MPJ_CELL_BODY };

/* What every message begins with; body is cut after `bytes`. */
struct mpj_far_head {
  uint8_t kind;        /* enum mpj_far_kind */
  uint8_t handler;     /* of SHORT and EAGER */
  uint8_t bytes;       /* of body */
  uint8_t tokens;      /* that the sender gives back by this message */
  uint32_t connection; /* the carrier's own: how it knows the sender */
  unsigned char body[MPJ_FAR_BODY];
};
enum { MPJ_FAR_FIXED = offsetof(struct mpj_far_head, body) };

struct mpj_carrier_ops {
  const char *name;
  /* This rank's address, at most MPJ_FAR_ADDRESS_MAX bytes; the carrier's. */
  const void *(*address)(struct mpj_carrier *c, size_t *bytes);
  /* Before the first connect: the job's secret, of MPJ_SECRET_BYTES, by which ranks prove to each
   * other who they are. No message of a peer that has not is passed on. MPJ_SUCCESS or an error.
   * NULL: the network library says whose a message is. */
  int (*trust)(struct mpj_carrier *c, const unsigned char *secret);
  /* Prepare to talk to `peer`, whose address this is, and to notice the loss of it
   * or its node, also while nothing is sent. Before any other call for this peer. MPJ_SUCCESS or an
   * error. */
  int (*connect)(struct mpj_carrier *c, int peer, const void *address, size_t bytes);
  /* Send the head and the next `bytes` bytes of payload's stream (NULL: none).
   * Both are the caller's again on return. MPJ_SUCCESS (also if the peer is gone:
   * then it leads nowhere) or MPJ_AM_AGAIN: nothing has happened, but that the first message
   * to a peer asks it for the connection, which polls bring about. `urgent` messages
   * find room where others do not, once it stands. */
  int (*post)(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
              struct mpj_cursor *payload, MPJ_Count bytes, bool urgent);
  /* Offer the rest of source's stream under this head; the peer takes it or not.
   * MPJ_SUCCESS: source is borrowed until complete(arg, status); else AGAIN. */
  int (*give)(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
              struct mpj_cursor *source, mpj_am_complete_fn *complete, void *arg);
  /* Inside mpj_far_offer: take what is offered into the rest of dst, which has just
   * that size; borrowed until complete(arg, status), which may come at once. */
  int (*take)(struct mpj_carrier *c, void *offer, struct mpj_cursor *dst,
              mpj_am_complete_fn *complete, void *arg);
  /* Give a kept payload back. */
  void (*release)(struct mpj_carrier *c, void *payload);
  bool (*poll)(struct mpj_carrier *c);
  /* Poll until what was posted has left this process, or `seconds` have passed. */
  void (*flush)(struct mpj_carrier *c, double seconds);
  /* Sleep until something comes, or `ms` milliseconds; net is away meanwhile. */
  void (*sleep)(struct mpj_carrier *c, int ms, struct mpj_net *net);
  /* See that what was posted to peers that are not gone leaves, and free everything. */
  void (*close)(struct mpj_carrier *c);
};

struct mpj_carrier {
  const struct mpj_carrier_ops *ops;
  struct mpj_far *far; /* whom to call back */
  bool one_thread;     /* the rank's threads may not take turns at it */
  /* Whether every peer is connected at the start, since the loss of one while it is connected later
   * might not be noticed, or be fatal; else each is when there is a first message for it, or from
   * it. */
  bool connects_all;
};

enum { MPJ_FAR_ADDRESS_MAX = MPJ_CARD_BYTES - 64 }; /* what a rank publishes holds it */

/* A message has come from rank `source`, as the carrier knows. head: `head_bytes` bytes as they
 * came. payload: `bytes` bytes or NULL. Returns whether the payload is kept until release. */
bool mpj_far_receive(struct mpj_far *far, int source, const void *head, size_t head_bytes,
                     void *payload, size_t bytes);

/* A stream of `bytes` bytes is offered by `source`. Returns whether it was taken. */
bool mpj_far_offer(struct mpj_far *far, int source, const void *head, size_t head_bytes,
                   void *offer, size_t bytes);

/* A peer that this carrier was not told to connect asks for the connection: have it connected.
 * False: it is gone, it cannot be, or there is no memory. */
bool mpj_far_meet(struct mpj_far *far, int peer);
/* Whether the network reaches it: it has been met, or has an address. */
bool mpj_far_may_meet(const struct mpj_far *far, int peer);

/* The connection to `peer` has failed for good. */
void mpj_far_lost(struct mpj_far *far, int peer, int error);

/* Whether nothing more is to be sent to `peer`, or waited for from it. */
bool mpj_far_is_gone(const struct mpj_far *far, int peer);

#endif
