/* This header declares the board: memory that all ranks of a test share beside
 * the library, be they threads or processes, to check what the library says
 * about the others. */
#ifndef MPJ_TESTS_COLL_BOARD_H
#define MPJ_TESTS_COLL_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { BOARD_RANKS = 1024 };

struct board {
  _Atomic uint64_t entered[BOARD_RANKS]; /* barriers that each rank has entered */
  _Atomic int ready;                     /* ranks that are ready for what they should see */
  _Atomic int done;                      /* ranks that have seen what they should */
};

/* The board of the threads of this process. */
extern struct board board_of_threads;

/* The board of this process's job: a file named after the launcher, which the
 * first rank to call board_forget removes. NULL if it cannot be mapped. */
struct board *board_map(void);
void board_forget(void);

/* For processes, once all are out of MPJ_Init's first barrier: the victim waits until all
 * others have called this, so that none is still in that barrier when it goes. */
void board_begin(struct board *board, int victim);

/* Count this rank as ready and wait until n are; false after `seconds`. */
bool board_ready(struct board *board, int n, double seconds);

/* Count this rank as done and wait until n are; false after `seconds`. */
bool board_meet(struct board *board, int n, double seconds);

#endif
