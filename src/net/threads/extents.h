/* This header declares further extents of common memory (net.h) for ranks that are threads. */
#ifndef MPJ_SRC_NET_THREADS_EXTENTS_H
#define MPJ_SRC_NET_THREADS_EXTENTS_H

#include "net/cells/cells.h"

struct mpj_extent;

/* Behind a segment in the memory of its process: each rank's list of what it has made. */
static inline size_t mpj_extents_bytes(int nranks)
{
  return (size_t)nranks * sizeof(struct mpj_extent *);
}

/* As mpj_net_common, of extent 1 and up. */
unsigned char *mpj_threads_further(struct mpj_cells *cells, int rank, unsigned extent);
/* Free all that the ranks of a segment have made. */
void mpj_extents_end(struct mpj_segment *segment);

#endif
