/* This header is what an engine, MPJ or an MPI library, offers to the timing
 * kernel. Each engine implements it in one file, as a user of that engine would
 * write it, and everything else is compiled unchanged for all of them.
 *
 * Functions that return int return 0, or 1 after one sentence on stderr (an MPI
 * library ends the job itself instead). All of them may be called by every rank
 * at once, also where ranks are threads. */
#ifndef MPJ_BENCH_SHIM_H
#define MPJ_BENCH_SHIM_H

#include <stddef.h>

#include "coll_shape.h"

/* "mpj", "mpich" or "openmpi". */
extern const char shim_engine[];

/* Run body(arg) on every rank between the engine's start and its end.
 *   nthreads  ranks as threads of this process; 0: this process is one rank of
 *             those its launcher started. An MPI library knows only 0.
 * Returns body's value where it is not 0, or 1. */
int shim_run(int nthreads, int (*body)(void *arg), void *arg);

int shim_rank(void);
int shim_size(void);

/* The engine's committed types for one shape: a block as it lies at its owner
 * (dense), and the whole. Owned by the caller. */
struct shim_types;
int shim_types_create(const struct coll_shape *shape, struct shim_types **types);
void shim_types_free(struct shim_types *types);

/* Memory for data that is sent and received, as the library allocates it for that
 * (MPJ_Alloc_mem, MPI_Alloc_mem); NULL if there is none. */
void *shim_alloc(size_t bytes);
void shim_free(void *memory);

int shim_barrier(void);

/* One block from root's `block` to everybody's. */
int shim_bcast(double *block, const struct shim_types *types, int root);

/* Each rank's block into its place in root's whole, and back. `whole` is read
 * at root only. */
int shim_gather(const double *block, double *whole, const struct shim_types *types, int root);
int shim_scatter(const double *whole, double *block, const struct shim_types *types, int root);

/* Each rank's block into its place in everybody's whole; block j of each rank's
 * whole to rank j. In a transpose's shape each block goes column by column and
 * arrives row by row; in one of groups block j goes to the group's rank j. */
int shim_allgather(const double *block, double *whole, const struct shim_types *types);
int shim_alltoall(const double *whole, double *result, const struct shim_types *types);

/* Sums of doubles. `result` is significant at root only in reduce, and of block
 * j of the wholes at rank j in reduce_scatter. */
int shim_reduce(const double *block, double *result, const struct shim_types *types, int root);
int shim_allreduce(const double *block, double *result, const struct shim_types *types);
int shim_reduce_scatter(const double *whole, double *result, const struct shim_types *types);
int shim_scan(const double *block, double *result, const struct shim_types *types);
int shim_exscan(const double *block, double *result, const struct shim_types *types);

#endif
