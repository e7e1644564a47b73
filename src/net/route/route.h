/* This header declares the route: the transport of a rank that reaches some
 * peers through its node's segment and the others over the network, each by the
 * best that both have. It passes every call on to the transport of the peer, by
 * that transport's number for it; what is a rank's own (window, exposures) is in
 * its node's segment. */
#ifndef MPJ_SRC_NET_ROUTE_ROUTE_H
#define MPJ_SRC_NET_ROUTE_ROUTE_H

#include "net/far/far.h"

/* Join the endpoint `local` of this node's ranks, whose rank i is members[i] in
 * the job, [local->size], and the far transport, for rank `rank` of `size`.
 *   shared  members are reached through local; else they, too, are far peers
 *   cores   that all the ranks together may keep busy
 * local and far are moved on success; the far transport then begins.
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_route_open(struct mpj_net *local, const int members[], bool shared, struct mpj_far *far,
                   int rank, int size, int cores, struct mpj_net **net);

#endif
