/* This header declares four collectives written over the two-sided layer, by the
 * algorithms that MPI libraries use for short data. */
#ifndef MPJ_BENCH_LAYERED_COLLECTIVES_H
#define MPJ_BENCH_LAYERED_COLLECTIVES_H

/* Among `size` ranks, this one being `rank`; of `n` doubles each, at most 64. */
void layered_barrier(int rank, int size);
void layered_bcast(double *data, int n, int root, int rank, int size);
void layered_reduce(const double *from, double *to, int n, int root, int rank, int size);
/* to: [size][n] */
void layered_allgather(const double *from, double *to, int n, int rank, int size);

#endif
