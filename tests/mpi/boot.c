/* This program calls MPJ_Init in an MPI program: MPJ_BOOT decides who introduces the ranks
 * to each other. It is a job of any MPI launcher.
 *
 *   boot auto     by the MPI that runs, since it does
 *   boot mpi      MPJ_BOOT=mpi: by it, or not at all
 *   boot single   MPJ_BOOT=single: each rank alone
 *   boot thread   messages by MPI, which runs for one thread, and MPJ_PROGRESS=thread: refused
 *   boot multiple the same, and threads of the program's that call MPJ: refused
 *
 * Exit status 0: all is well. */
#include <mpj/mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEED(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "line %d: not so: %s (%s)\n", __LINE__, #condition, MPJ_Error_detail());     \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static void compare_worlds(void)
{
  int rank, size, mine = -1, all = -1, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &mine) && mine == rank);
  NEED(!MPJ_Comm_size(MPJ_COMM_WORLD, &all) && all == size);
  NEED(!MPJ_Allreduce(&rank, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD));
  NEED(sum == size * (size - 1) / 2);
}

/* Ranks that do not know each other make no communicator. */
static void stay_alone(void)
{
  int size = 0;
  MPJ_Comm comm;
  NEED(!MPJ_Comm_size(MPJ_COMM_WORLD, &size) && size == 1);
  NEED(MPJ_Comm_from_mpi(MPI_COMM_WORLD, &comm) == MPJ_ERR_ARG);
  NEED(strstr(MPJ_Error_detail(), "not all peers are of one job"));
}

/* MPI was begun for fewer threads than would call it. */
static void be_refused(const char *how)
{
  int provided = -1;
  setenv("MPJ_TRANSPORT", "mpi", 1);
  if (strcmp(how, "thread") == 0) setenv("MPJ_PROGRESS", "thread", 1);
  NEED(MPJ_Init_thread(NULL, NULL, MPJ_THREAD_MULTIPLE, &provided) == MPJ_ERR_UNSUPPORTED);
  NEED(strstr(MPJ_Error_detail(), "MPI_THREAD_MULTIPLE") && provided == -1);
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "auto";
  const bool refused = strcmp(how, "thread") == 0 || strcmp(how, "multiple") == 0;
  setenv("MPJ_BOOT", refused ? "auto" : how, 1);
  if (strcmp(how, "mpi") == 0) NEED(MPJ_Init(NULL, NULL) == MPJ_ERR_UNSUPPORTED); /* too early */
  MPI_Init(&argc, &argv);
  if (refused) {
    be_refused(how);
    MPI_Finalize();
    return 0;
  }
  NEED(!MPJ_Init(NULL, NULL));
  if (strcmp(how, "single") == 0)
    stay_alone();
  else
    compare_worlds();
  MPI_Finalize();
  NEED(!MPJ_Finalize());
  return 0;
}
