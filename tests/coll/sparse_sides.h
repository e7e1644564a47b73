/* This header makes sparse types and what goes by them, for the tests of their Alltoall. */
#ifndef MPJ_TESTS_COLL_SPARSE_SIDES_H
#define MPJ_TESTS_COLL_SPARSE_SIDES_H

#include <stdlib.h>

#include "coll/engine_play.h"

enum { LONG = 5000, MOST = 256, ROUNDS = 4 };

/* Blocks of n ints: block k, from displs[k] ints on, is for or from rank peers[k]. */
struct side {
  int n;
  MPJ_Count peers[8];
  MPJ_Count ints; /* of each block */
};

static inline MPJ_Datatype make(const struct side *s)
{
  MPJ_Datatype block, made = MPJ_DATATYPE_NULL, blocks[8];
  MPJ_Aint displs[8];
  if (MPJ_Type_contiguous(s->ints, MPJ_INT, &block)) return made;
  for (int k = 0; k < s->n; k++) {
    blocks[k] = block;
    displs[k] = k * s->ints * (MPJ_Aint)sizeof(int);
  }
  if (!MPJ_Type_create_sparse(world()->size, s->n, s->peers, displs, blocks, &made))
    MPJ_Type_commit(&made);
  MPJ_Type_free(&block);
  return made;
}

static inline int value(int from, int to, int round)
{
  return 1 + from + 1000 * to + 1000000 * round;
}

static inline void fill(const struct side *s, int round, int out[])
{
  for (int i = 0; i < s->n * (int)s->ints; i++)
    out[i] = value(world()->rank, (int)s->peers[i / (int)s->ints], round);
}

static inline bool has_come(const struct side *s, int k, int round, const int in[])
{
  const int first = in[k * s->ints], last = in[(k + 1) * s->ints - 1];
  return first == last && first == value((int)s->peers[k], world()->rank, round);
}

static inline bool all_have_come(const struct side *s, int round, const int in[])
{
  for (int k = 0; k < s->n; k++)
    if (!has_come(s, k, round, in)) return false;
  return true;
}

static inline void add_peer(struct side *s, int peer)
{
  int k = 0;
  while (k < s->n && s->peers[k] < peer)
    k++;
  if (k < s->n && s->peers[k] == peer) return;
  for (int j = s->n++; j > k; j--)
    s->peers[j] = s->peers[j - 1];
  s->peers[k] = peer;
}

struct buffers {
  int out[8 * LONG], in[8 * LONG];
};

static inline struct buffers *new_buffers(void)
{
  return calloc(1, sizeof(struct buffers));
}

#endif
