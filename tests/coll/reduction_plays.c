/* This file is a program that plays random reductions and compares them, bit by
 * bit, with a serial one in rank order:
 *
 *   coll_reductions [--ranks LIST] [--plays N] [--seed S] [each | exact | OPERATION]
 *
 * With `each`, the plays go through all ops. With `exact` too, users' first, which do not
 * commute, and on values that round nowhere: for algorithms that set parentheses in other
 * places. With an operation, "reduce", they play it alone, as `exact` does; "scan" is Exscan as
 * well, by turns. */
#include <string.h>

#include "coll/reduction_model.h"
#include "coll/reduction_play.h"
#include "coll/select/algorithms.h"

static int play_all(const struct run *run)
{
  const bool each = run->word != NULL, exact = each && strcmp(run->word, "each") != 0;
  const enum mpj_operation operation = each ? mpj_operation_of_word(run->word) : MPJ_OPERATION_NONE;
  for (long i = 0; i < run->plays; i++) {
    const int turn_of_op = (int)(i % MODEL_OPS);
    const int number = exact ? MODEL_OPS - 1 - turn_of_op : each ? turn_of_op : -1;
    const bool turn = operation == MPJ_OPERATION_SCAN && i / MODEL_OPS % 2 != i % 2;
    if (reduction_play(run, run_seed(run, (uint64_t)i), turn ? MPJ_OPERATION_EXSCAN : operation,
                       number, exact) != 0)
      return 1;
  }
  return 0;
}

int main(int argc, char **argv)
{
  return run_main(argc, argv, play_all);
}
