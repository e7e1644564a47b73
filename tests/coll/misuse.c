/* This file is a program that misuses exchanges and reductions, and then looks
 * whether the communicator works: coll_misuse [--ranks LIST] [CASE]. */
#include "coll/misuse.h"

#include <stdio.h>
#include <string.h>

int misuse_expect(const struct run *run, int status, int code, const char *text, bool may,
                  const char *what, int line)
{
  if (may && status == MPJ_SUCCESS) return 0;
  if (status == code && (code == MPJ_SUCCESS || strstr(MPJ_Error_detail(), text))) return 0;
  fprintf(stderr, "rank %d of %d, line %d: %s is %d with '%s', expected %d with '%s'\n", run->rank,
          run->size, line, what, status, MPJ_Error_detail(), code, text);
  return 1;
}

int misuse_fact(const struct run *run, bool fact, const char *what, int line)
{
  if (!fact)
    fprintf(stderr, "rank %d of %d, line %d: not so: %s\n", run->rank, run->size, line, what);
  return !fact;
}

MPJ_Datatype misuse_parts(MPJ_Count n, MPJ_Count length, MPJ_Datatype old)
{
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  if (MPJ_Type_vector(n, length, length, old, &made) == MPJ_SUCCESS) MPJ_Type_commit(&made);
  return made;
}

static int works(const struct run *run)
{
  const int n = run->size, me = run->rank;
  int mine[MISUSE_RANKS], all[MISUSE_RANKS] = {0}, sum = 0, failed = 0;
  MPJ_Datatype parts = misuse_parts(n, 1, MPJ_INT);
  for (int i = 0; i < n; i++)
    mine[i] = 100 * me + i;
  failed += MUST(MPJ_Alltoall(mine, parts, all, parts, WORLD), MPJ_SUCCESS, "");
  failed += FACT(all[0] == me && all[n - 1] == 100 * (n - 1) + me);
  failed += MUST(MPJ_Allreduce(&me, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, WORLD), MPJ_SUCCESS, "");
  failed += FACT(sum == n * (n - 1) / 2);
  failed += MUST(MPJ_Barrier(WORLD), MPJ_SUCCESS, "");
  MPJ_Type_free(&parts);
  return failed;
}

static int run_cases(const struct run *run, const struct misuse *cases)
{
  int failed = 0;
  for (const struct misuse *c = cases; c->name && !failed; c++) {
    if (run->word && strcmp(run->word, c->name) != 0) continue;
    failed = c->fn(run) + works(run);
    if (failed)
      fprintf(stderr, "rank %d of %d: %s: %d failed\n", run->rank, run->size, c->name, failed);
  }
  return failed;
}

static int rank_main(const struct run *run)
{
  if (run->size < 2) return 0; /* nobody to misunderstand */
  if (run_cases(run, exchange_misuses)) return 1;
  if (run_cases(run, reduction_misuses)) return 1;
  return run_cases(run, reduction_differences) != 0;
}

int main(int argc, char **argv)
{
  return run_main(argc, argv, rank_main);
}
