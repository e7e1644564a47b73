/* In this program the last rank's type of a Bcast in many segments is one element short, so that it
 * refuses each segment. It says so once, with what was sent, and looks for that once: a search for
 * each segment would take minutes.
 *
 *   coll_refused_segments [--threads N]      N ranks as threads, or a rank of a job;
 *   MPJ_COLL_BCAST=chain:segment=1000 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "need.h"

enum { COUNT = 100000 };

static int rank_main(void *arg)
{
  int rank, size;
  (void)arg;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &rank) && !MPJ_Comm_size(MPJ_COMM_WORLD, &size));
  const bool last = rank == size - 1;
  MPJ_Datatype type;
  NEED(!MPJ_Type_contiguous(COUNT - last, MPJ_INT64, &type) && !MPJ_Type_commit(&type));
  int64_t *x = calloc(COUNT, sizeof *x);
  NEED(x);
  const int status = MPJ_Bcast(x, type, 0, MPJ_COMM_WORLD);
  NEED(status == (last ? MPJ_ERR_SIGNATURE : MPJ_SUCCESS));
  NEED(!last || strstr(MPJ_Error_detail(), "sent 100000 int64; type describes 99999 int64"));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD) && !MPJ_Type_free(&type));
  free(x);
  NEED(!MPJ_Finalize());
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "--threads") == 0)
    return MPJ_Run_threads(atoi(argv[2]), rank_main, NULL) != 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(NULL) != 0;
}
