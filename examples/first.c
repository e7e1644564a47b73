/* This program is the shortest whole one: a matrix that lies in blocks of rows
 * on the ranks is gathered on rank 0. Run it as `mpjrun -n 4 first`. */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  MPJ_Init(&argc, &argv);
  int p, rank;
  MPJ_Comm_size(MPJ_COMM_WORLD, &p);
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);

  const MPJ_Count n[2] = {1000, 777};
  const int grid[2] = {p, 1}, block[2] = {MPJ_DISTRIBUTE_BLOCK, MPJ_DISTRIBUTE_BLOCK};
  const MPJ_Count dflt[2] = {MPJ_DISTRIBUTE_DFLT_DARG, MPJ_DISTRIBUTE_DFLT_DARG};
  MPJ_Datatype whole, mine; /* whole has p parts; mine is this rank's dense block */
  MPJ_Type_create_distribution(2, n, block, dflt, grid, MPJ_ORDER_C, MPJ_DOUBLE, &whole);
  MPJ_Type_create_local(whole, rank, &mine);
  MPJ_Type_commit(&whole);
  MPJ_Type_commit(&mine);

  MPJ_Count bytes;
  MPJ_Type_size(mine, &bytes);
  double *part = malloc((size_t)bytes);
  for (MPJ_Count i = 0; i < bytes / 8; i++)
    part[i] = rank;
  double *matrix = rank == 0 ? malloc(sizeof(double) * 1000 * 777) : NULL;

  int status = MPJ_Gather(part, mine, matrix, whole, 0, MPJ_COMM_WORLD);
  if (status != MPJ_SUCCESS)
    fprintf(stderr, "rank %d: %s\n", rank, MPJ_Error_detail());
  else if (rank == 0)
    printf("first row from rank %g, last row from rank %g\n", matrix[0], matrix[999 * 777]);

  free(matrix);
  free(part);
  MPJ_Type_free(&mine);
  MPJ_Type_free(&whole);
  MPJ_Finalize();
  return status;
}
