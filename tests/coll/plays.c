/* This file is a program that plays random collectives, on threads or as one
 * process of a job:
 *
 *   coll_plays [--ranks LIST] [--every-root N] [--mixed N] [--seed S] [--delays]
 *              [--places N]
 *
 * --ranks LIST    run as threads, once with each number of ranks: "1-17,64"
 * --every-root N  each collective from each root (from 9 random roots where
 *                 there are more than 9 ranks), N times
 * --places N      --every-root on N - 1 other communicators as well, one by one
 * --mixed N       N collectives of random kind and root, back to back
 * --delays        ranks come late at random */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

#include "base/memory.h"
#include "base/share.h"
#include "coll/places.h"
#include "coll/play.h"
#include "types/layout/layout.h"
#include "types/random_type.h"
#include "types/type.h"

enum { PLACES_MAX = 64 };

struct job {
  const char *ranks;
  long every_root, mixed;
  int places;
  uint64_t seed;
  bool delays;
  struct board *board;
};

static uint64_t seed_of(const struct job *job, int size, uint64_t number)
{
  struct mpj_random rng = {job->seed * 1000003 + (uint64_t)size * 1009 + number};
  return mpj_random_next(&rng);
}

static int play_every_root(const struct job *job, MPJ_Comm comm, uint64_t *number)
{
  int size;
  if (MPJ_Comm_size(comm, &size) != MPJ_SUCCESS) return 1;
  const int roots = size <= 9 ? size : 9;
  for (int r = 0; r < roots; r++) {
    for (long i = 0; i < job->every_root * (PLAY_KINDS - 1); i++) {
      const uint64_t seed = seed_of(job, size, (*number)++);
      const struct play_key key = {.comm = comm,
                                   .seed = seed,
                                   .kind = PLAY_BCAST + (enum play_kind)(i % (PLAY_KINDS - 1)),
                                   .root = size <= 9 ? r : (int)(seed % (uint64_t)size),
                                   .rounds = 1,
                                   .delays = job->delays};
      if (play(&key, job->board) != 0) return 1;
    }
  }
  return 0;
}

/* Stretches of one root and one kind let the ranks that only send run ahead. */
static int play_mixed(const struct job *job, int size, uint64_t *number)
{
  for (long done = 0; done < job->mixed;) {
    struct mpj_random rng = {seed_of(job, size, (*number)++)};
    const struct play_key key = {.comm = MPJ_COMM_WORLD,
                                 .kind = (enum play_kind)mpj_random_in(&rng, 0, PLAY_KINDS - 1),
                                 .root = (int)mpj_random_in(&rng, 0, size - 1),
                                 .rounds = (int)mpj_random_in(&rng, 1, 24),
                                 .seed = mpj_random_next(&rng),
                                 .delays = job->delays};
    if (play(&key, job->board) != 0) return 1;
    done += key.rounds;
  }
  return 0;
}

static int rank_main(void *arg)
{
  const struct job *job = arg;
  struct place places[PLACES_MAX];
  uint64_t number = 0;
  int size;
  if (MPJ_Comm_size(MPJ_COMM_WORLD, &size) != MPJ_SUCCESS) return 1;
  if (size > BOARD_RANKS) {
    fprintf(stderr, "coll_plays: there are %d ranks, at most %d\n", size, BOARD_RANKS);
    return 2;
  }
  if (places_make((struct mpj_random){job->seed}, job->places, places) != 0) return 1;
  for (int i = 0; i < job->places; i++, number = 0)
    if (places[i].comm != MPJ_COMM_NULL && play_every_root(job, places[i].comm, &number) != 0)
      return 1;
  if (places_free(job->places, places) != 0) return 1;
  return play_mixed(job, size, &number);
}

/* Nothing is left of `outstanding` and of types. */
static int look_for_leaks(long outstanding)
{
  mpj_layout_forget_permanent();
  if (mpj_type_live() == 0 && mpj_layout_live() == 0 && mpj_memory_outstanding() == outstanding)
    return 0;
  fprintf(stderr, "%zu types, %zu layouts and %ld allocations are left\n", mpj_type_live(),
          mpj_layout_live(), mpj_memory_outstanding() - outstanding);
  return 1;
}

static int run_threads(struct job *job)
{
  job->board = &board_of_threads;
  char *list = strdup(job->ranks), *rest = list;
  int status = 0;
  for (char *range = strsep(&rest, ","); range && status == 0; range = strsep(&rest, ",")) {
    char *end;
    const long first = strtol(range, &end, 10);
    const long last = *end == '-' ? strtol(end + 1, NULL, 10) : first;
    for (long n = first; n <= last && status == 0; n++) {
      const long outstanding = mpj_memory_outstanding();
      memset(job->board, 0, sizeof *job->board);
      status = MPJ_Run_threads((int)n, rank_main, job);
      if (status != 0)
        fprintf(stderr, "failed on %ld threads, status %d\n", n, status);
      else
        status = look_for_leaks(outstanding);
    }
  }
  free(list);
  return status != 0;
}

static int run_process(struct job *job)
{
  const long outstanding = mpj_memory_outstanding();
  int rank;
  if (MPJ_Init(NULL, NULL) != MPJ_SUCCESS || MPJ_Comm_rank(MPJ_COMM_WORLD, &rank) != MPJ_SUCCESS) {
    fprintf(stderr, "MPJ_Init: %s\n", MPJ_Error_detail());
    return 1;
  }
  job->board = board_map();
  int status = !job->board || MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_SUCCESS;
  if (rank == 0) board_forget();
  if (status == 0) status = rank_main(job);
  if (status != 0) return 1; /* without MPJ_Finalize, so that the others hear of it */
  MPJ_Finalize();
  return look_for_leaks(outstanding + 1); /* the context stays, to know that it was finalized */
}

static long number(const char *text)
{
  char *end;
  const long value = text ? strtol(text, &end, 10) : 0;
  if (text && *end == '\0') return value;
  fprintf(stderr, "coll_plays: '%s' is no number\n", text ? text : "");
  exit(2);
}

int main(int argc, char **argv)
{
  struct job job = {.seed = 1, .places = 1};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--delays") == 0)
      job.delays = true;
    else if (strcmp(argv[i], "--ranks") == 0 && i + 1 < argc)
      job.ranks = argv[++i];
    else if (strcmp(argv[i], "--every-root") == 0)
      job.every_root = number(argv[++i]);
    else if (strcmp(argv[i], "--places") == 0 && i + 1 < argc)
      job.places = (int)number(argv[++i]);
    else if (strcmp(argv[i], "--mixed") == 0)
      job.mixed = share_of(number(argv[++i]));
    else if (strcmp(argv[i], "--seed") == 0)
      job.seed = (uint64_t)number(argv[++i]);
    else {
      fprintf(stderr, "coll_plays: unknown argument '%s'\n", argv[i]);
      return 2;
    }
  }
  if (job.every_root + job.mixed == 0 || job.places < 1 || job.places > PLACES_MAX) {
    fprintf(stderr, "coll_plays: nothing to play\n");
    return 2;
  }
  return job.ranks ? run_threads(&job) : run_process(&job);
}
