/* In this program the ranks of a job are killed one after the other, the last one first, each in a
 * communicator of those who are left: sums go on there although others have died, until it is
 * killed; then they say that it was.
 *
 *   coll_one_by_one
 *
 * In the end rank 0 prints "2 of N are left". */
#include <signal.h>
#include <string.h>

#include "need.h"

enum { SUMS = 40 };

/* Sums until one fails, which may be the last one with the victim. */
static int outlive(MPJ_Comm comm, int rank, int victim)
{
  char name[32];
  int status = MPJ_SUCCESS, sums = 0;
  for (; status == MPJ_SUCCESS; sums += status == MPJ_SUCCESS) {
    int sum = 0;
    if (rank == victim && sums == SUMS) raise(SIGKILL);
    status = MPJ_Allreduce(&rank, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, comm);
    NEED(status != MPJ_SUCCESS || sum == victim * (victim + 1) / 2);
  }
  snprintf(name, sizeof name, "rank %d", victim);
  NEED(status == MPJ_ERR_PEER && strstr(MPJ_Error_detail(), name) &&
       strstr(MPJ_Error_detail(), "was killed"));
  NEED(sums == SUMS || sums == SUMS - 1);
  return 0;
}

int main(int argc, char **argv)
{
  MPJ_Comm comms[64];
  int rank, size;
  NEED(!MPJ_Init(&argc, &argv));
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &rank) && !MPJ_Comm_size(MPJ_COMM_WORLD, &size));
  NEED(size > 2 && size <= 64);
  for (int last = size - 1; last > 0; last--)
    NEED(!MPJ_Comm_split(MPJ_COMM_WORLD, rank <= last ? 0 : MPJ_UNDEFINED, 0, &comms[last]));
  for (int last = size - 1; last > 1; last--) {
    const int line = outlive(comms[last], rank, last);
    if (line) return line;
  }
  NEED(!MPJ_Barrier(comms[1]));
  if (rank == 0) printf("2 of %d are left\n", size);
  return MPJ_Finalize();
}
