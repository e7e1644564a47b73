/* This program makes a known number of collectives, for what the interposer's report says of them:
 * on each rank 5 broadcasts of 100 ints and one with a wrong count, 3 sums of 10 ints and one on a
 * communicator that is not converted yet, 3 starts of a persistent one, 2 barriers, one call of
 * neighbours. A child that each rank forks makes none. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

/* It ends as programs do, whose libraries then have the last word. */
static void fork_child(void)
{
  const pid_t child = fork();
  if (child == 0) exit(0);
  if (child > 0) waitpid(child, NULL, 0);
}

static void sum_persistently(const int *in, int *out)
{
  MPI_Request request;
  MPI_Allreduce_init(in, out, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 3; i++) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

static void tell_neighbors(const int *in)
{
  int size, got[2];
  MPI_Comm ring;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &ring);
  MPI_Neighbor_alltoall(in, 1, MPI_INT, got, 1, MPI_INT, ring);
  MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
  int rank, in[100] = {0}, out[10];
  MPI_Comm late;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 5; i++)
    MPI_Bcast(in, 100, MPI_INT, 0, MPI_COMM_WORLD);
  if (MPI_Bcast(in, -1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < 3; i++)
    MPI_Allreduce(in, out, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  sum_persistently(in, out);
  tell_neighbors(in);
  fork_child();
  MPI_Comm_idup(MPI_COMM_WORLD, &late, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallreduce(in, out, 10, MPI_INT, MPI_SUM, late, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&late);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) printf("all right\n");
  MPI_Finalize();
  return 0;
}
