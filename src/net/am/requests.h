/* This header declares the runtime of users' active messages over any transport: it
 * uses mpj_net_short, _eager, _expose and _pull, and nothing of what is below.
 *
 * A request has one of WINDOW numbers of the pair (sender, receiver) and a record on
 * either side under it: the sender's holds the request going out and the reply
 * coming in, the receiver's the request coming in and the reply going out. So what
 * comes always finds room, and a reply needs no credit of its own.
 *
 * Invariants, for each pair:
 *   numbers free at the sender | used at the receiver | on the way = all, disjoint
 *   a number returns by ACK or REFUSED alone
 *
 * A number at the receiver:        free -> used (message) -> done (dealt with, reply
 *                                  out) -> free (ACK sent)
 * A number at the sender:          free -> used (MPJ_Am_send) -> free (ACK has come,
 *                                  data has left, reply is dealt with)
 * ACKs are sent for many at once: when half of the numbers are done, when none is
 * free any more, or when the sender asks by FLUSH. */
#ifndef MPJ_SRC_NET_AM_REQUESTS_H
#define MPJ_SRC_NET_AM_REQUESTS_H

#include <mpj/am.h>

#include "net/net.h"
#include "types/signature.h"

enum { MPJ_AM_WINDOW = 32, MPJ_AM_SMALL = 40 }; /* numbers; bytes beside the wire header */

/* Handlers besides the users': puts and gets (region.h). */
enum { MPJ_AM_PUT = MPJ_AM_HANDLERS_MAX, MPJ_AM_GET, MPJ_AM_HANDLERS_ALL };

struct mpj_am;

/* Data here, by layout. */
struct mpj_am_data {
  struct mpj_view view; /* holds a reference to its layout; layout NULL: no data */
  void *buf;
};

/* A message going out. */
struct mpj_am_post {
  bool active; /* from the call until its data has left */
  bool queued; /* not sent yet */
  bool prefixed;
  bool exposed;
  bool reply;
  uint8_t handler, header_bytes, number;
  int peer;
  unsigned char header[MPJ_AM_HEADER_MAX];
  struct mpj_am_data data;
  MPJ_Count bytes;
  uint64_t digest; /* of the signature */
  struct mpj_am_remote remote;
  MPJ_Am_sent_function *sent;
  void *arg;
  struct mpj_am_post *next; /* in the peer's queue */
  struct mpj_am *am;
};

enum mpj_am_message_state {
  MPJ_AM_MESSAGE_NONE,
  MPJ_AM_MESSAGE_RUN,     /* its header handler is running */
  MPJ_AM_MESSAGE_HELD,    /* nobody has registered for it yet */
  MPJ_AM_MESSAGE_LATER,   /* waits for MPJ_Am_accept */
  MPJ_AM_MESSAGE_PULL,    /* its pull is to be begun */
  MPJ_AM_MESSAGE_PULLING, /* under way */
  MPJ_AM_MESSAGE_DONE     /* dealt with; the record waits for the reply to leave */
};

/* Where the payload is. */
enum mpj_am_where { MPJ_AM_NOWHERE, MPJ_AM_HERE, MPJ_AM_SLOT, MPJ_AM_THERE, MPJ_AM_SELF };

/* A message that has come. */
struct mpj_am_message {
  enum mpj_am_message_state state;
  enum mpj_am_where where;
  bool reply;     /* it is one, so that it gets none */
  bool replied;   /* it has got one */
  bool slot_kept; /* SLOT: to be given back by mpj_net_release */
  int hands;      /* handlers of it that are running */
  int status;     /* PULL without a target: why its payload is dropped */
  uint8_t handler, number;
  uint16_t version; /* of the handler when the header handler ran */
  MPJ_Am_info info; /* info.header points to the copy below */
  unsigned char header[MPJ_AM_HEADER_MAX];
  unsigned char small[MPJ_AM_SMALL]; /* HERE */
  struct mpj_am_kept kept;           /* SLOT */
  struct mpj_am_remote remote;       /* THERE */
  struct mpj_am_post *self;          /* SELF; also a reply's */
  struct mpj_am_exposed *region;     /* that a put or a get is at */
  uint64_t digest;
  struct mpj_am_data target;
  struct mpj_cursor cursor; /* PULLING */
  void *scratch;            /* owned: a called function's arguments (src/coll/rpc/am_call.c), or
                               a get whose reply this is (region.c); freed at its end */
  struct mpj_am *am;
};

