/* This header declares the UCX carrier's own state. */
#ifndef MPJ_SRC_NET_UCX_STATE_H
#define MPJ_SRC_NET_UCX_STATE_H

#include "net/far/handshake.h"
#include "net/ucx/calls.h"
#include "net/ucx/ucx.h"

/* Messages under way to one peer: ordinary ones, and urgent ones besides. */
enum { MPJ_UCX_SENDS = 64, MPJ_UCX_URGENT_SENDS = 1024 };

enum { MPJ_UCX_AM, MPJ_UCX_PIECE, MPJ_UCX_HELLO }; /* the ids of our messages */

/* What a message begins with: the key that goes with head.connection (far/handshake.h). */
struct mpj_ucx_head {
  uint64_t key;
  struct mpj_far_head head;
};
enum { MPJ_UCX_FIXED = offsetof(struct mpj_ucx_head, head) + MPJ_FAR_FIXED };

/* The stream of a layout, as UCX's generic datatype sees it. */
struct mpj_ucx_stream {
  struct mpj_cursor *cursor;   /* borrowed; at the stream's beginning */
  MPJ_Count first, bytes;      /* the stretch of the cursor's stream */
  const unsigned char *packed; /* instead of the cursor, once the layout has been given back */
};

/* What begins a rank's address. */
struct mpj_ucx_address {
  uint32_t worker_bytes, watched_bytes;
};

struct mpj_ucx_amount {
  unsigned messages;
  MPJ_Count bytes;
};

struct mpj_ucx;
struct mpj_ucx_gift;
struct mpj_ucx_arrival;
/* All zeros: it was not connected. */
struct mpj_ucx_peer {
  struct mpj_ucx *ucx;
  struct mpj_ucx_peer *next; /* in ucx->connected */
  int rank;
  ucp_ep_h ep;
  ucp_ep_h watch; /* a second, idle one, by which the kernel notices that it is gone */
  bool failed;
  bool stands;          /* the connection: each of the two has proved who it is */
  bool answered;        /* it has asked for the connection, and been answered */
  double ask_at;        /* when it may be asked for the connection again */
  double ask_pause;     /* and how long after that once more; 0: it was not asked */
  struct mpj_keys keys; /* once it stands */
  bool in_segments;     /* long data would go so (lanes.c) */
  unsigned sends;       /* under way */
  /* leave.c */
  bool posted; /* something, since it was seen to last; then it is in ucx->posted */
  struct mpj_ucx_peer *next_posted;
  struct mpj_ucx_amount behind;  /* sent since the last flush that has ended was begun */
  struct mpj_ucx_amount flushed; /* of it, before the flush under way was begun */
  ucs_status_ptr_t flush;        /* under way; NULL: none */
};

/* A message under way. */
struct mpj_ucx_send {
  struct mpj_ucx_send *next; /* free list */
  struct mpj_ucx_peer *peer;
  union {
    struct mpj_ucx_head head;
    struct mpj_hello hello;
  };
  struct mpj_ucx_stream stream;
  unsigned char *packed; /* [room], owned: for a payload that cannot leave at once */
  MPJ_Count room;
};

/* A stream between two layouts under way. */
struct mpj_ucx_move {
  struct mpj_ucx *ucx;
  struct mpj_ucx_head head; /* of a gift */
  struct mpj_ucx_stream stream;
  mpj_am_complete_fn *complete;
  void *arg;
};

/* Those who ask for a connection and are not connected, until the next poll; others ask again. */
enum { MPJ_UCX_ASKERS = 16 };

struct mpj_ucx {
  struct mpj_carrier head; /* first */
  const struct mpj_ucx_calls *call;
  int rank, size;
  ucp_context_h context;
  ucp_worker_h worker;
  ucp_datatype_t layout; /* the generic datatype: a buffer is a struct mpj_ucx_stream */
  /* Where the idle connections of others end. With one worker, UCX would make one
   * connection of two ranks' to each other, and only who had opened it would hear
   * of its loss. */
  ucp_worker_h watched;
  struct mpj_identity self;
  bool trusts;            /* self is set */
  bool warned;            /* of a message of nobody's */
  unsigned char *address; /* owned: struct mpj_ucx_address and the two addresses */
  size_t address_bytes;
  unsigned polls;
  int event_fd;
  struct mpj_ucx_send *free_sends;
  struct mpj_ucx_peer *posted;    /* those that something was posted to (leave.c) */
  struct mpj_ucx_peer *peers;     /* [size], a table: of those not connected nothing is written */
  struct mpj_ucx_peer *connected; /* list */
  struct mpj_hello asker[MPJ_UCX_ASKERS];
  unsigned askers;
  bool moved;                 /* a message was handled in this poll */
  struct mpj_ucx_gift *gifts; /* pieces.c: streams that leave, and that come */
  struct mpj_ucx_arrival *arrivals;
  uint32_t streams; /* that have left in pieces so far */
};

