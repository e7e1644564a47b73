/* This program has a send of MPI's under way that only its own rank can move on, while it waits in
 * a collective for the rank that receives: each library must let the other progress. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 4 << 20, TIMES = 5 };

int main(int argc, char **argv)
{
  int rank, x = 0;
  char *data = calloc(BYTES, 1);
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < TIMES; i++) {
    x = rank == 1 ? 10 + i : -1;
    if (rank == 0) MPI_Isend(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&x, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (x != 10 + i) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) puts("all right");
  free(data);
  MPI_Finalize();
  return 0;
}
