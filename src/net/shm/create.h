/* This header declares how a launcher makes the segment for the processes that
 * it starts. The segment is an anonymous file known only by its descriptor, so
 * nothing is left in the file system however a job ends. */
#ifndef MPJ_SRC_NET_SHM_CREATE_H
#define MPJ_SRC_NET_SHM_CREATE_H

#include "net/cells/segment.h"

/* Make, format and map a segment for nranks processes. On success *fd is a
 * descriptor that children inherit (to be named to them in MPJ_SEGMENT_FD) and
 * *segment the mapping; both are the caller's: mpj_shm_discard.
 * Errors: MPJ_ERR_ARG (nranks below 1), MPJ_ERR_NO_MEM. */
int mpj_shm_create(int nranks, int *fd, struct mpj_segment **segment);

/* A descriptor of the segment that process `pid` of this node made and knows as
 * descriptor `there`. Errors: MPJ_ERR_PEER. */
int mpj_shm_find(int pid, int there, int *fd);
void mpj_shm_discard(int fd, struct mpj_segment *segment);
void mpj_shm_unmap(struct mpj_segment *segment); /* of the two, the mapping only */

#endif
