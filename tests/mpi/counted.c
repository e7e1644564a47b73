/* This program makes a known number of collectives, for what the interposer's report says of them:
 * on each rank 5 broadcasts of 100 ints and one with a wrong count, 3 sums of 10 ints and one on a
 * communicator that is not converted yet, 2 barriers. */
#include <mpi.h>
#include <stdio.h>

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
