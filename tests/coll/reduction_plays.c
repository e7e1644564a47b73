/* This file is a program that plays random reductions and compares them, bit by
 * bit, with a serial one in rank order:
 *
 *   coll_reductions [--ranks LIST] [--plays N] [--seed S] [each | exact]
 *
 * With `each`, play i uses op i modulo their number, so that all come. With
 * `exact` too, on values that round nowhere: for algorithms that set parentheses
 * in other places. */
#include <string.h>

#include "coll/reduction_model.h"
#include "coll/reduction_play.h"

static int play_all(const struct run *run)
{
  const bool each = run->word != NULL, exact = each && strcmp(run->word, "exact") == 0;
  for (long i = 0; i < run->plays; i++) {
    const int number = each ? (int)(i % MODEL_OPS) : -1;
    if (reduction_play(run, run_seed(run, (uint64_t)i), MPJ_OPERATION_NONE, number, exact) != 0)
      return 1;
  }
  return 0;
}

int main(int argc, char **argv)
{
  return run_main(argc, argv, play_all);
}
