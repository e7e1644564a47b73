/* This file is the worker of `mpj-bench am --machine`: two ranks of an MPJ job take what a message
 * costs between them, by the rows of `mpj-bench am`.
 *
 * am_machine [--threads 2] [--seconds S]   S: seconds for one result (.1) */
#include "am.h"

#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

#include "coll/comm/context.h"

static double seconds = .1;

static int measure(void *arg)
{
  struct am_rank r = {.seconds = seconds, .quiet_part = true};
  (void)arg;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &r.rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &r.size);
  if (r.size != 2) {
    fprintf(stderr, "am_machine: there are %d ranks, 2 are needed\n", r.size);
    return 1;
  }
  r.net = mpj_context_current()->net;
  am_short(&r, 0);
  am_burst(&r, 8);
  am_burst(&r, 1024);
  am_eager(&r, 512);
  am_eager(&r, 2048);
  am_eager(&r, 8192);
  for (long bytes = 32768; bytes <= 1048576; bytes = bytes < 262144 ? 262144 : 4 * bytes) {
    am_long(&r, bytes << AM_HOW_BITS);
    am_long(&r, bytes << AM_HOW_BITS | AM_PASSED_ON);
    am_long(&r, bytes << AM_HOW_BITS | AM_COMBINED);
  }
  return 0;
}

int main(int argc, char **argv)
{
  bool threads = false;
  for (int i = 1; i + 1 < argc; i += 2) {
    threads |= !strcmp(argv[i], "--threads");
    if (!strcmp(argv[i], "--seconds")) seconds = strtod(argv[i + 1], NULL);
  }
  if (threads) return MPJ_Run_threads(2, measure, NULL) != MPJ_SUCCESS;
  if (MPJ_Init(NULL, NULL) != MPJ_SUCCESS) return 1;
  const int failed = measure(NULL);
  return MPJ_Finalize() != MPJ_SUCCESS || failed;
}
