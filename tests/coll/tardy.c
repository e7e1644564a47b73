/* In this program a rank comes to reductions so late that the others ask whether they wait for each
 * other in a circle; theirs have been called before, and run as they did.
 *
 *   coll_tardy [--threads N] */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/need.h"

enum { CALLS = 12, TARDY = 6, LATE_S = 3 };

static int rank_main(void *arg)
{
  int rank, size;
  (void)arg;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  for (int64_t call = 0; call < CALLS; call++) {
    const int64_t in = call + rank;
    int64_t out = -1;
    if ((call == TARDY && rank == 0) || (call == TARDY + 1 && rank == size - 1)) sleep(LATE_S);
    NEED(!MPJ_Allreduce(&in, MPJ_INT64, &out, MPJ_INT64, MPJ_SUM, MPJ_COMM_WORLD));
    NEED(out == size * call + (int64_t)size * (size - 1) / 2);
  }
  return MPJ_Finalize();
}

int main(int argc, char **argv)
{
  if (argc > 2 && strcmp(argv[1], "--threads") == 0)
    return MPJ_Run_threads(atoi(argv[2]), rank_main, NULL) != 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(NULL) != 0;
}
