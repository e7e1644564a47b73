/* This program begins and ends MPI by PMPI_Init and PMPI_Finalize, as some tools do: the interposer
 * sees neither.
 *
 *   bypassed world   collectives on MPI_COMM_WORLD
 *   bypassed same    on a duplicate, beside nonblocking ones on MPI_COMM_WORLD in another order on
 *                    each rank
 *   bypassed some    on communicators of some ranks alone: there all ranks never meet */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void check(int right, const char *what)
{
  if (right) return;
  printf("rank %d of %d: wrong %s\n", rank, size, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int sum_over(MPI_Comm comm)
{
  int one = 1, sum = 0;
  for (int i = 0; i < 5; i++)
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

static void same(void)
{
  MPI_Comm comm;
  MPI_Request request;
  int one = 1, sum = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (rank % 2) MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  check(sum_over(comm) == size, "sum over a duplicate");
  if (rank % 2 == 0) MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(sum == size, "nonblocking sum over all");
  MPI_Comm_free(&comm);
}

static void some(void)
{
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
  check(sum_over(comm) == (size + 1 - rank % 2) / 2, "sum over some");
  MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
  const char *on = argc > 1 ? argv[1] : "world";
  PMPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(on, "some") == 0)
    some();
  else if (strcmp(on, "same") == 0)
    same();
  else
    check(sum_over(MPI_COMM_WORLD) == size, "sum over all");
  PMPI_Finalize();
  return 0;
}
