/* This file is a program that plays random Allgathers and Alltoalls and checks
 * every byte: coll_exchanges [--ranks LIST] [--plays N] [--seed S]. */
#include "coll/exchange_play.h"

static int play_all(const struct run *run)
{
  for (long i = 0; i < run->plays; i++)
    if (exchange_play(run, run_seed(run, (uint64_t)i), MPJ_OPERATION_NONE) != 0) return 1;
  return 0;
}

int main(int argc, char **argv)
{
  return run_main(argc, argv, play_all);
}
