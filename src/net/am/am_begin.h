/* This header declares how the active messages of an endpoint begin, advance and end. */
#ifndef MPJ_SRC_NET_AM_AM_BEGIN_H
#define MPJ_SRC_NET_AM_AM_BEGIN_H

#include "net/am/requests.h"

/* The runtime over an endpoint (NULL: a rank alone). Errors: MPJ_ERR_NO_MEM. It
 * stops before the endpoint closes and ends after it, when nobody can be in the
 * middle of a copy any more. Messages under way are dropped; sent functions are then
 * not called. */
int mpj_am_begin(struct mpj_net *net, struct mpj_am **am);
void mpj_am_stop(struct mpj_am *am);
void mpj_am_end(struct mpj_am *am);

/* Let messages for `handler` run these, also those that came before. */
void mpj_am_set_handler(struct mpj_am *am, int handler, const struct mpj_am_handler *h);

/* Move everything on that the layer below does not; hung into mpj_net_poll. */
bool mpj_am_advance(void *am);
/* Ask the ranks that have numbers of ours for ACKs, once each (anew: again). */
void mpj_am_ask_for_acks(struct mpj_am *am, bool anew);
/* When polls find nothing: end what ranks that have gone owe. Whether any have. */
bool mpj_am_notice(struct mpj_am *am);
const char *mpj_am_how_gone(const struct mpj_am *am, int rank, char how[MPJ_AM_HOW]);

#endif
