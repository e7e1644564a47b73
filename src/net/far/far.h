/* This header declares the far transport: active messages to ranks that this one
 * shares no memory with, over a carrier (carrier.h). Where a
 * segment has slots and exposures there are messages here:
 *
 *   eager      EAGER, of which T may be unreleased at the peer; the tokens come
 *              back on whatever goes there, at the latest with TOKENS
 *   pull       REQUEST to the owner, who gives the stream (DATA), or GONE; answered
 *              by TAKEN, so that the owner stays in its call until all is there
 *   withdraw   WITHDRAWN to all that were met, who remember it: they may come to pull when the
 *              owner has left the library
 *   decline    DECLINE
 *
 * Exposures and common memory are those of the rank's own endpoint in
 * its node's segment, the `home` endpoint: near and far peers find the same.
 *
 * A pull at the receiver: ASK (there was no room for the request yet), WAIT,
 * MOVING, MOVED. A request at the owner: GIVE (no room yet), GIVING until the stream has
 * left and TAKEN has come, REFUSE.
 *
 * A peer is met at the first message to it, or from it; until then nothing is kept of it:
 *
 *   state  event                             next
 *   unmet  a message for it                  met: the carrier connects; the message finds no room
 *   unmet  it asks for the connection        met (carrier)
 *   unmet  DIED of it, by its node           lost (life.c); nobody connects to it
 *   unmet  no address, or no connection      lost, EADDRNOTAVAIL
 *   met    its connection stands             messages find room
 *   met    its connection fails              lost
 *
 * Who waits for a rank asks it after a while whether both are in the same operation
 * (coll/failure/watch.c): so a peer that ended before it was met is met, and lost, then.
 *
 * Memory: for each peer met 64 messages under way, 4 requests, T kept payloads. */
#ifndef MPJ_SRC_NET_FAR_FAR_H
#define MPJ_SRC_NET_FAR_FAR_H

#include "net/cells/cells.h"
#include "net/far/carrier.h"
#include "net/far/directory.h"
#include "net/pull/pull.h"

enum mpj_far_kind {
  MPJ_FAR_SHORT,
  MPJ_FAR_EAGER,
  MPJ_FAR_REQUEST,
  MPJ_FAR_DATA,
  MPJ_FAR_GONE,
  MPJ_FAR_TAKEN,
  MPJ_FAR_DECLINE,
  MPJ_FAR_WITHDRAWN,
  MPJ_FAR_TOKENS,
  MPJ_FAR_BYE,
  MPJ_FAR_BYE_SEEN,
  MPJ_FAR_DIED,
  MPJ_FAR_KINDS
};

/* Bodies. */
struct mpj_far_request { /* REQUEST; DATA, TAKEN: both ids; GONE: pull; DECLINE, WITHDRAWN: exposure
                          */
  uint64_t exposure, pull;
  int64_t bytes;
};
struct mpj_far_bye {
  int32_t state, cause;
};
struct mpj_far_died { /* a rank of the sender's node, and why */
  int32_t rank, cause;
};

/* The steps of a pull by the network; MOVED: p->status says how. */
enum { MPJ_FAR_ASK, MPJ_FAR_WAIT, MPJ_FAR_MOVING, MPJ_FAR_MOVED };

enum mpj_far_serve_state { MPJ_FAR_SERVE_FREE, MPJ_FAR_GIVE, MPJ_FAR_GIVING, MPJ_FAR_REFUSE };
struct mpj_far_serve {
  enum mpj_far_serve_state state;
  int peer;
  uint64_t exposure, pull;
  bool left, taken; /* in GIVING */
  struct mpj_far *far;
  struct mpj_cursor cursor; /* over the exposed view, in GIVE and GIVING */
};

/* All zeros: neither has sent the other anything, and the peer is taken to be there. */
struct mpj_far_peer {
  struct mpj_far_peer *next; /* in far->known */
  int rank;
  bool known;    /* it is in that list: it has been met, or news of it has come */
  bool met;      /* the carrier was told to connect it */
  bool heard;    /* something has come from it */
  bool greeted;  /* the connection to it stands, and something has been sent */
  bool bye_said; /* it has been sent BYE */
  enum mpj_rank_state state;
  int cause;
  double lost_at; /* when its connection failed; 0: it has not */
  int lost_cause;
  int tokens;          /* eager messages that we may send */
  unsigned kept;       /* payloads of its that are not released */
  unsigned owed;       /* tokens to give back */
  bool bye_seen;       /* it knows that we leave */
  uint32_t *withdrawn; /* [MPJ_EXPOSURES] generations of its that it took back last, or NULL */
};

