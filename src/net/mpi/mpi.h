/* This header declares the carrier over the messages that peers have among them anyway:
 * MPI's, where nothing else runs between machines (mpj/peers.h). */
#ifndef MPJ_SRC_NET_MPI_MPI_H
#define MPJ_SRC_NET_MPI_MPI_H

#include <mpj/peers.h>

#include "net/far/carrier.h"

/* A carrier for rank `rank` of `size`; all ranks call it.
 *   messages  borrowed until the carrier is closed; NULL: there are none
 * Errors: MPJ_ERR_UNSUPPORTED (there are none), MPJ_ERR_PEER (they cannot begin),
 * MPJ_ERR_NO_MEM. */
int mpj_mpi_open(const struct MPJ_Messages *messages, int rank, int size,
                 struct mpj_carrier **carrier);

#endif
