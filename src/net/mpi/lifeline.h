/* This header declares lifelines: an idle connection from each rank to each rank on another
 * node, for peers whose messages go by a library that tells nobody of a loss. The kernels
 * keep it: one whose process ends closes it, and one that is not there any more does not
 * answer the other's question, 1 s apart, three times. So a rank that computes, or is
 * stopped, is not taken for dead, whatever it calls.
 *
 * Nothing travels on it but a greeting, in which both sides show that they know the other's
 * token, and so are the ranks they claim to be. All of it happens in polls; a rank that
 * cannot be reached so has no lifeline, and nobody waits for one. */
#ifndef MPJ_SRC_NET_MPI_LIFELINE_H
#define MPJ_SRC_NET_MPI_LIFELINE_H

#include <stdbool.h>
#include <stdint.h>

enum { MPJ_LIFELINE_TOKEN = 16, MPJ_LIFELINE_ADDRESSES = 16 };

/* Where a rank may be reached; travels. IPv4's addresses as IPv6's. */
struct mpj_lifeline_card {
  unsigned char token[MPJ_LIFELINE_TOKEN];
  uint16_t port, addresses; /* addresses 0: it cannot be reached */
  unsigned char address[MPJ_LIFELINE_ADDRESSES][16];
};

struct mpj_lifelines;

/* For rank `rank` of `size`; NULL without sockets or memory: then there are none. */
struct mpj_lifelines *mpj_lifelines_open(int rank, int size);
const struct mpj_lifeline_card *mpj_lifelines_card(const struct mpj_lifelines *l);

/* Have one to `peer`, whose card this is; each is copied. */
void mpj_lifelines_tie(struct mpj_lifelines *l, int peer, const struct mpj_lifeline_card *card);

/* Move greetings on, and call lost(ctx, peer, error), once, for each whose line is cut. */
void mpj_lifelines_poll(struct mpj_lifelines *l, void (*lost)(void *ctx, int peer, int error),
                        void *ctx);

/* Whether some are still to be tied, or found to be impossible. */
bool mpj_lifelines_loose(const struct mpj_lifelines *l);

/* Let go of all; peers that have not heard why take this rank for lost. NULL: nothing. */
void mpj_lifelines_close(struct mpj_lifelines *l);

#endif
