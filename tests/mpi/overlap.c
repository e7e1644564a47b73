/* This program has a send of MPI's under way that only its own rank can move on, while it waits in
 * a collective for the rank that receives: each library must let the other progress.
 *
 *   overlap [LEVEL]   LEVEL: MPI_THREAD_SINGLE and so on as a number, 0 to 3 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 4 << 20, TIMES = 5 };

int main(int argc, char **argv)
{
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                        MPI_THREAD_MULTIPLE};
  int rank, level, x = 0;
  char *data = calloc(BYTES, 1);
  MPI_Request request;
  MPI_Init_thread(&argc, &argv, levels[argc > 1 ? atoi(argv[1]) : 0], &level);
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