/* Who waits for a reply is told once of an error in its place. */
struct mpj_am_outcome {
  int status;                                               /* the error; MPJ_SUCCESS before */
  void (*told)(struct mpj_am_outcome *outcome, int status); /* or NULL */
};

struct mpj_am_record {
  struct mpj_am_post post;
  struct mpj_am_message message;
  bool used;                      /* sender: the number is out */
  bool acked;                     /* sender: the receiver is through */
  struct mpj_am_outcome *outcome; /* sender: who waits for a reply; or NULL */
};

static inline struct mpj_am_record *mpj_am_record_of(struct mpj_am_message *m)
{
  return (struct mpj_am_record *)((char *)m - offsetof(struct mpj_am_record, message));
}

struct mpj_am_exposed;

struct mpj_am_peer {
  struct mpj_am_peer *next_met;   /* while it has been met */
  bool met;                       /* a message has gone, or come */
  struct mpj_am_record *out, *in; /* [WINDOW] each, made when first needed */
  uint32_t taken;                 /* sender: numbers that are in use */
  uint32_t used, done;            /* receiver: numbers with a message; dealt with, not acked */
  uint32_t refused;               /* receiver: to be told; the codes: */
  uint8_t refusal[MPJ_AM_WINDOW];
  bool flush, asked;                /* the peer wants ACKs soon; we have asked it for them */
  bool gone;                        /* it has died or left, and its requests have been ended */
  struct mpj_am_post *first, *last; /* posts that wait for room, in order */
  uint8_t prefix_bytes;             /* a header that came ahead of its message */
  unsigned char prefix[MPJ_AM_HEADER_MAX];
};

struct mpj_am_handler {
  MPJ_Am_header_function *on_header;
  MPJ_Am_completion_function *on_complete;
  void *ctx;
  bool registered;
  uint16_t version; /* counts the registrations */
};

/* What is run for the handlers besides the users': a message has come, which is then dealt with;
 * its payload is in place, or cannot be had. */
struct mpj_am_own_handlers {
  void (*header)(struct mpj_am_message *m);
  void (*complete)(struct mpj_am_message *m, int status);
};

struct mpj_am {
  struct mpj_net *net; /* borrowed; NULL: a rank alone */
  int rank, size;
  bool in_handler;
  bool running;                   /* progress is; it does not nest */
  bool attention;                 /* something waits for progress */
  bool look_at_held;              /* a handler has been registered */
  struct mpj_am_message *current; /* whose handler runs, or NULL */
  unsigned under_way;             /* numbers out */
  uint32_t changes;               /* of ranks' states, looked at */
  int error;                      /* of a request, since the last flush */
  char why[200];
  struct mpj_am_peer *peers; /* [size] */
  struct mpj_am_peer *met; /* those of them that have been met; of the others `gone` alone is set */
  struct mpj_am_handler handlers[MPJ_AM_HANDLERS_MAX];
  const struct mpj_am_own_handlers *of_regions;
  struct mpj_am_exposed *regions; /* [MPJ_AM_REGIONS_MAX], owned, made when first needed */
  uint64_t region_serial;         /* of the last one */
};

/* Whether the handler was registered anew since the message's header handler ran. */
static inline bool mpj_am_registered_anew(const struct mpj_am_message *m)
{
  return m->version != m->am->handlers[m->handler].version;
}

/* Post a request (post.c): contract as MPJ_Am_send, of checked arguments, but AGAIN
 * where no number is free. data is retained. outcome: see struct mpj_am_record. */
int mpj_am_request(struct mpj_am *am, int dest, int handler, const void *header, int header_bytes,
                   const struct mpj_am_data *data, uint64_t digest, MPJ_Am_sent_function *sent,
                   void *arg, struct mpj_am_outcome *outcome);
