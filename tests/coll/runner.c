/* This file runs a test's function on all ranks. */
#include "coll/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

#include "base/memory.h"
#include "base/share.h"
#include "coll/op/op.h"
#include "types/layout/layout.h"
#include "types/random_type.h"
#include "types/type.h"

enum { PLACES_MAX = 64 };

struct program {
  const char *name, *ranks;
  run_fn *fn;
  bool may_differ; /* the ranks' calls */
  struct run run;
};

uint64_t run_seed(const struct run *run, uint64_t number)
{
  struct mpj_random rng = {run->seed * 1000003 + (uint64_t)run->size * 1009 + number};
  return mpj_random_next(&rng);
}

static int rank_main(void *arg)
{
  const struct program *program = arg;
  struct run run = program->run;
  struct place places[PLACES_MAX];
  int status = places_make((struct mpj_random){run.seed}, run.nplaces, places);
  run.places = places;
  for (run.place = 0; run.place < run.nplaces && status == 0; run.place++) {
    const struct place *p = &places[run.place];
    run.comm = p->comm;
    run.rank = p->rank;
    run.size = p->size;
    if (p->comm != MPJ_COMM_NULL) status = program->fn(&run);
  }
  return status == 0 ? places_free(run.nplaces, places) : status;
}

static int look_for_leaks(const struct program *program, long outstanding)
{
  mpj_layout_forget_permanent();
  if (mpj_type_live() == 0 && mpj_layout_live() == 0 && mpj_op_live() == 0 &&
      mpj_memory_outstanding() == outstanding)
    return 0;
  fprintf(stderr, "%s: %zu types, %zu layouts, %zu operations and %ld allocations are left\n",
          program->name, mpj_type_live(), mpj_layout_live(), mpj_op_live(),
          mpj_memory_outstanding() - outstanding);
  return 1;
}

static int run_threads(struct program *program, int n)
{
  const long outstanding = mpj_memory_outstanding();
  int status = MPJ_Run_threads(n, rank_main, program);
  if (status == MPJ_ERR_COMM && program->may_differ) status = 0;
  if (status == 0) return look_for_leaks(program, outstanding);
  fprintf(stderr, "%s: failed on %d threads, status %d (%s)\n", program->name, n, status,
          MPJ_Error_detail());
  return 1;
}

static int run_all_threads(struct program *program)
{
  int status = 0;
  char *end = (char *)(uintptr_t)program->ranks;
  while (*end && status == 0) {
    const long first = strtol(end, &end, 10);
    const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
    for (long n = first; n <= last && status == 0; n++)
      status = run_threads(program, (int)n);
    if (*end == ',') end++;
  }
  return status;
}

static int run_process(struct program *program)
{
  const long outstanding = mpj_memory_outstanding();
  if (MPJ_Init(NULL, NULL) != MPJ_SUCCESS) {
    fprintf(stderr, "%s: %s\n", program->name, MPJ_Error_detail());
    return 1;
  }
  if (rank_main(program) != 0) return 1; /* not finalized: the others hear of it */
  const int status = MPJ_Finalize();
  if (status != MPJ_SUCCESS && !(status == MPJ_ERR_COMM && program->may_differ)) {
    fprintf(stderr, "%s: MPJ_Finalize: %s\n", program->name, MPJ_Error_detail());
    return 1;
  }
  return look_for_leaks(program, outstanding + 1); /* the context stays */
}

static int usage(const struct program *program)
{
  fprintf(stderr, "usage: %s [--ranks LIST] [--places N] [--plays N] [--seed S] [WORD]\n",
          program->name);
  return 2;
}

static int run_program(int argc, char **argv, run_fn *fn, bool may_differ)
{
  struct program program = {.name = argv[0],
                            .fn = fn,
                            .may_differ = may_differ,
                            .run = {.plays = 1, .seed = 1, .nplaces = 1}};
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (argv[i][0] != '-')
      program.run.word = argv[i];
    else if (strcmp(argv[i], "--ranks") == 0)
      program.ranks = value, i++;
    else if (strcmp(argv[i], "--places") == 0)
      program.run.nplaces = atoi(value), i++;
    else if (strcmp(argv[i], "--plays") == 0)
      program.run.plays = share_of(atol(value)), i++;
    else if (strcmp(argv[i], "--seed") == 0)
      program.run.seed = (uint64_t)atol(value), i++;
    else
      return usage(&program);
  }
  if (program.run.nplaces < 1 || program.run.nplaces > PLACES_MAX) return usage(&program);
  program.run.threads = program.ranks != NULL;
  return program.ranks ? run_all_threads(&program) : run_process(&program);
}

int run_main(int argc, char **argv, run_fn *fn)
{
  return run_program(argc, argv, fn, false);
}

int run_main_of_differing(int argc, char **argv, run_fn *fn)
{
  return run_program(argc, argv, fn, true);
}
