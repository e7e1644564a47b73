/* This program does with MPI what first.c does with MPJ. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int p, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  const int rows = 1000, columns = 777, share = (rows + p - 1) / p;
  int *counts = malloc(sizeof(int) * (size_t)p), *displs = malloc(sizeof(int) * (size_t)p);
  for (int i = 0; i < p; i++) { /* on every rank, as long as the machine is wide */
    int first = i * share < rows ? i * share : rows;
    int last = first + share < rows ? first + share : rows;
    counts[i] = (last - first) * columns; /* overflows at 2^31 elements */
    displs[i] = first * columns;
  }

  double *part = malloc(sizeof(double) * (size_t)counts[rank]);
  for (int i = 0; i < counts[rank]; i++)
    part[i] = rank;
  double *matrix = rank == 0 ? malloc(sizeof(double) * 1000 * 777) : NULL;

  MPI_Gatherv(part, counts[rank], MPI_DOUBLE, matrix, counts, displs, MPI_DOUBLE, 0,
              MPI_COMM_WORLD);
  if (rank == 0)
    printf("first row from rank %g, last row from rank %g\n", matrix[0], matrix[999 * 777]);
  /* A 2-d grid of blocks needs MPI_Alltoallw: one subarray type a rank. */

  free(matrix);
  free(part);
  free(displs);
  free(counts);
  MPI_Finalize();
  return 0;
}
