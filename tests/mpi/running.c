/* This file lets MPI run in a program that knows nothing of it, from before main to after it.
 * In the environment, RUNNING_THREADS=multiple: with MPI_THREAD_MULTIPLE. RUNNING_LEAVES: to the
 * end of the process, which does not wait for ranks that died; if it is a path, the process ends
 * once there is a file. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For 60 s at most. */
static void await_file(const char *path)
{
  for (int i = 0; i < 600 && access(path, F_OK) != 0; i++)
    usleep(100000);
}

__attribute__((destructor)) static void end(void)
{
  const char *leaves = getenv("RUNNING_LEAVES");
  if (!leaves) MPI_Finalize();
  if (leaves && leaves[0] == '/') await_file(leaves);
}

__attribute__((constructor)) static void begin(void)
{
  const char *threads = getenv("RUNNING_THREADS");
  const bool multiple = threads && strcmp(threads, "multiple") == 0;
  int provided = MPI_THREAD_SINGLE;
  setenv("MPJ_BOOT", "mpi", 1);
  if (!multiple && MPI_Init(NULL, NULL) == MPI_SUCCESS) return;
  if (multiple && MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS &&
      provided == MPI_THREAD_MULTIPLE)
    return;
  fprintf(stderr, "MPI does not start\n");
  exit(1);
}
