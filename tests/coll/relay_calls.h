/* This header declares the calls of the tests of relays: broadcasts, or scatters whose parts have
 * different sizes, and each fifth of them none; and how ranks tell each other where they are, on a
 * board beside the library. Ranks are named by a digit each, after 9 by a, b, ... */
#ifndef MPJ_TESTS_COLL_RELAY_CALLS_H
#define MPJ_TESTS_COLL_RELAY_CALLS_H

#include <mpj/mpj.h>

#include <stdbool.h>
#include <stdint.h>

#include "coll/board.h"

enum { RELAY_MOST = 1 << 17 /* ints */, RELAY_PATIENCE_MS = 30000, RELAY_RANKS = 20 };

struct relay_job {
  const char *inner, *leaves; /* ranks of the tree */
  char **parts;
  struct board *board;
  int root;
  bool threads, scatters, dies;
};

/* A rank's. */
struct relay_rank {
  struct relay_job *job;
  int rank, size;
  uint64_t round; /* of those with a handshake */
  int *buf;       /* [2 RELAY_MOST + 2] owned */
  int *all;       /* [size (RELAY_MOST + 2)] what a scatter's root sends, owned; else NULL: */
  MPJ_Count length[RELAY_RANKS], displ[RELAY_RANKS]; /* its parts, in ints */
};

bool relay_is_of(const char *ranks, int rank);
bool relay_is_inner(const struct relay_rank *r);
bool relay_is_root(const struct relay_rank *r);
int relay_first_of(const char *ranks);
int relay_last_of(const char *ranks);

/* Say that this rank is in its round; and wait, outside the library, until those ranks have said
 * that of theirs, which is the same or a later one. */
void relay_say(struct relay_rank *r);
bool relay_hear(const struct relay_rank *r, const char *ranks);

/* The type of what a rank gets by a call with n ints, with gaps at the inner ranks; and so many
 * ints more. Committed. */
int relay_type(const struct relay_rank *r, int n, int more, MPJ_Datatype *type);
/* Write what is to be sent by it, and have the rest of `buf` wrong; and whether it is there. */
void relay_fill(struct relay_rank *r, int n);
bool relay_is_there(const struct relay_rank *r, int n);

/* Call what has been filled in last; or begin it. */
int relay_call(struct relay_rank *r, MPJ_Datatype type);
int relay_begin_call(struct relay_rank *r, MPJ_Datatype type, MPJ_Request *request);

#endif
