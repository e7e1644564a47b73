/* This header declares how processes that have an exchange of their own become a job. */
#ifndef MPJ_SRC_NET_BOOT_PEERS_H
#define MPJ_SRC_NET_BOOT_PEERS_H

#include <mpj/peers.h>

#include "net/net.h"

/* MPJ_SUCCESS, or MPJ_ERR_ARG and what is wrong with it. */
int mpj_peers_check(const struct MPJ_Peers *peers);

/* Open this process's endpoint; all peers call it, and succeed or fail together. *net is
 * NULL where there is one alone. Errors: as mpj_boot_join, MPJ_ERR_PEER (the exchange
 * failed), another rank's. */
int mpj_boot_peers(const struct MPJ_Peers *peers, struct mpj_net **net);

#endif
