/* This program has a collective fail in MPJ, under the interposer: what MPI's error handler hears
 * has the class that MPI says it by, and MPJ's own sentence as its text.
 *
 *   failing handler       an error handler of the program's
 *   failing fatal|late    MPI's own, which ends the job; of a nonblocking call */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif
#include <stdio.h>
#include <string.h>

static int rank;

static void hear(MPI_Comm *comm, int *code, ...)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int class = 0, length;
  (void)comm;
  MPI_Error_class(*code, &class);
  MPI_Error_string(*code, text, &length);
  printf("rank %d hears, %s: %s\n", rank, class == MPI_ERR_TRUNCATE ? "truncated" : "other", text);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "handler";
  static int data[64];
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_errhandler(hear, &handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (strcmp(how, "handler") == 0) MPI_Comm_set_errhandler(comm, handler);
  MPI_Barrier(comm); /* nonblocking calls are served from here on */
  if (strcmp(how, "late") != 0) MPI_Bcast(data, rank == 0 ? 8 : 4, MPI_INT, 0, comm);
  MPI_Ibcast(data, rank == 0 ? 8 : 4, MPI_INT, 0, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (strcmp(how, "handler") == 0) {
    MPI_Bcast_init(data, rank == 0 ? 8 : 4, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
  MPI_Comm_free(&comm);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("the end\n");
  MPI_Finalize();
  return 0;
}
