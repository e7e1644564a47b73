/* In this program rank 0 starts so many persistent broadcasts that all early-arrival slots of each
 * other rank hold their data, and scatters data with gaps. The others begin with the scatter, and
 * start the broadcasts after it, which is as good an order: its data must get through.
 *
 *   coll_full_slots [--threads N] */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "coll/need.h"

enum { BCASTS = 40, SHORT = 100, SCATTERED = 3000, ROUNDS = 3 };

static _Thread_local MPJ_Datatype few, part, parts;

static int prepare(int size)
{
  NEED(!MPJ_Type_contiguous(SHORT, MPJ_INT32, &few) && !MPJ_Type_commit(&few));
  NEED(!MPJ_Type_vector(SCATTERED, 1, 2, MPJ_INT32, &part) && !MPJ_Type_commit(&part));
  NEED(!MPJ_Type_create_hvector(size, 1, 2 * SCATTERED * (MPJ_Aint)sizeof(int32_t), part, &parts));
  return MPJ_Type_commit(&parts);
}

static int scatter(int rank, int round, int32_t *all, int32_t *mine)
{
  NEED(!MPJ_Scatter(all, parts, mine, part, 0, MPJ_COMM_WORLD));
  for (int i = 0; i < 2 * SCATTERED; i++)
    NEED(mine[i] == (i % 2 ? -1 : round + 2 * SCATTERED * rank + i));
  return 0;
}

static int play(int rank, int size, int round, int32_t (*data)[SHORT], MPJ_Request requests[])
{
  int32_t *all = calloc((size_t)(2 * SCATTERED * size), sizeof *all);
  int32_t *mine = malloc(2 * SCATTERED * sizeof *mine);
  NEED(all && mine);
  for (int i = 0; i < 2 * SCATTERED * size; i++)
    all[i] = round + i;
  memset(mine, -1, 2 * SCATTERED * sizeof *mine);
  for (int i = 0; i < BCASTS * SHORT; i++)
    data[i / SHORT][i % SHORT] = rank == 0 ? round + i : -1;
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (rank == 0) NEED(!MPJ_Startall(BCASTS, requests));
  NEED(!scatter(rank, round, all, mine));
  if (rank != 0) NEED(!MPJ_Startall(BCASTS, requests));
  NEED(!MPJ_Waitall(BCASTS, requests));
  for (int i = 0; i < BCASTS * SHORT; i++)
    NEED(data[i / SHORT][i % SHORT] == round + i);
  free(all);
  free(mine);
  return 0;
}

static int rank_main(void *arg)
{
  int rank, size;
  int32_t data[BCASTS][SHORT];
  MPJ_Request requests[BCASTS];
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  (void)arg;
  NEED(!prepare(size));
  for (int i = 0; i < BCASTS; i++)
    NEED(!MPJ_Bcast_init(data[i], few, 0, MPJ_COMM_WORLD, &requests[i]));
  for (int round = 0; round < ROUNDS; round++)
    NEED(!play(rank, size, round, data, requests));
  for (int i = 0; i < BCASTS; i++)
    NEED(!MPJ_Request_free(&requests[i]));
  NEED(!MPJ_Type_free(&few) && !MPJ_Type_free(&part) && !MPJ_Type_free(&parts));
  return MPJ_Finalize();
}

int main(int argc, char **argv)
{
  if (argc > 2 && strcmp(argv[1], "--threads") == 0)
    return MPJ_Run_threads(atoi(argv[2]), rank_main, NULL) != 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(NULL) != 0;
}
