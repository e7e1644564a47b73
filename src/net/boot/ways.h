/* This header declares what MPJ_TRANSPORT asks for, and the choice of a carrier: what brings
 * messages to the ranks with which this one shares no memory. */
#ifndef MPJ_SRC_NET_BOOT_WAYS_H
#define MPJ_SRC_NET_BOOT_WAYS_H

#include <stdbool.h>

#include "net/boot/launch.h"
#include "net/far/carrier.h"

/* Whether ranks of one node reach each other by the memory that they share. */
bool mpj_ways_share_memory(void);

/* Whether the ranks may use nothing but that. */
bool mpj_ways_need_one_node(void);

/* Open the carrier. MPI's messages, where asked for; else UCX. Where nothing is asked for and
 * all ranks have messages among them, those stand in for a UCX that any rank lacks: an exchange
 * of `launch` tells.
 *   messages  whether all ranks have them; the same on all
 * All ranks call it. Errors: MPJ_ERR_UNSUPPORTED (no such carrier), MPJ_ERR_PEER, MPJ_ERR_FORMAT,
 * MPJ_ERR_NO_MEM. */
int mpj_ways_open(struct mpj_launch *launch, bool messages, struct mpj_carrier **carrier);

#endif
