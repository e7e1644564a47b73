/* This file is a program that plays random Allgathers and Alltoalls and checks
 * every byte: coll_exchanges [--ranks LIST] [--plays N] [--seed S] [OPERATION].
 * With an operation, "allgather", it plays that alone. */
#include "coll/exchange_play.h"
#include "coll/select/algorithms.h"

static int play_all(const struct run *run)
{
  const enum mpj_operation operation =
      run->word ? mpj_operation_of_word(run->word) : MPJ_OPERATION_NONE;
  for (long i = 0; i < run->plays; i++)
    if (exchange_play(run, run_seed(run, (uint64_t)i), operation) != 0) return 1;
  return 0;
}

int main(int argc, char **argv)
{
  return run_main(argc, argv, play_all);
}