struct mpj_far {
  struct mpj_transport head; /* first; expose and withdraw are the route's */
  struct mpj_cells *home;    /* borrowed */
  struct mpj_carrier *carrier;
  int rank, size;
  int tokens;       /* of a pair */
  uint32_t changes; /* of a far peer's state */
  bool closing;     /* messages for handlers are dropped */
  bool sent;        /* something, since the last settling */
  bool debts;       /* somebody may be owed tokens */
  unsigned nlost;
  unsigned connections;            /* peers that were met */
  struct mpj_directory *directory; /* owned: where their addresses are; NULL: all have been met */
  struct mpj_far_peer *peers;      /* [size], a table: of those not known nothing is written */
  struct mpj_far_peer *known;      /* list */
  unsigned active_serves, nserves, nlate;
  unsigned top_serve; /* those from it on have never been used */
  struct mpj_pulls pulls;
  struct mpj_far_serve *serves; /* [nserves], a table */
  struct mpj_far_late *late;    /* owned list of nlate requests, at most nserves */
};

/* Meet everybody in the directory and exchange a first message: for a carrier that connects all.
 * All ranks call it; it waits for 10 s at most. Errors: MPJ_ERR_PEER (a rank cannot be connected,
 * or takes nothing in). */
int mpj_far_greet(struct mpj_far *far);

/* meet.c, of a peer that is not near: it cannot be reached any more; connect to it, who was not
 * met. */
void mpj_far_note_lost(struct mpj_far *far, int peer, int cause);
int mpj_far_connect(struct mpj_far *far, int peer, const void *address, size_t bytes);

/* Tell the far peers that were met that a rank of this node has died, as they may have no other way
 * to know. */
void mpj_far_tell_death(struct mpj_far *far, int rank, int cause);

/* post.c: send to a peer, for the files of this folder: what begins a message of `kind` to it, with
 * all tokens that are owed; such a message with a payload; one without. */
struct mpj_far_head mpj_far_head_for(struct mpj_far *far, int peer, enum mpj_far_kind kind,
                                     const void *body, size_t bytes);
int mpj_far_post_head(struct mpj_far *far, int peer, const struct mpj_far_head *head,
                      struct mpj_cursor *payload, MPJ_Count bytes, bool urgent);
int mpj_far_post(struct mpj_far *far, int peer, enum mpj_far_kind kind, const void *body,
                 size_t bytes, bool urgent);

/* long.c: pulls, and the requests of others. */
int mpj_far_pull(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
                 struct mpj_cursor *dst, const struct mpj_pull_how *how,
                 mpj_am_complete_fn *complete, void *arg);
/* Before the first pull. */
void mpj_far_pulls_begin(struct mpj_far *far);
void mpj_far_on_request(struct mpj_far *far, int source, const struct mpj_far_request *request);
/* Begin to take what is offered for a pull that waits for it; whether it began. */
bool mpj_far_take(struct mpj_far *far, struct mpj_pull *p, void *offer);
void mpj_far_on_gone(struct mpj_far *far, int source, const struct mpj_far_request *m);
void mpj_far_on_taken(struct mpj_far *far, int source, const struct mpj_far_request *m);
void mpj_far_on_withdrawn(struct mpj_far *far, int source, const struct mpj_far_request *m);
/* Tell all who can have heard of it that they need not come to pull this. */
void mpj_far_tell_withdrawn(struct mpj_far *far, uint64_t exposure);
void mpj_far_on_decline(struct mpj_far *far, const struct mpj_far_request *m);
bool mpj_far_poll_long(struct mpj_far *far);
void mpj_far_free_late(struct mpj_far *far);
/* Whether an exposure is being given to somebody, which cannot be stopped. */
bool mpj_far_is_giving(const struct mpj_far *far, uint64_t exposure);

/* life.c: how peers leave. */
void mpj_far_on_bye(struct mpj_far *far, int source, const struct mpj_far_bye *m);
/* False: it makes no sense. */
bool mpj_far_on_died(struct mpj_far *far, int source, const struct mpj_far_died *m);
bool mpj_far_poll_lost(struct mpj_far *far);
enum mpj_rank_state mpj_far_peer_state(struct mpj_transport *t, int peer, int *cause);
void mpj_far_close(struct mpj_transport *t, enum mpj_rank_state state, int cause);

#endif
