/* Thousands of nonblocking collectives under way at once: each call that completes requests
 * completes them all, and those that can end do so while hundreds of older ones cannot. Prints the
 * same with the interposer and without. Two ranks or more. */
#include <mpi.h>
#include <stdio.h>

enum { MANY = 1000, STUCK = 300, WAYS = 5 };

static MPI_Request requests[MANY];
static MPI_Status statuses[MANY];
static int sums[MANY], rank, size;

static void complete(int way)
{
  static int indices[MANY];
  int done = 0, flag = 0, n, at;
  switch (way) {
  case 0:
    MPI_Waitall(MANY, requests, statuses);
    break;
  case 1:
    while (!flag)
      MPI_Testall(MANY, requests, &flag, statuses);
    break;
  case 2:
    for (; done < MANY; done += n)
      MPI_Waitsome(MANY, requests, &n, indices, statuses);
    break;
  case 3:
    for (; done < MANY; done++)
      MPI_Waitany(MANY, requests, &at, MPI_STATUS_IGNORE);
    break;
  default:
    for (int i = MANY; i-- > 0; flag = 0)
      while (!flag)
        MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
  }
}

static int all_in(int way)
{
  int wrong = 0;
  for (int i = 0; i < MANY; i++) {
    sums[i] = -1;
    MPI_Iallreduce(&rank, &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
  }
  complete(way);
  for (int i = 0; i < MANY; i++)
    wrong += sums[i] != size * (size - 1) / 2 || requests[i] != MPI_REQUEST_NULL;
  return wrong;
}

/* Rank 0's barriers on `late` wait for the others, who first want its sum. */
static int past_the_stuck(MPI_Comm late)
{
  MPI_Request last;
  int sum = 0;
  for (int i = 0; i < STUCK && rank == 0; i++)
    MPI_Ibarrier(late, &requests[i]);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &last);
  MPI_Wait(&last, MPI_STATUS_IGNORE);
  for (int i = 0; i < STUCK && rank != 0; i++)
    MPI_Ibarrier(late, &requests[i]);
  MPI_Waitall(STUCK, requests, statuses);
  return sum != size * (size - 1) / 2;
}

int main(int argc, char **argv)
{
  int wrong = 0;
  MPI_Comm late;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &late);
  MPI_Barrier(late);
  for (int way = 0; way < WAYS; way++)
    wrong += all_in(way);
  for (int i = 0; i < 3; i++)
    wrong += past_the_stuck(late);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", wrong);
  MPI_Comm_free(&late);
  MPI_Finalize();
  return wrong != 0;
}
