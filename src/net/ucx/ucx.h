/* This header declares the carrier over UCX: ucp active messages, whose layouts
 * are packed and unpacked by cursors that UCX drives as a generic datatype. */
#ifndef MPJ_SRC_NET_UCX_UCX_H
#define MPJ_SRC_NET_UCX_UCX_H

#include "net/far/carrier.h"

/* A carrier for rank `rank` of `size`.
 * Errors: MPJ_ERR_UNSUPPORTED (UCX is not there, or finds no network),
 * MPJ_ERR_NO_MEM. */
int mpj_ucx_open(int rank, int size, struct mpj_carrier **carrier);

#endif
