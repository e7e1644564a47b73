/* This header declares how ranks that a launcher has introduced to each other
 * become a job: who is on whose node, a segment a node, connections between. */
#ifndef MPJ_SRC_NET_BOOT_JOIN_H
#define MPJ_SRC_NET_BOOT_JOIN_H

#include "net/boot/launch.h"
#include "net/net.h"

/* Open this rank's endpoint. The ranks of one node share
 * one that the lowest of them makes; they reach each other by it unless
 * MPJ_TRANSPORT says otherwise, and everybody else over the network.
 * launch: moved to the endpoint on success. All ranks call it.
 * Errors: MPJ_ERR_ARG (ranks whose settings differ), MPJ_ERR_UNSUPPORTED (several
 * nodes and no network), MPJ_ERR_PEER, MPJ_ERR_FORMAT, MPJ_ERR_NO_MEM. */
int mpj_boot_join(struct mpj_launch *launch, struct mpj_net **net);

/* The same for ranks that share the segment of `local` already, all of one node:
 * put every message on the network, as MPJ_TRANSPORT asks. local: moved on
 * success. */
int mpj_boot_join_over_network(struct mpj_net *local, struct mpj_net **net);

#endif