/* layout.c: the generic datatype over cursors. Errors: MPJ_ERR_NO_MEM. */
int mpj_ucx_make_layout(struct mpj_ucx *ucx);

/* leave.c: wait for a request, until `until` at most, and free it; whether it has ended.
 * count_sent: a message of so many bytes has been posted. leave: the carrier's operation `flush`.
 * end_flush: none is under way any more. */
bool mpj_ucx_await(struct mpj_ucx *ucx, ucs_status_ptr_t request, double until);
void mpj_ucx_count_sent(struct mpj_ucx_peer *peer, MPJ_Count bytes);
void mpj_ucx_leave(struct mpj_carrier *c, double seconds);
void mpj_ucx_end_flush(struct mpj_ucx_peer *peer);

/* hello.c: connections. trust is the carrier's operation. ask sends ASK to a peer whose connection
 * does not stand, unless it has just been sent. answer_askers is a poll's part: whoever has asked
 * and was not connected is, and is answered. */
int mpj_ucx_trust(struct mpj_carrier *c, const unsigned char *secret);
void mpj_ucx_ask(struct mpj_ucx_peer *peer);
void mpj_ucx_answer_askers(struct mpj_ucx *ucx);
ucs_status_t mpj_ucx_on_hello(void *arg, const void *header, size_t header_bytes, void *data,
                              size_t bytes, const ucp_am_recv_param_t *param);

/* sealed.c: seal fills in what a message to a peer whose connection stands begins with. sender_of
 * returns whose message it is that begins with these bytes, or NULL, with a warning: nobody has
 * proved to be its sender. warn says, once, that such a message has been dropped. */
void mpj_ucx_seal(const struct mpj_ucx_peer *peer, const struct mpj_far_head *head,
                  struct mpj_ucx_head *sealed);
struct mpj_ucx_peer *mpj_ucx_sender_of(struct mpj_ucx *ucx, const void *came, size_t bytes);
void mpj_ucx_warn(struct mpj_ucx *ucx);

/* send.c: a message to a peer that has not failed, or NULL: there is no memory. payload: `bytes`
 * bytes from where it is, or NULL. Then fill in its head, and send it under a number of UCX's; the
 * payload is behind what is sent, and the caller's again. */
struct mpj_ucx_send *mpj_ucx_new_send(struct mpj_ucx_peer *peer, struct mpj_cursor *payload,
                                      MPJ_Count bytes);
void mpj_ucx_send(struct mpj_ucx_send *send, unsigned id, size_t bytes);
void mpj_ucx_free_sends(struct mpj_ucx *ucx);

/* post.c, move.c: the carrier's operations (far/carrier.h). */
int mpj_ucx_post(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
                 struct mpj_cursor *payload, MPJ_Count bytes, bool urgent);
int mpj_ucx_give(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
                 struct mpj_cursor *source, mpj_am_complete_fn *complete, void *arg);
int mpj_ucx_take(struct mpj_carrier *c, void *offer, struct mpj_cursor *dst,
                 mpj_am_complete_fn *complete, void *arg);
void mpj_ucx_release(struct mpj_carrier *c, void *payload);
ucs_status_t mpj_ucx_on_message(void *arg, const void *header, size_t header_bytes, void *data,
                                size_t bytes, const ucp_am_recv_param_t *param);

/* lanes.c: whether UCX would cut long data to this peer into segments. */
bool mpj_ucx_goes_in_segments(const struct mpj_ucx *ucx, ucp_ep_h ep);

/* pieces.c: give and take for such peers, and their part of a poll. */
int mpj_ucx_give_pieces(struct mpj_ucx_peer *peer, const struct mpj_far_head *head,
                        struct mpj_cursor *source, mpj_am_complete_fn *complete, void *arg);
int mpj_ucx_take_pieces(struct mpj_ucx *ucx, struct mpj_cursor *dst, mpj_am_complete_fn *complete,
                        void *arg);
ucs_status_t mpj_ucx_on_piece(void *arg, const void *header, size_t header_bytes, void *data,
                              size_t bytes, const ucp_am_recv_param_t *param);
bool mpj_ucx_poll_pieces(struct mpj_ucx *ucx);
/* When no message is under way any more. */
void mpj_ucx_drop_pieces(struct mpj_ucx *ucx);

/* patience.c: which of the 16 descriptors from the lowest free one on are taken (a bit each). */
struct mpj_ucx_descriptors {
  int first; /* -1: none is free */
  unsigned taken;
};
struct mpj_ucx_descriptors mpj_ucx_descriptors(void);
/* Let the connections that are being made, and have got others of these since, fail after 3 s. A
 * socket that another thread connects just then is taken for one of them. */
void mpj_ucx_be_impatient(const struct mpj_ucx_descriptors *before);

/* fail.c: the peer cannot be reached any more. */
void mpj_ucx_fail(struct mpj_ucx_peer *peer, ucs_status_t status);

#endif
