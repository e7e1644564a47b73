/* This file plays what costs: schedules made and freed by the hundred, scratch memory under a
 * bound, and allocations that fail on one rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/plays.h"
#include "base/memory.h"

/* The same n on all ranks. */
static MPJ_Array describe_copies(const struct run *run, MPJ_Count n)
{
  const MPJ_Axis axis = {.size = n};
  MPJ_Array array = MPJ_ARRAY_NULL;
  MPJ_Array_create(1, &axis, 1, &run->size, MPJ_ORDER_C, MPJ_DOUBLE, run->comm, &array);
  return array;
}

struct arrays {
  MPJ_Array blocks, dealt, copies, plain;
};

static struct arrays describe_all(const struct run *run, MPJ_Count n)
{
  return (struct arrays){play_blocks(run, n, 0, 2), play_blocks(run, n, 3, 0),
                         describe_copies(run, n), play_blocks(run, n, 0, 0)};
}

static void free_all(struct arrays *a)
{
  MPJ_Array_free(&a->blocks);
  MPJ_Array_free(&a->dealt);
  MPJ_Array_free(&a->copies);
  MPJ_Array_free(&a->plain);
}

enum { WANTED = 7 };

enum kind { REMAP, HALO, SHIFT, SUBSCRIPT, COPIES, JOINED, KINDS };

/* A schedule of one of the kinds between such arrays. */
static int make(enum kind kind, const struct arrays *a, MPJ_Schedule *schedule)
{
  MPJ_Count index[WANTED];
  MPJ_Schedule two[2] = {MPJ_SCHEDULE_NULL, MPJ_SCHEDULE_NULL};
  int status;
  switch (kind) {
  case REMAP:
    return MPJ_Remap_create(a->blocks, NULL, a->dealt, NULL, NULL, schedule);
  case HALO:
    return MPJ_Halo_create(a->plain, a->blocks, NULL, NULL, 0, schedule);
  case SHIFT:
    return MPJ_Shift_create(a->dealt, 0, 5, MPJ_EDGE_ZERO, schedule);
  case SUBSCRIPT:
    for (int i = 0; i < WANTED; i++)
      index[i] = 11 * (i % 5);
    return MPJ_Subscript_create(a->dealt, WANTED, index, NULL, schedule);
  case COPIES:
    return MPJ_Remap_create(a->dealt, NULL, a->copies, NULL, NULL, schedule);
  default:
    status = make(REMAP, a, &two[0]);
    if (status) return status;
    status = make(SUBSCRIPT, a, &two[1]);
    if (!status) status = MPJ_Schedule_join(2, two, schedule);
    for (int i = 0; i < 2; i++)
      if (two[i]) MPJ_Schedule_free(&two[i]);
    return status;
  }
}

int play_many(const struct run *run, struct mpj_random *rng)
{
  enum { TIMES = 40, SIZE = 60 };
  struct arrays arrays = describe_all(run, SIZE);
  int status = 0;
  (void)rng;
  for (int i = 0; i < TIMES * KINDS && !status; i++) {
    MPJ_Schedule schedule = MPJ_SCHEDULE_NULL;
    if (make((enum kind)(i % KINDS), &arrays, &schedule)) status = play_failed(run, "one of many");
    if (schedule) MPJ_Schedule_free(&schedule);
  }
  free_all(&arrays);
  return status;
}

static int stays_under(const struct run *run, const char *what, long bytes, MPJ_Count most)
{
  if (bytes <= (long)most) return 0;
  fprintf(stderr, "rank %d of %d: %s takes %ld bytes, at most %lld were meant\n", run->rank,
          run->size, what, bytes, (long long)most);
  return 1;
}

/* What a run backward allocates at most stays under the bound and a tenth, and the second limit
 * takes little itself. */
