/* This header declares an exchange of a few bytes among threads or processes that share
 * memory: what tests give to those who ask for one. */
#ifndef MPJ_TESTS_COLL_PEERS_BOARD_H
#define MPJ_TESTS_COLL_PEERS_BOARD_H

#include <mpj/peers.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BOARD_RANKS = 9, BOARD_BYTES = 4096 };

struct board {
  pthread_barrier_t barrier;
  char said[BOARD_RANKS][BOARD_BYTES];
};

/* One rank's way to it. */
struct board_rank {
  struct board *board;
  int rank, size;
  int fails_at; /* the call of this number fails, on all ranks; -1: none */
};

static inline struct board *board_new(int size)
{
  pthread_barrierattr_t shared;
  struct board *b =
      mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (b == MAP_FAILED) abort();
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&b->barrier, &shared, (unsigned)size);
  pthread_barrierattr_destroy(&shared);
  return b;
}

static inline void board_free(struct board *b)
{
  pthread_barrier_destroy(&b->barrier);
  munmap(b, sizeof *b);
}

static inline int board_allgather(void *ctx, const void *mine, void *all, MPJ_Count bytes)
{
  struct board_rank *r = ctx;
  if (r->fails_at == 0) return 42;
  if (r->fails_at > 0) r->fails_at--;
  if (bytes > BOARD_BYTES) abort();
  memcpy(r->board->said[r->rank], mine, (size_t)bytes);
  pthread_barrier_wait(&r->board->barrier);
  for (int i = 0; i < r->size; i++)
    memcpy((char *)all + (size_t)i * (size_t)bytes, r->board->said[i], (size_t)bytes);
  pthread_barrier_wait(&r->board->barrier);
  return 0;
}

static inline struct MPJ_Peers board_peers(struct board_rank *r)
{
  return (struct MPJ_Peers){
      .rank = r->rank, .size = r->size, .ctx = r, .allgather = board_allgather};
}

#endif
