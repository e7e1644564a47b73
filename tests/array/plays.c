/* This file is a program that plays random schedules on all ranks and compares what they do with
 * plain loops over global indices:
 *
 *   array_plays [--ranks LIST] [--places N] [--plays N] [--seed S] WHAT
 *
 * WHAT is remap, ... or all, which are those with random arrays. */
#include "array/plays.h"

#include <stdio.h>
#include <string.h>

#include "base/share.h"

static const struct {
  const char *name;
  play_fn *play;
} kinds[] = {
    {"remap", play_remap},     {"between", play_between}, {"join", play_join},
    {"halo", play_halo},       {"shift", play_shift},     {"subscript", play_subscript},
    {"graph", play_graph},     {"pending", play_pending}, {"many", play_many},
    {"bounded", play_bounded}, {"scarce", play_scarce},   {"unlike", play_unlike},
    {"far", play_far},         {"ops", play_ops},
};

static int play_all(const struct run *run)
{
  enum { KINDS = sizeof kinds / sizeof *kinds, SHORT = 8 };
  int failed = 0, worst;
  for (long i = 0; i < run->plays; i++)
    for (int k = 0; k < KINDS; k++) {
      if (strcmp(run->word ? run->word : "all", "all") == 0 && k >= SHORT) continue;
      if (run->word && strcmp(run->word, "all") != 0 && strcmp(run->word, kinds[k].name) != 0)
        continue;
      struct mpj_random rng = {run_seed(run, (uint64_t)(i * KINDS + k))};
      failed = kinds[k].play(run, &rng);
      if (failed)
        fprintf(stderr, "rank %d of %d: %s %ld of seed %llu failed (%d)\n", run->rank, run->size,
                kinds[k].name, i, (unsigned long long)run->seed, failed);
      MPJ_Allreduce(&failed, MPJ_INT, &worst, MPJ_INT, MPJ_MAX, run->comm);
      if (worst) return 1;
    }
  return 0;
}

int main(int argc, char **argv)
{
  return run_main(argc, argv, play_all);
}
