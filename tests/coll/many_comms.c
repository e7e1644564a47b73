/* In this program ranks have one hundred communicators at a time, of all shapes, and use each of
 * them:
 *
 *   coll_many_comms [--threads N]
 *
 * Duplicates of WORLD and of duplicates; rows and columns of a grid; every third rank backward; and
 * groups that lie unevenly in WORLD. Every member adds up numbers with each, in order and then in
 * the order of its making reversed; then half of them are freed and made anew. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "need.h"

enum { COMMS = 100, SHAPES = 5 };

/* What the ranks of a communicator add up: of rank r of WORLD, r + 1. The reference is a serial sum
 * over those who are in it. */
struct made {
  MPJ_Comm comm;
  int64_t sum;
};

/* The colour of a rank of WORLD for shape k, -1: it is in none; and the key. */
static int colour_of(int k, int rank, int size, int *key)
{
  const int shape = k % SHAPES, width = 2 + k % 7;
  *key = shape == 3 ? size - rank : 0;
  if (shape == 1) return rank / width;
  if (shape == 2) return rank % width;
  if (shape == 3) return rank % 3 == 0 ? 0 : -1;
  return (int)(((unsigned)rank * 2654435761u >> 20) % (unsigned)width); /* uneven */
}

static int64_t sum_of(int k, int rank, int size)
{
  int key;
  int64_t sum = 0;
  if (k % SHAPES == 0) return (int64_t)size * (size + 1) / 2;
  for (int r = 0; r < size; r++)
    if (colour_of(k, r, size, &key) == colour_of(k, rank, size, &key)) sum += r + 1;
  return sum;
}

static int make(struct made made[], int k, int rank, int size)
{
  int key = 0;
  made[k].sum = sum_of(k, rank, size);
  if (k % SHAPES == 0) {
    const int from = k % 3 == 0 || k < SHAPES ? -1 : k - SHAPES; /* a duplicate of one, or of WORLD */
    NEED(!MPJ_Comm_dup(from < 0 ? MPJ_COMM_WORLD : made[from].comm, &made[k].comm));
    return 0;
  }
  const int colour = colour_of(k, rank, size, &key);
  NEED(!MPJ_Comm_split(MPJ_COMM_WORLD, colour < 0 ? MPJ_UNDEFINED : colour, key, &made[k].comm));
  NEED((made[k].comm == MPJ_COMM_NULL) == (colour < 0));
  return 0;
}

static int use(const struct made *made, int rank)
{
  const int64_t mine = rank + 1;
  int64_t sum = 0;
  if (made->comm == MPJ_COMM_NULL) return 0;
  NEED(!MPJ_Allreduce(&mine, MPJ_INT64, &sum, MPJ_INT64, MPJ_SUM, made->comm));
  NEED(sum == made->sum);
  return 0;
}

static int play(struct made made[])
{
  int rank, size, line = 0;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &rank) && !MPJ_Comm_size(MPJ_COMM_WORLD, &size));
  for (int k = 0; k < COMMS && !line; k++)
    if (!(line = make(made, k, rank, size))) line = use(&made[k], rank);
  for (int k = COMMS; k-- > 0 && !line;)
    line = use(&made[k], rank);
  for (int k = 1; k < COMMS && !line; k += 2) {
    if (made[k].comm != MPJ_COMM_NULL) NEED(!MPJ_Comm_free(&made[k].comm));
    if (!(line = make(made, k, rank, size))) line = use(&made[k], rank);
  }
  for (int k = 0; k < COMMS && !line; k++)
    if (made[k].comm != MPJ_COMM_NULL) NEED(!MPJ_Comm_free(&made[k].comm));
  if (line) return line;
  NEED(!MPJ_Finalize());
  return 0;
}

static int rank_main(void *unused)
{
  (void)unused;
  struct made *made = calloc(COMMS, sizeof *made);
  const int line = made ? play(made) : 1;
  free(made);
  return line;
}

int main(int argc, char **argv)
{
  if (argc > 2 && strcmp(argv[1], "--threads") == 0)
    return MPJ_Run_threads(atoi(argv[2]), rank_main, NULL) != 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(NULL) != 0;
}
