/* This file takes UCX away from a rank of a job, for programs that are linked with
 * --wrap=mpj_ucx_open: WITHOUT_UCX in the environment is its number, or "all". */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "net/ucx/ucx.h"

int __wrap_mpj_ucx_open(int rank, int size, struct mpj_carrier **carrier);
int __real_mpj_ucx_open(int rank, int size, struct mpj_carrier **carrier);

int __wrap_mpj_ucx_open(int rank, int size, struct mpj_carrier **carrier)
{
  const char *without = getenv("WITHOUT_UCX");
  if (without && *without && (strcmp(without, "all") == 0 || atoi(without) == rank))
    return mpj_error(MPJ_ERR_UNSUPPORTED, "rank %d has no UCX", rank);
  return __real_mpj_ucx_open(rank, size, carrier);
}
