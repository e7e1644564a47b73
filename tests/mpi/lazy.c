/* This program makes more communicators at a time than MPJ has places for, under the interposer,
 * and calls a collective on the last: it is served, as only those that see a collective take a
 * place. Says, too, whether MPJ runs in the program at all. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { COMMS = 1100 };

int main(int argc, char **argv)
{
  static MPI_Comm comms[COMMS];
  int (*initialized)(int *) = NULL;
  int rank, one = 1, sum = 0, size, runs = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < COMMS; i++)
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[COMMS - 1]);
  for (int i = 0; i < COMMS; i++)
    MPI_Comm_free(&comms[i]);
  void *const found = dlsym(RTLD_DEFAULT, "MPJ_Initialized");
  memcpy(&initialized, &found, sizeof found);
  if (initialized) initialized(&runs);
  if (rank == 0)
    printf("%s, MPJ %s\n", sum == size ? "right" : "wrong", runs ? "runs" : "does not run");
  MPI_Finalize();
  return 0;
}
