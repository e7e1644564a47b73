/* This header declares the state of the carrier over peers' messages.
 *
 * A message of ours is one of theirs, under TAG_MESSAGE: a wire head, the far transport's
 * head, the payload. Receives for RING of them are posted at any time, and looked at in the
 * order of posting, which is that of arrival. A stream is offered by such a message, and follows in
 * pieces under a tag of its own, which is not used again as long as it may be under way. */
#ifndef MPJ_SRC_NET_MPI_STATE_H
#define MPJ_SRC_NET_MPI_STATE_H

#include "net/mpi/lifeline.h"
#include "net/mpi/mpi.h"

enum { MPJ_MPI_RING = 16, MPJ_MPI_SENDS = 64, MPJ_MPI_URGENT_SENDS = 72 }; /* sends: to a peer */
enum { MPJ_MPI_TAG_MESSAGE = 1, MPJ_MPI_TAG_STREAM = 2, MPJ_MPI_STREAM_TAGS = 8192 };
enum { MPJ_MPI_PIECE = 1 << 20 };

struct mpj_mpi_wire {
  uint32_t head_bytes;
  int32_t tag; /* of the stream that is offered; 0: a message */
  uint64_t bytes;
};
/* Where the payload of a message begins. */
enum { MPJ_MPI_FIXED = (sizeof(struct mpj_mpi_wire) + sizeof(struct mpj_far_head) + 15) / 16 * 16 };

/* A message that leaves. */
struct mpj_mpi_send {
  struct mpj_mpi_send *next;
  int peer;
  void *request;
  unsigned char data[]; /* [message_bytes] */
};

/* A stream under way, from here or to here. */
struct mpj_mpi_move {
  struct mpj_mpi_move *next;
  struct mpj_mpi *mpi;
  bool sending;
  int peer, tag;
  struct mpj_cursor *cursor; /* borrowed; NULL: nobody wants what comes */
  MPJ_Count left;            /* bytes, those of the piece under way too */
  MPJ_Count piece;           /* bytes under way; 0: none */
  void *request;
  unsigned char *buffer; /* owned: of a piece; NULL: the layout is dense, pieces lie in it */
  mpj_am_complete_fn *complete;
  void *arg;
};

/* A rank's address. */
struct mpj_mpi_address {
  int32_t rank;
  struct mpj_lifeline_card card; /* all 0: it has no lifelines */
};

struct mpj_mpi {
  struct mpj_carrier head; /* first */
  const struct MPJ_Messages *messages;
  int rank, size;
  size_t message_bytes; /* of the longest message */
  bool failed;          /* the messages have: every peer is lost */
  unsigned *sends;      /* [size] under way */
  struct mpj_mpi_send *sending, *free_sends;
  struct mpj_mpi_move *moves;
  struct mpj_mpi_address address;
  struct mpj_lifelines *lines; /* or NULL */
  bool tied;                   /* the lifelines have had their time to be made */
  unsigned looks;              /* polls and naps so far */
  unsigned streams;            /* offered so far */
  unsigned oldest;             /* in the ring */
  unsigned char *ring[MPJ_MPI_RING];
  void *receives[MPJ_MPI_RING];
};

/* The messages do not work any more, or something impossible has come: everybody is lost. */
void mpj_mpi_fail(struct mpj_mpi *m);

/* Whether a send or receive has ended, which the carrier then forgets. */
bool mpj_mpi_has_ended(struct mpj_mpi *m, void **request, MPJ_Count *bytes);

/* messages.c: as mpj_carrier_ops' post, for a message that offers a stream (tag > 0), too. */
int mpj_mpi_send_message(struct mpj_mpi *m, int peer, const struct mpj_far_head *head,
                         struct mpj_cursor *payload, MPJ_Count bytes, int tag, bool urgent);
/* See which sends have ended; whether any has. */
bool mpj_mpi_poll_sends(struct mpj_mpi *m);
/* At the end: give up those under way, and free what can be freed. */
void mpj_mpi_end_sends(struct mpj_mpi *m);

/* move.c: the carrier's operations, and its part of a poll. */
int mpj_mpi_give(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
                 struct mpj_cursor *source, mpj_am_complete_fn *complete, void *arg);
int mpj_mpi_take(struct mpj_carrier *c, void *offer, struct mpj_cursor *dst,
                 mpj_am_complete_fn *complete, void *arg);
void mpj_mpi_on_offer(struct mpj_mpi *m, int peer, const struct mpj_mpi_wire *wire,
                      const void *head);
bool mpj_mpi_poll_moves(struct mpj_mpi *m);
void mpj_mpi_drop_moves(struct mpj_mpi *m);

#endif
