/* This header declares how two ranks prove to each other that both know their job's secret, before
 * either handles a message of the other. The asker is who has a first message for the other.
 *
 *   asker -> answerer   ASK     its nonce
 *   answerer -> asker   ANSWER  both nonces, and a code over them
 *   asker -> answerer   PROOF   both nonces, and another code over them
 *
 * Upon an ANSWER that is right the asker may send, behind its PROOF, and hear; upon a PROOF that is
 * right the answerer may. Both codes are over what each said, who asked whom and which of the two
 * messages it is, so that none can be taken for another, or be sent back to its maker.
 *
 * A nonce is drawn when an endpoint is made, and is its only one: an answerer that has heard ASK
 * keeps nothing, and what was recorded of an endpoint that is gone proves nothing to the next.
 * What was recorded of this one proves only what has been proved.
 *
 * A connection is known by its number at the receiver and by a key of 64 bits for each
 * direction, which follows from secret, ranks and nonces and is never sent before the connection
 * stands. If both ask at the same time, both find the same keys.
 *
 *   at a rank, of a peer   event                      next
 *   -                      a first message to send    ASK is sent, again now and then
 *   -                      ASK                        ANSWER is sent
 *   -                      ANSWER, right              PROOF is sent; the connection stands
 *   -                      PROOF, right               the connection stands
 *   any                    ANSWER or PROOF, wrong     the same
 *   stands                 ASK, ANSWER, PROOF         the same; nothing is sent */
#ifndef MPJ_SRC_NET_FAR_HANDSHAKE_H
#define MPJ_SRC_NET_FAR_HANDSHAKE_H

#include <stdint.h>

#include "net/far/mac.h"

enum { MPJ_NONCE_BYTES = 16 };
enum mpj_hello_kind { MPJ_HELLO_ASK, MPJ_HELLO_ANSWER, MPJ_HELLO_PROOF };

/* Each of the three, as it travels. */
struct mpj_hello {
  uint32_t magic;
  uint32_t kind;
  int32_t from;        /* rank of the sender */
  uint32_t connection; /* by which the sender will know the receiver's messages */
  unsigned char asker[MPJ_NONCE_BYTES];
  unsigned char answerer[MPJ_NONCE_BYTES]; /* 0 in ASK */
  unsigned char mac[MPJ_MAC_BYTES];        /* 0 in ASK */
};

/* By what a rank's endpoint proves who it is. */
struct mpj_identity {
  int rank;
  unsigned char nonce[MPJ_NONCE_BYTES];
  unsigned char secret[MPJ_SECRET_BYTES];
};

/* Of a connection that stands. */
struct mpj_keys {
  uint64_t in, out;    /* of messages from the peer, and to it */
  uint32_t connection; /* this rank's number at the peer */
};

/* Errors: MPJ_ERR_UNSUPPORTED (mac.h), MPJ_ERR_INTERNAL (no random bytes). */
int mpj_identity_make(int rank, const unsigned char secret[MPJ_SECRET_BYTES],
                      struct mpj_identity *identity);
void mpj_identity_wipe(struct mpj_identity *identity);

/* Read what came; false: it is none of the three. Nothing of it is proved by that. */
bool mpj_hello_read(const void *came, size_t bytes, struct mpj_hello *hello);

/* The three messages: `connection` is this rank's number for the other. prove and accept return
 * false, and have set nothing, if what came proves nothing. */
void mpj_hello_ask(const struct mpj_identity *self, uint32_t connection, struct mpj_hello *ask);
void mpj_hello_answer(const struct mpj_identity *self, uint32_t connection,
                      const struct mpj_hello *ask, struct mpj_hello *answer);
bool mpj_hello_prove(const struct mpj_identity *self, uint32_t connection,
                     const struct mpj_hello *answer, struct mpj_hello *proof,
                     struct mpj_keys *keys);
bool mpj_hello_accept(const struct mpj_identity *self, const struct mpj_hello *proof,
                      struct mpj_keys *keys);

#endif
