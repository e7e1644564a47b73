/* This header declares how an endpoint to other machines begins and connects. */
#ifndef MPJ_SRC_NET_FAR_FAR_CONNECT_H
#define MPJ_SRC_NET_FAR_FAR_CONNECT_H

#include "net/far/far.h"

/* Make the transport of rank `rank` of `size` over this carrier, which it owns
 * from now on, also if it fails. Errors: MPJ_ERR_NO_MEM. */
int mpj_far_open(struct mpj_carrier *carrier, int rank, int size, struct mpj_far **far);

/* The job's secret [MPJ_SECRET_BYTES], before the first connect: carrier.h. */
int mpj_far_trust(struct mpj_far *far, const unsigned char *secret);

/* Handlers are net's; exposures those of home. */
void mpj_far_begin(struct mpj_far *far, struct mpj_net *net, struct mpj_cells *home);

#endif
