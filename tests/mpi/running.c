/* This file lets MPI run in a program that knows nothing of it, from before main to after it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((destructor)) static void end(void)
{
  MPI_Finalize();
}

__attribute__((constructor)) static void begin(void)
{
  setenv("MPJ_BOOT", "mpi", 1);
  if (MPI_Init(NULL, NULL) == MPI_SUCCESS) return;
  fprintf(stderr, "MPI does not start\n");
  exit(1);
}
