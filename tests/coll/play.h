/* This header declares plays: a random collective that every rank derives from
 * the same key, carries out, and checks byte by byte. */
#ifndef MPJ_TESTS_COLL_PLAY_H
#define MPJ_TESTS_COLL_PLAY_H

#include <stdbool.h>
#include <stdint.h>

#include <mpj/mpj.h>

#include "coll/board.h"

enum play_kind { PLAY_BARRIER, PLAY_BCAST, PLAY_GATHER, PLAY_SCATTER, PLAY_KINDS };

struct play_key {
  MPJ_Comm comm;
  uint64_t seed;
  enum play_kind kind;
  int root;
  int rounds;  /* calls one directly after another, with the same types */
  bool delays; /* ranks come late at random */
};

/* This rank's part. 0, or 1 after a line on stderr that says what is wrong. */
int play(const struct play_key *key, struct board *board);

#endif
