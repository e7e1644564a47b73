/* This program starts persistent collectives in another order on each rank, beside blocking and
 * nonblocking ones, and prints on rank 0 what it has got.
 *
 *   started [served] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Barrier_init MPIX_Barrier_init
#define MPI_Bcast_init MPIX_Bcast_init
#endif

enum { REQUESTS = 30, ROUNDS = 20, ELEMENTS = 3000 };

static int rank, size;

static void check(int right, const char *what)
{
  if (right) return;
  fprintf(stderr, "wrong on rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Request k broadcasts, adds, or is a barrier; of k + 1 ints, or of many. */
static int count_of(int k)
{
  return k % 5 == 4 ? ELEMENTS : k + 1;
}

static void init(int k, int *mine, int *all, MPI_Request *request)
{
  if (k % 3 == 0)
    MPI_Bcast_init(all, count_of(k), MPI_INT, k % size, MPI_COMM_WORLD, MPI_INFO_NULL, request);
  else if (k % 3 == 1)
    MPI_Allreduce_init(mine, all, count_of(k), MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       request);
  else
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

static void fill(int k, int round, int *mine, int *all)
{
  for (int i = 0; i < count_of(k); i++) {
    mine[i] = rank + k + round + i;
    all[i] = k % 3 == 0 && rank == k % size ? k + round + i : -1;
  }
}

static void look(int k, int round, const int *all)
{
  const int ranks = size * (size - 1) / 2;
  for (int i = 0; i < count_of(k) && k % 3 < 2; i++)
    check(all[i] == (k % 3 == 0 ? k + round + i : ranks + size * (k + round + i)), "data");
}

/* The rank's i'th request to start: another permutation on each rank, and in each round. */
static int chosen(int i, int round)
{
  static const int strides[] = {1, 7, 29, 11, 13};
  return (i * strides[(rank + round) % 5] + rank * 5 + round) % REQUESTS;
}

static void play(int round, int *mine[], int *all[], MPI_Request requests[])
{
  int sum = rank, word = rank == 0 ? round : -1;
  MPI_Request between;
  MPI_Status statuses[REQUESTS];
  for (int k = 0; k < REQUESTS; k++)
    fill(k, round, mine[k], all[k]);
  for (int i = 0; i < REQUESTS; i++) {
    if (i == 10) MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &between);
    if (i == 20) MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Start(&requests[chosen(i, round)]);
  }
  MPI_Wait(&between, MPI_STATUS_IGNORE);
  MPI_Waitall(REQUESTS, requests, statuses);
  check(word == round && sum == size * (size - 1) / 2, "what came between");
  for (int k = 0; k < REQUESTS; k++)
    look(k, round, all[k]);
}

int main(int argc, char **argv)
{
  int *mine[REQUESTS], *all[REQUESTS];
  MPI_Request requests[REQUESTS];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int k = 0; k < REQUESTS; k++) {
    mine[k] = malloc(ELEMENTS * sizeof(int));
    all[k] = malloc(ELEMENTS * sizeof(int));
    init(k, mine[k], all[k], &requests[k]);
  }
  for (int round = 0; round < ROUNDS; round++)
    play(round, mine, all, requests);
  for (int k = 0; k < REQUESTS; k++) {
    MPI_Request_free(&requests[(k + rank) % REQUESTS]);
    free(mine[k]);
    free(all[k]);
  }
  if (rank == 0) printf("%d requests on %d ranks are right\n", REQUESTS, size);
  MPI_Finalize();
  return 0;
}
