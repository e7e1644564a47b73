/* In this program the ranks share their cores with programs that compute, two a core. A rank that
 * waits must sleep then, or each call takes several slices of the scheduler's time: the job's
 * statistics tell how often it did.
 *
 *   coll_strangers wait|test      as a rank of a job; it waits by MPJ_Wait or MPJ_Test */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "need.h"

enum { CALLS = 400, MOST = 64 };

/* Start `count` programs that compute until they are killed, or this one ends. */
static int start(pid_t strangers[], int count)
{
  for (int i = 0; i < count; i++) {
    strangers[i] = fork();
    NEED(strangers[i] >= 0);
    if (strangers[i] > 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile unsigned n = 0;; n++) {
    }
  }
  return 0;
}

static int end(const pid_t strangers[], int count)
{
  for (int i = 0; i < count; i++)
    NEED(kill(strangers[i], SIGKILL) == 0 && waitpid(strangers[i], NULL, 0) == strangers[i]);
  return 0;
}

static int call(int rank, bool tests)
{
  int sum = 0, size;
  NEED(!MPJ_Comm_size(MPJ_COMM_WORLD, &size));
  for (int i = 0; i < CALLS; i++) {
    MPJ_Request request;
    const int mine = rank + i;
    NEED(!MPJ_Iallreduce(&mine, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD, &request));
    for (int done = !tests; !done;)
      NEED(!MPJ_Test(&request, &done));
    NEED(!MPJ_Wait(&request));
    NEED(sum == size * (size - 1) / 2 + size * i);
  }
  return 0;
}

int main(int argc, char **argv)
{
  pid_t strangers[MOST];
  int count = 0, rank;
  cpu_set_t cores;
  NEED(sched_getaffinity(0, sizeof cores, &cores) == 0);
  NEED(!MPJ_Init(&argc, &argv) && !MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  if (rank == 0) count = 2 * CPU_COUNT(&cores) < MOST ? 2 * CPU_COUNT(&cores) : MOST;
  NEED(!start(strangers, count) && !MPJ_Barrier(MPJ_COMM_WORLD) &&
       !call(rank, argc > 1 && strcmp(argv[1], "test") == 0));
  NEED(!end(strangers, count) && !MPJ_Finalize());
  return 0;
}
