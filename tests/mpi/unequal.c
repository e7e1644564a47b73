/* This program's last rank makes other collectives than the rest before it ends MPI: every rank that
 * can go on must be told at the end, and nobody waits for ever.
 *
 *   unequal forgets       it leaves the last Bcast out, for which the root does not wait
 *   unequal surplus       it makes one Barrier more on MPI_COMM_WORLD, as the others end
 *   unequal surplus-dup   on a duplicate of it */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
  int rank, size, data = 0;
  const char *way = argc > 1 ? argv[1] : "";
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (strcmp(way, "surplus-dup") == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < 20; i++)
    MPI_Barrier(comm);
  const int last = rank == size - 1;
  if (strcmp(way, "forgets") == 0) {
    if (!last) MPI_Bcast(&data, 1, MPI_INT, 0, comm);
  } else if (last) {
    MPI_Barrier(comm);
    printf("wrong: the barrier ended\n");
  }
  const int code = MPI_Finalize();
  printf("rank %d %s\n", rank, code == MPI_SUCCESS ? "was not told" : "was told");
  return 0;
}
