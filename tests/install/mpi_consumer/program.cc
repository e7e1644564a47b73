// This program converts a communicator of MPI's both ways, from C++ alone.
#include <cstdio>
#include <mpj/mpi.h>

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPJ_Comm comm = MPJ_COMM_NULL;
  MPI_Comm back = MPI_COMM_NULL;
  int size = 0;
  const int status = MPJ_Comm_from_mpi(MPI_COMM_WORLD, &comm) || MPJ_Comm_size(comm, &size) ||
                     MPJ_Comm_to_mpi(comm, &back);
  std::puts(status || size != 1 || back != MPI_COMM_WORLD ? MPJ_Error_detail() : "good");
  MPI_Finalize();
  return status;
}
