/* This file is a program that plays every algorithm in turn, whatever the rules would choose:
 * each operation that moves data on random types, which differ between the ranks, against a
 * reference that goes element by element, gaps compared:
 *
 *   coll_algorithms [--ranks LIST] [--plays N] [--seed S] [all]
 *
 * --plays N  of each algorithm, each with a radix and segments of its own; some more of one that
 *            no play has suited yet
 * all        each algorithm must have run, where what it needs came often enough: on
 *            threads, with some numbers of ranks
 *
 * Ranks are threads of one process, or processes. What is asked for is the process's, so threads
 * meet before and after it is set; the communicator that is then made goes by it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

#include "coll/exchange_play.h"
#include "coll/play.h"
#include "coll/reduction_play.h"
#include "coll/select/algorithms.h"
#include "coll/select/select.h"

enum { ALGORITHMS_MAX = 100, MORE = 6 };

static _Atomic long times_run[ALGORITHMS_MAX];
static pthread_barrier_t meeting;
static _Atomic int meeting_size;

/* All threads are here, none of them in an operation. */
static void meet(const struct run *run)
{
  if (!run->threads) return;
  if (run->rank == 0 && atomic_load(&meeting_size) != run->size) {
    if (atomic_load(&meeting_size) > 0) pthread_barrier_destroy(&meeting);
    pthread_barrier_init(&meeting, NULL, (unsigned)run->size);
    atomic_store(&meeting_size, run->size);
  }
  while (atomic_load(&meeting_size) != run->size) {
  }
  pthread_barrier_wait(&meeting);
}

/* The algorithm with parameters of its own: "knomial:radix=3,segment=64". */
static void draw_setting(struct mpj_random *rng, const struct mpj_algorithm *a, char *text,
                         size_t size)
{
  static const int segments[] = {16, 100, 1000, 8192};
  const int radix = (int)mpj_random_in(rng, a->least_radix, a->least_radix + 3);
  const bool has_radix = a->radix > 0 && !a->fixed_radix;
  const int segment = segments[mpj_random_in(rng, 0, 3)];
  const bool cut = a->segmented && mpj_random_in(rng, 0, 3) > 0;
  size_t used = (size_t)snprintf(text, size, "%s", a->name);
  if (has_radix) used += (size_t)snprintf(text + used, size - used, ":radix=%d", radix);
  if (cut) snprintf(text + used, size - used, ",segment=%d", segment);
}

/* Ask for it, and for nothing else; the rest is as the rules say. */
static int ask(const struct run *run, const struct mpj_algorithm *a, const char *text)
{
  struct mpj_settings *settings = (struct mpj_settings *)(uintptr_t)mpj_settings();
  char why[400];
  bool sound = true;
  meet(run);
  if (!run->threads || run->rank == 0) {
    memset(settings->asked, 0, sizeof settings->asked);
    sound = mpj_setting_parse(a->operation, text, &settings->asked[a->operation], why, sizeof why);
    if (!sound) fprintf(stderr, "%s: %s\n", text, why);
  }
  meet(run);
  return sound ? 0 : 1;
}

static int play_one(const struct run *run, enum mpj_operation operation, uint64_t seed)
{
  const struct play_key key = {.comm = run->comm,
                               .seed = seed,
                               .kind = operation == MPJ_OPERATION_BCAST    ? PLAY_BCAST
                                       : operation == MPJ_OPERATION_GATHER ? PLAY_GATHER
                                                                           : PLAY_SCATTER,
                               .root = (int)(seed % (uint64_t)run->size),
                               .rounds = 2};
  if (operation <= MPJ_OPERATION_SCATTER) return play(&key, NULL);
  if (operation <= MPJ_OPERATION_ALLTOALL) return exchange_play(run, seed, operation);
  return reduction_play(run, seed, operation, -1, true);
}

/* Whether the communicator has run algorithm `number`. */
static bool has_run(MPJ_Comm handle, unsigned number)
{
  struct mpj_comm *comm;
  if (mpj_comm_resolve(handle, &comm) != MPJ_SUCCESS) return false;
  for (unsigned i = 0; i < comm->schedules->ncached; i++)
    if (comm->schedules->cached[i]->algorithm == number) return true;
  return false;
}

/* *ran is set if the algorithm was run: the same on all ranks. */
static int play_algorithm(const struct run *world, unsigned number, uint64_t seed, bool *ran)
{
  const struct mpj_algorithm *a = &mpj_algorithms[number];
  struct mpj_random rng = {seed};
  struct run run = *world;
  char text[80];
  draw_setting(&rng, a, text, sizeof text);
  if (ask(world, a, text) != 0) return 1;
  if (MPJ_Comm_dup(world->comm, &run.comm) != MPJ_SUCCESS) {
    fprintf(stderr, "rank %d of %d: no communicator for %s: %s\n", world->rank, world->size, text,
            MPJ_Error_detail());
    return 1;
  }
  const int wrong = play_one(&run, a->operation, mpj_random_next(&rng));
  if (wrong != 0) {
    fprintf(stderr, "rank %d of %d: with %s %s\n", world->rank, world->size,
            mpj_operation_word(a->operation), text);
  } else if (has_run(run.comm, number)) {
    *ran = true;
    atomic_fetch_add(&times_run[number], 1);
  }
  return wrong != 0 || MPJ_Comm_free(&run.comm) != MPJ_SUCCESS;
}

static int play_all(const struct run *run)
{
  long before[ALGORITHMS_MAX]; /* in other crews, which have ended */
  int wrong = 0;
  for (int i = 0; i < ALGORITHMS_MAX; i++)
    before[i] = atomic_load(&times_run[i]);
  meet(run);
  for (unsigned i = 0; mpj_algorithms[i].name && wrong == 0; i++) {
    if (mpj_algorithms[i].operation == MPJ_OPERATION_BARRIER) continue; /* moves no data */
    bool ran = before[i] > 0;
    for (long n = 0; wrong == 0 && (n < run->plays || (!ran && n < run->plays + MORE)); n++)
      wrong = play_algorithm(run, i, run_seed(run, 1000 * i + (uint64_t)n), &ran);
  }
  return wrong;
}

/* A line for each algorithm that has not run. */
static int look_for_missing(void)
{
  int missing = 0;
  for (int i = 0; mpj_algorithms[i].name; i++) {
    const enum mpj_operation operation = mpj_algorithms[i].operation;
    if (operation == MPJ_OPERATION_BARRIER || atomic_load(&times_run[i]) > 0) continue;
    fprintf(stderr, "%s %s has never run\n", mpj_operation_word(operation), mpj_algorithms[i].name);
    missing++;
  }
  return missing > 0;
}

int main(int argc, char **argv)
{
  const int status = run_main(argc, argv, play_all);
  if (status != 0 || strcmp(argv[argc - 1], "all") != 0) return status;
  return look_for_missing();
}