static int measure(const struct run *run, const char *what, MPJ_Schedule schedule, double *from,
                   const double *to, MPJ_Count bound)
{
  enum { OWN = 1 << 14 };
  if (MPJ_Schedule_limit(schedule, bound / 2)) return play_failed(run, "MPJ_Schedule_limit");
  MPJ_Barrier(run->comm);
  mpj_memory_meter_start();
  const int limited = MPJ_Schedule_limit(schedule, bound);
  const struct mpj_memory_meter own = mpj_memory_meter_stop();
  if (limited) return play_failed(run, "MPJ_Schedule_limit");
  if (stays_under(run, "MPJ_Schedule_limit", own.peak, OWN)) return 1;
  if (MPJ_Schedule_backward(schedule, from, to, MPJ_SUM)) return play_failed(run, "backward");
  MPJ_Barrier(run->comm);
  mpj_memory_meter_start();
  const int status = MPJ_Schedule_backward(schedule, from, to, MPJ_SUM);
  const struct mpj_memory_meter meter = mpj_memory_meter_stop();
  if (status) return play_failed(run, "bounded backward");
  return stays_under(run, what, meter.peak, bound + bound / 10);
}

/* A schedule keeps nothing for each of the rounds that a small bound makes: their types are some
 * thousand bytes each. What it has kept is what its end gives back. */
static int keep_little(const struct run *run, MPJ_Array blocks, MPJ_Array dealt, double *from,
                       const double *to)
{
  enum { BOUND = 2000, MOST = 1 << 15 };
  MPJ_Schedule schedule = MPJ_SCHEDULE_NULL;
  int status = MPJ_Remap_create(blocks, NULL, dealt, NULL, NULL, &schedule);
  if (!status) status = MPJ_Schedule_limit(schedule, BOUND);
  if (!status) status = MPJ_Schedule_backward(schedule, from, to, MPJ_SUM);
  if (status) return play_failed(run, "backward in many rounds");
  mpj_memory_meter_start();
  MPJ_Schedule_free(&schedule);
  const struct mpj_memory_meter meter = mpj_memory_meter_stop();
  if (-meter.now <= MOST) return 0;
  fprintf(stderr, "rank %d of %d: %ld bytes were kept under a bound of %d\n", run->rank, run->size,
          -meter.now, BOUND);
  return 1;
}

int play_bounded(const struct run *run, struct mpj_random *rng)
{
  enum { SIZE = 60000 };
  const MPJ_Count bound = 100000 + play_below(rng, 20000);
  MPJ_Array blocks = play_blocks(run, SIZE, 0, 0), dealt = play_blocks(run, SIZE, 7, 0);
  MPJ_Count *index = malloc(SIZE / 2 * sizeof *index);
  double *from = calloc(SIZE, sizeof *from), *to = calloc(SIZE, sizeof *to);
  MPJ_Schedule schedule = MPJ_SCHEDULE_NULL;
  int status = 0;
  for (MPJ_Count i = 0; i < SIZE / 2; i++)
    index[i] = play_below(rng, SIZE);
  if (MPJ_Remap_create(blocks, NULL, dealt, NULL, NULL, &schedule))
    status = play_failed(run, "a remap");
  if (!status) status = keep_little(run, blocks, dealt, from, to);
  if (!status) status = measure(run, "a remap", schedule, from, to, bound);
  if (schedule) MPJ_Schedule_free(&schedule);
  if (!status && MPJ_Subscript_create(blocks, SIZE / 2, index, NULL, &schedule))
    status = play_failed(run, "a gather");
  if (!status) status = measure(run, "a gather", schedule, from, to, bound);
  if (schedule) MPJ_Schedule_free(&schedule);
  MPJ_Array_free(&blocks);
  MPJ_Array_free(&dealt);
  free(index);
  free(from);
  free(to);
  return status;
}

/* Where a rank was ahead, the one without memory had no room for what it sent for this: then that
 * has failed on all, too. */
static int most(const struct run *run, const int *made, int *worst)
{
  enum { TRIES = 100 };
  int status = MPJ_ERR_NO_MEM;
  for (int i = 0; i < TRIES && status == MPJ_ERR_NO_MEM; i++)
    status = MPJ_Allreduce(made, MPJ_INT, worst, MPJ_INT, MPJ_MAX, run->comm);
  return status;
}

