/* This header declares what a launcher gives the ranks that it starts: a number
 * each, and a way to tell the others a few bytes before any transport works.
 *
 * An exchange is: every rank publishes one blob, all pass the fence, then any
 * rank may fetch anybody's. Exchanges follow each other; a rank publishes the
 * next blob only when it needs none of the present ones any more. All calls
 * block, and belong to one thread; after an error only `end` may follow. */
#ifndef MPJ_SRC_NET_BOOT_LAUNCH_H
#define MPJ_SRC_NET_BOOT_LAUNCH_H

#include <stddef.h>

#include "net/cells/segment.h"

struct MPJ_Messages;
struct mpj_launch;

enum { MPJ_BLOB_MAX = MPJ_CARD_BYTES }; /* bytes of a blob */

struct mpj_launch_ops {
  const char *name;
  /* Errors of all three: MPJ_ERR_PEER (the launcher, or a rank, is gone),
   * MPJ_ERR_FORMAT (what the launcher answers makes no sense). */
  int (*publish)(struct mpj_launch *launch, const void *blob, size_t bytes);
  int (*fence)(struct mpj_launch *launch);
  /* The blob that `rank` published before the last fence, in *bytes <= size. */
  int (*fetch)(struct mpj_launch *launch, int rank, void *blob, size_t size, size_t *bytes);
  /* Say goodbye without waiting for any other rank, and free everything. */
  void (*end)(struct mpj_launch *launch);
};

/* The head of every launcher's own structure. */
struct mpj_launch {
  const struct mpj_launch_ops *ops;
  int rank, size;
  const struct MPJ_Messages *messages; /* that the ranks have among them, or NULL; borrowed */
};

static inline int mpj_launch_publish(struct mpj_launch *l, const void *blob, size_t bytes)
{
  return l->ops->publish(l, blob, bytes);
}

static inline int mpj_launch_fence(struct mpj_launch *l)
{
  return l->ops->fence(l);
}

static inline int mpj_launch_fetch(struct mpj_launch *l, int rank, void *blob, size_t size,
                                   size_t *bytes)
{
  return l->ops->fetch(l, rank, blob, size, bytes);
}

static inline void mpj_launch_end(struct mpj_launch *l)
{
  l->ops->end(l);
}

/* pmi.c: the launcher behind descriptor fd speaks PMI-1 (MPICH's mpiexec, srun).
 * Takes the descriptor over on success. Errors: MPJ_ERR_PEER, MPJ_ERR_FORMAT,
 * MPJ_ERR_NO_MEM. */
int mpj_launch_pmi(int fd, int rank, int size, struct mpj_launch **launch);

/* pmix.c: the launcher speaks PMIx (Open MPI's mpiexec, prun), through its
 * client library, which is loaded now. Errors: MPJ_ERR_UNSUPPORTED (no such
 * library here, or built without), MPJ_ERR_INTERNAL (a rank has started this process, which would
 * be the same rank), MPJ_ERR_PEER, MPJ_ERR_FORMAT, MPJ_ERR_NO_MEM. */
int mpj_launch_pmix(struct mpj_launch **launch);

/* segment.c: all ranks share a segment in which they may write on their cards.
 * The segment stays the caller's and outlives the launch. Errors: MPJ_ERR_NO_MEM. */
int mpj_launch_segment(struct mpj_segment *segment, int rank, struct mpj_launch **launch);

#endif