/* Answer a message that has got no reply yet: contract as MPJ_Am_reply. */
void mpj_am_answer(struct mpj_am_message *m, int handler, const void *header, int header_bytes,
                   const struct mpj_am_data *data, uint64_t digest, MPJ_Am_sent_function *sent,
                   void *arg);

/* Take the next post out of a peer's queue; NULL: there is none (post.c). */
struct mpj_am_post *mpj_am_next_queued(struct mpj_am_peer *p);
/* Send what stands in the queue of a peer, not this rank's own; whether anything was (post.c). */
bool mpj_am_send_queued(struct mpj_am *am, int peer);
/* Give up a post: its data is the caller's again (post.c). */
void mpj_am_drop_post(struct mpj_am_post *post, int status);

/* Say where the payload of a message that waits goes (arrive.c). */
void mpj_am_take(struct mpj_am_message *m, const struct mpj_am_data *target, uint64_t digest);
/* Begin the pulls that are to be begun; *left: some could not be (arrive.c). */
bool mpj_am_begin_pulls(struct mpj_am_record *records, bool *left);
/* Let the sender of a request hear of this error, at once with its end (arrive.c). */
void mpj_am_refuse(struct mpj_am *am, int peer, unsigned number, int code);
/* A request of ours met an error: tell who waits for it, else keep it for a flush. */
void mpj_am_tell(struct mpj_am *am, struct mpj_am_record *r, int status);
/* The payload of a message that waits is not wanted, for status (arrive.c). */
void mpj_am_leave(struct mpj_am_message *m, int status);
/* A request was refused where it went (arrive.c). */
void mpj_am_on_refusal(struct mpj_am *am, int peer, unsigned number, int code);
/* The handler of the layer below (arrive.c). */
enum mpj_am_verdict mpj_am_on_message(void *ctx, const struct mpj_am_arrival *arrival,
                                      struct mpj_am_dest *dest);
/* A post to this rank itself has come to its turn (arrive.c). */
void mpj_am_deliver_to_self(struct mpj_am *am, struct mpj_am_post *post);
/* A message whose handler has been registered by now (arrive.c). */
void mpj_am_run_held(struct mpj_am_message *m);

/* How a rank has gone, in words: "left", "was killed by ..."; NULL: it has not. */
enum { MPJ_AM_HOW = 80 };
/* The data at buf through type (MPJ_DATATYPE_NULL: none), borrowed, and the digest
 * of its signature. Errors: MPJ_ERR_TYPE, MPJ_ERR_ARG. */
int mpj_am_data_of(const void *buf, MPJ_Datatype type, struct mpj_am_data *data, uint64_t *digest);
/* The sender's number is free if all is over with it. */
void mpj_am_release(struct mpj_am *am, int peer, struct mpj_am_record *r);
/* The receiver's record is free if all is over with it. */
void mpj_am_retire(struct mpj_am *am, int peer, struct mpj_am_record *r);
void mpj_am_note_error(struct mpj_am *am, int status);
/* The peer behind a rank, to which a message goes, or from which one has come. */
struct mpj_am_peer *mpj_am_meet(struct mpj_am *am, int rank);
static inline int mpj_am_peer_rank(const struct mpj_am *am, const struct mpj_am_peer *peer)
{
  return (int)(peer - am->peers);
}
/* The records of a peer, made if need be; NULL: no memory. */
struct mpj_am_record *mpj_am_records(struct mpj_am_record **records);

/* Whether m, which may be any word, is a message that has come and is not over. O(1) in its
 * handlers, else O(peers met). */
bool mpj_am_has(const struct mpj_am *am, const struct mpj_am_message *m);

/* Bytes of data; 0 where there is none. */
static inline MPJ_Count mpj_am_bytes(const struct mpj_am_data *data)
{
  return data->view.layout ? mpj_view_bytes(&data->view) : 0;
}

/* Retain, release. */
void mpj_am_hold(struct mpj_am_data *to, const struct mpj_am_data *data);
void mpj_am_let_go(struct mpj_am_data *data);

#endif
