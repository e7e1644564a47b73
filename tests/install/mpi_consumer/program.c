/* This program converts a communicator and a datatype of MPI's, alone. */
#include <mpj/mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  MPI_Datatype pair;
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  MPJ_Comm comm = MPJ_COMM_NULL;
  MPJ_Count bytes = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  const int status = MPJ_Comm_from_mpi(MPI_COMM_WORLD, &comm) || MPJ_Comm_size(comm, &size) ||
                     MPJ_Type_from_mpi(pair, &type) || MPJ_Type_size(type, &bytes);
  if (status || size != 1 || bytes != 2 * (MPJ_Count)sizeof(int))
    printf("%s\n", MPJ_Error_detail());
  else
    printf("good\n");
  MPJ_Type_free(&type);
  MPI_Type_free(&pair);
  MPI_Finalize();
  return status;
}
