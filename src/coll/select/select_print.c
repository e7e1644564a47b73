/* This file prints a table of what would run, and why. */
#include "coll/select/choose.h"
#include "coll/select/words.h"

static const MPJ_Count sizes[] = {8, 1024, 8192, 65536, 1 << 20, 16 << 20};
static const int ranks[] = {2, 3, 4, 8, 16, 32, 64};
enum { SIZES = sizeof sizes / sizeof *sizes, RANKS = sizeof ranks / sizeof *ranks };

static void print_line(FILE *out, enum mpj_operation operation, const struct mpj_facts *facts,
                       MPJ_Count bytes)
{
  const struct mpj_agreed call = {.operation = operation, .bytes = bytes, .cuttable = true};
  struct mpj_selected s;
  mpj_select(facts, mpj_settings(), call, &s);
  fprintf(out, "%-14s %3d  ", mpj_operation_word(operation), facts->ranks);
  if (mpj_operation_goes_by_size(operation))
    mpj_say_bytes(out, bytes);
  else
    fprintf(out, "any");
  fprintf(out, "\t");
  mpj_say_selected(out, &s);
  fprintf(out, "\t(");
  mpj_say_reason(out, &s);
  fprintf(out, ")\n");
}

void mpj_select_print(FILE *out, int cores)
{
  fprintf(out,
          "operation    ranks  bytes\talgorithm\t(why), for numbers of one basic type, an "
          "operation that commutes, %d cores\n",
          cores);
  for (enum mpj_operation op = MPJ_OPERATION_BARRIER; op < MPJ_OPERATIONS; op++)
    for (int i = 0; i < RANKS; i++) {
      struct mpj_facts facts;
      if (mpj_facts_suppose(ranks[i], 1, cores, &facts) != MPJ_SUCCESS) return;
      facts.tuned = mpj_tuning_here();
      for (int k = 0; k < (mpj_operation_goes_by_size(op) ? SIZES : 1); k++)
        print_line(out, op, &facts, mpj_operation_goes_by_size(op) ? sizes[k] : 0);
      mpj_facts_end(&facts);
    }
}
