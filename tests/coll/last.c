/* This program comes to a barrier last, as the rank at which all are counted, and leaves at
 * once: the others' barriers end well all the same. Its exit status is 0 if they do. */
#include <stdio.h>
#include <time.h>

#include <mpj/mpj.h>

int main(int argc, char **argv)
{
  const struct timespec late = {.tv_nsec = 50000000};
  int rank = -1;
  if (MPJ_Init(&argc, &argv) != MPJ_SUCCESS) return 1;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  int status = MPJ_Barrier(MPJ_COMM_WORLD);
  if (rank == 0) nanosleep(&late, NULL);
  if (status == MPJ_SUCCESS) status = MPJ_Barrier(MPJ_COMM_WORLD);
  if (status != MPJ_SUCCESS) fprintf(stderr, "rank %d: %s\n", rank, MPJ_Error_detail());
  return MPJ_Finalize() != MPJ_SUCCESS || status != MPJ_SUCCESS;
}