enum { SCARCE = 64, FORMS = 3 };

/* Run a schedule in one of its forms, from numbers that only a run changes. */
static int run_form(MPJ_Schedule schedule, int form, int poor, double from[SCARCE],
                    double to[SCARCE])
{
  MPJ_Request r = MPJ_REQUEST_NULL;
  for (int i = 0; i < SCARCE; i++) {
    from[i] = i;
    to[i] = 100 + i;
  }
  mpj_memory_fail_after(poor);
  int status = form == 0   ? MPJ_Schedule_backward(schedule, from, to, MPJ_SUM)
               : form == 1 ? MPJ_Schedule_ibackward(schedule, from, to, MPJ_SUM, &r)
                           : MPJ_Schedule_iforward(schedule, from, to, &r);
  mpj_memory_fail_after(-1);
  if (!status && form > 0) status = MPJ_Wait(&r);
  return status;
}

/* One rank's memory ends while a schedule runs: that rank hears of it, none hangs, and the next run
 * is as it should be. */
static int run_scarce(const struct run *run, MPJ_Schedule schedule, bool poor, int left)
{
  double from[SCARCE], to[SCARCE], wanted_from[SCARCE], wanted_to[SCARCE];
  for (int form = 0; form < FORMS; form++) {
    int status = run_form(schedule, form, -1, wanted_from, wanted_to);
    if (status) return play_failed(run, "a run with memory");
    status = run_form(schedule, form, poor ? left : -1, from, to);
    if (status && poor && status != MPJ_ERR_NO_MEM) return play_failed(run, "a run without memory");
    const bool same =
        memcmp(from, wanted_from, sizeof from) == 0 && memcmp(to, wanted_to, sizeof to) == 0;
    if (!status && !same) return play_failed(run, "a run that says that all is well");
    int one = 1, sum;
    if (most(run, &one, &sum)) return play_failed(run, "after a run without memory");
  }
  return MPJ_Schedule_backward(schedule, from, to, MPJ_SUM) ? play_failed(run, "the run after it")
                                                            : 0;
}

/* The same of all forms, after some allocations and after more. */
static int run_poorly(const struct run *run, MPJ_Schedule schedule, bool poor, int first)
{
  enum { MOST = 40 };
  int status = 0;
  for (int left = first; left < MOST && !status; left += 3)
    status = run_scarce(run, schedule, poor, left);
  return status;
}

/* One rank's memory ends while a schedule is made: all hear of it, and make it again. Then it ends
 * while it runs, with one round and with some. */
int play_scarce(const struct run *run, struct mpj_random *rng)
{
  enum { SIZE = 60, MOST = 60, BOUND = 200 };
  struct arrays arrays = describe_all(run, SIZE);
  const enum kind kind = (enum kind)play_below(rng, KINDS);
  const int poor = play_below(rng, run->size);
  MPJ_Schedule schedule = MPJ_SCHEDULE_NULL;
  int worst = 0, status = 0;
  for (int left = play_below(rng, 4); left < MOST && !status; left += 1 + play_below(rng, 9)) {
    if (run->rank == poor) mpj_memory_fail_after(left);
    int made = make(kind, &arrays, &schedule);
    mpj_memory_fail_after(-1);
    if (made && schedule) status = play_failed(run, "there is a schedule, and an error");
    if (schedule) MPJ_Schedule_free(&schedule);
    made = made != 0;
    if (most(run, &made, &worst)) status = play_failed(run, "after an allocation that failed");
    if (!status && made != worst) status = play_failed(run, "only some ranks have failed");
  }
  const int first = play_below(rng, 3);
  if (!status && kind != JOINED) {
    status = make(kind, &arrays, &schedule);
    if (!status) status = run_poorly(run, schedule, run->rank == poor, first);
    if (!status && MPJ_Schedule_limit(schedule, BOUND)) status = play_failed(run, "a limit");
    if (!status) status = run_poorly(run, schedule, run->rank == poor, first);
    if (schedule) MPJ_Schedule_free(&schedule);
  }
  free_all(&arrays);
  return status;
}
