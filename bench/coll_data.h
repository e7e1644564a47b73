/* This header declares the contents of a case's buffers: what is filled in,
 * what is stamped before a call, what must be there in the end. */
#ifndef MPJ_BENCH_COLL_DATA_H
#define MPJ_BENCH_COLL_DATA_H

#include "coll_case.h"

/* Fill this rank's block, or all blocks of its whole, with their values. */
void coll_data_fill_block(struct coll_case *c);
void coll_data_fill_whole(struct coll_case *c);

/* Stamp one block: into its first double, or for the rewritten timing into every
 * eighth of each row.
 *   first   the block's first double
 *   stride  doubles from one of its rows to the next
 *   stamp   the number of the call to come, in the end */
void coll_data_stamp(const struct coll_case *c, double *first, long stride, double stamp);

/* The ranks whose data is summed up in rank `rank`'s result. */
int coll_data_summed(const struct coll_case *c, int rank);

#endif
