/* This header declares the transport between ranks that are threads of one
 * process: the endpoint in a segment, and long data copied straight between the
 * two layouts by whoever pulls. */
#ifndef MPJ_SRC_NET_THREADS_THREADS_H
#define MPJ_SRC_NET_THREADS_THREADS_H

#include "net/net.h"

/* Make (and unmake) a segment in this process's memory for nranks threads.
 * Errors: MPJ_ERR_ARG, MPJ_ERR_NO_MEM. */
int mpj_threads_segment_create(int nranks, struct mpj_segment **segment);
void mpj_threads_segment_free(struct mpj_segment *segment);

/* Open the endpoint of `rank` in the segment, which must outlive it; closed by
 * mpj_net_close. Errors: MPJ_ERR_NO_MEM. */
int mpj_threads_open(struct mpj_segment *segment, int rank, struct mpj_net **net);

#endif
