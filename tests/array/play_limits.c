/* This file plays what costs: schedules made and freed by the hundred, scratch memory under a
 * bound, and allocations that fail on one rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/plays.h"
#include "base/memory.h"

static int failed(const struct run *run, const char *what)
{
  fprintf(stderr, "rank %d: %s: %s\n", run->rank, what, MPJ_Error_detail());
  return 1;
}

/* n doubles in blocks of so many, dealt in turn; 0: one a rank. */
static MPJ_Array describe(const struct run *run, MPJ_Count n, MPJ_Count block, MPJ_Count ghosts)
{
  const MPJ_Axis axis = {.size = n,
                         .darg = block,
                         .ghost_low = ghosts,
                         .ghost_high = ghosts,
                         .periodic = 1,
                         .distribute = block ? MPJ_DISTRIBUTE_CYCLIC : MPJ_DISTRIBUTE_BLOCK};
  MPJ_Array array = MPJ_ARRAY_NULL;
  MPJ_Array_create(1, &axis, 1, &run->size, MPJ_ORDER_C, MPJ_DOUBLE, run->comm, &array);
  return array;
}

/* The same n on all ranks. */
static MPJ_Array describe_copies(const struct run *run, MPJ_Count n)
{
  const MPJ_Axis axis = {.size = n};
  MPJ_Array array = MPJ_ARRAY_NULL;
  MPJ_Array_create(1, &axis, 1, &run->size, MPJ_ORDER_C, MPJ_DOUBLE, run->comm, &array);
  return array;
}

struct arrays {
  MPJ_Array blocks, dealt, copies;
};

static struct arrays describe_all(const struct run *run, MPJ_Count n)
{
  return (struct arrays){describe(run, n, 0, 2), describe(run, n, 3, 0), describe_copies(run, n)};
}

static void free_all(struct arrays *a)
{
  MPJ_Array_free(&a->blocks);
  MPJ_Array_free(&a->dealt);
  MPJ_Array_free(&a->copies);
}

enum { KINDS = 6, WANTED = 7 };

/* A schedule of one of the kinds between such arrays. */
static int make(int kind, const struct arrays *a, MPJ_Schedule *schedule)
{
  MPJ_Count index[WANTED];
  MPJ_Schedule two[2] = {MPJ_SCHEDULE_NULL, MPJ_SCHEDULE_NULL};
  int status;
  switch (kind) {
  case 0:
    return MPJ_Remap_create(a->blocks, NULL, a->dealt, NULL, NULL, schedule);
  case 1:
    return MPJ_Halo_create(a->blocks, a->blocks, NULL, NULL, 0, schedule);
  case 2:
    return MPJ_Shift_create(a->dealt, 0, 5, MPJ_EDGE_ZERO, schedule);
  case 3:
    for (int i = 0; i < WANTED; i++)
      index[i] = 11 * (i % 5);
    return MPJ_Subscript_create(a->dealt, WANTED, index, NULL, schedule);
  case 4:
    return MPJ_Remap_create(a->dealt, NULL, a->copies, NULL, NULL, schedule);
  default:
    status = make(0, a, &two[0]);
    if (status) return status;
    status = make(3, a, &two[1]);
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
    if (make(i % KINDS, &arrays, &schedule)) status = failed(run, "one of many");
    if (schedule) MPJ_Schedule_free(&schedule);
  }
  free_all(&arrays);
  return status;
}

/* What a run backward allocates at most stays under the bound and a tenth. */
static int measure(const struct run *run, const char *what, MPJ_Schedule schedule, double *from,
                   const double *to, MPJ_Count bound)
{
  if (MPJ_Schedule_limit(schedule, bound)) return failed(run, "MPJ_Schedule_limit");
  if (MPJ_Schedule_backward(schedule, from, to, MPJ_SUM)) return failed(run, "backward");
  MPJ_Barrier(run->comm);
  mpj_memory_meter_start();
  const int status = MPJ_Schedule_backward(schedule, from, to, MPJ_SUM);
  const struct mpj_memory_meter meter = mpj_memory_meter_stop();
  if (status) return failed(run, "bounded backward");
  if (meter.peak <= (long)bound + (long)bound / 10) return 0;
  fprintf(stderr, "rank %d of %d: %s takes %ld bytes, the bound is %lld\n", run->rank, run->size,
          what, meter.peak, (long long)bound);
  return 1;
}

int play_bounded(const struct run *run, struct mpj_random *rng)
{
  enum { SIZE = 60000 };
  const MPJ_Count bound = 100000 + play_below(rng, 20000);
  MPJ_Array blocks = describe(run, SIZE, 0, 0), dealt = describe(run, SIZE, 7, 0);
  MPJ_Count *index = malloc(SIZE / 2 * sizeof *index);
  double *from = calloc(SIZE, sizeof *from), *to = calloc(SIZE, sizeof *to);
  MPJ_Schedule schedule = MPJ_SCHEDULE_NULL;
  int status = 0;
  for (MPJ_Count i = 0; i < SIZE / 2; i++)
    index[i] = play_below(rng, SIZE);
  if (MPJ_Remap_create(blocks, NULL, dealt, NULL, NULL, &schedule)) status = failed(run, "a remap");
  if (!status) status = measure(run, "a remap", schedule, from, to, bound);
  if (schedule) MPJ_Schedule_free(&schedule);
  if (!status && MPJ_Subscript_create(blocks, SIZE / 2, index, NULL, &schedule))
    status = failed(run, "a gather");
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
    if (status) return failed(run, "a run with memory");
    status = run_form(schedule, form, poor ? left : -1, from, to);
    if (status && poor && status != MPJ_ERR_NO_MEM) return failed(run, "a run without memory");
    const bool same =
        memcmp(from, wanted_from, sizeof from) == 0 && memcmp(to, wanted_to, sizeof to) == 0;
    if (!status && !same) return failed(run, "a run that says that all is well");
    int one = 1, sum;
    if (most(run, &one, &sum)) return failed(run, "after a run without memory");
  }
  return MPJ_Schedule_backward(schedule, from, to, MPJ_SUM) ? failed(run, "the run after it") : 0;
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
  const int kind = play_below(rng, KINDS), poor = play_below(rng, run->size);
  MPJ_Schedule schedule = MPJ_SCHEDULE_NULL;
  int worst = 0, status = 0;
  for (int left = play_below(rng, 4); left < MOST && !status; left += 1 + play_below(rng, 9)) {
    if (run->rank == poor) mpj_memory_fail_after(left);
    int made = make(kind, &arrays, &schedule);
    mpj_memory_fail_after(-1);
    if (made && schedule) status = failed(run, "there is a schedule, and an error");
    if (schedule) MPJ_Schedule_free(&schedule);
    made = made != 0;
    if (most(run, &made, &worst)) status = failed(run, "after an allocation that failed");
    if (!status && made != worst) status = failed(run, "only some ranks have failed");
  }
  const int first = play_below(rng, 3);
  if (!status && kind < KINDS - 1) {
    status = make(kind, &arrays, &schedule);
    if (!status) status = run_poorly(run, schedule, run->rank == poor, first);
    if (!status && MPJ_Schedule_limit(schedule, BOUND)) status = failed(run, "a limit");
    if (!status) status = run_poorly(run, schedule, run->rank == poor, first);
    if (schedule) MPJ_Schedule_free(&schedule);
  }
  free_all(&arrays);
  return status;
}

/* What two ranks describe unlike is named on both, with MPJ_CHECK=1. */
static int hears(const struct run *run, int status, const char *sentence)
{
  if ((status == MPJ_ERR_ARG || status == MPJ_ERR_OP) && strstr(MPJ_Error_detail(), sentence))
    return 0;
  fprintf(stderr, "rank %d: %d: %s, not: %s\n", run->rank, status, MPJ_Error_detail(), sentence);
  return 1;
}

static int waits(const struct run *run, int status, MPJ_Request *r, const char *sentence)
{
  return hears(run, status ? status : MPJ_Wait(r), sentence);
}

static void add(void *ctx, const void *in, void *inout, MPJ_Count count)
{
  const double *one = in;
  double *other = inout;
  for (MPJ_Count i = 0; i < count; i++)
    other[i] += one[i];
  (void)ctx;
}

static void multiply(void *ctx, const void *in, void *inout, MPJ_Count count)
{
  const double *one = in;
  double *other = inout;
  for (MPJ_Count i = 0; i < count; i++)
    other[i] *= one[i];
  (void)ctx;
}

/* Users' operations: each rank makes its own in another order, and one alike on all passes. */
static int meet_unlike_ops(const struct run *run, MPJ_Schedule one, bool odd)
{
  static const struct {
    MPJ_User_function *fn[2]; /* on the odd rank; on the others */
    int commutes[2];
    const char *difference;
  } pairs[] = {{{multiply, add}, {1, 1}, " with another function"},
               {{add, add}, {0, 1}, " that does not commute"}};
  double from[2 * 60] = {0}, to[2 * 60] = {0};
  char sentence[128];
  int status = 0;
  for (int i = 0; i < 3 && !status; i++) {
    MPJ_Op unused, op;
    MPJ_Request r = MPJ_REQUEST_NULL;
    const int pair = i < 2 ? i : 1, side = i < 2 ? !odd : 1;
    if (odd) status = MPJ_Op_create(multiply, NULL, MPJ_DOUBLE, 1, &unused);
    if (!status)
      status =
          MPJ_Op_create(pairs[pair].fn[side], NULL, MPJ_DOUBLE, pairs[pair].commutes[side], &op);
    if (status) return status;
    snprintf(sentence, sizeof sentence,
             "op is a user's operation%s on rank %d, a user's operation on rank 0",
             pairs[pair].difference, run->size - 1);
    for (int form = 0; form < 2 && !status; form++) {
      status = form == 0 ? MPJ_Schedule_backward(one, from, to, op)
                         : MPJ_Schedule_ibackward(one, from, to, op, &r);
      if (!status && form == 1) status = MPJ_Wait(&r);
      if (i < 2) status = hears(run, status, sentence);
    }
    MPJ_Op_free(&op);
    if (odd) MPJ_Op_free(&unused);
  }
  return status;
}

/* The same of schedules, and of how they run. */
static int meet_unlike(const struct run *run, MPJ_Array array, MPJ_Array other, bool odd)
{
  enum { ROOM = 2 * 60 };
  double from[ROOM] = {0}, to[ROOM] = {0};
  const MPJ_Count index = 5;
  const int last = run->size - 1;
  char sentence[128];
  MPJ_Schedule one, two, none = MPJ_SCHEDULE_NULL;
  MPJ_Request r = MPJ_REQUEST_NULL;
  snprintf(sentence, sizeof sentence, "the serial number of array is ");
  int status =
      hears(run, MPJ_Subscript_create(odd ? other : array, 1, &index, NULL, &none), sentence);
  snprintf(sentence, sizeof sentence,
           "rank %d has called MPJ_Shift_create, rank 0 MPJ_Remap_create", last);
  if (!status)
    status = hears(run,
                   odd ? MPJ_Shift_create(array, 0, 1, MPJ_EDGE_KEEP, &none)
                       : MPJ_Remap_create(array, NULL, other, NULL, NULL, &none),
                   sentence);
  if (!status) status = MPJ_Remap_create(array, NULL, other, NULL, NULL, &one);
  if (!status) status = MPJ_Shift_create(array, 0, 1, MPJ_EDGE_CYCLIC, &two);
  if (status) return status;
  const MPJ_Schedule list[2] = {odd ? two : one, odd ? one : two};
  snprintf(sentence, sizeof sentence, "the serial number of one of schedules is ");
  status = hears(run, MPJ_Schedule_join(2, list, &none), sentence);
  const MPJ_Schedule both[2] = {one, two};
  snprintf(sentence, sizeof sentence,
           "MPJ_Schedule_join is given 1 numbers on rank %d, 2 on rank 0", last);
  if (!status) status = hears(run, MPJ_Schedule_join(odd ? 1 : 2, both, &none), sentence);
  snprintf(sentence, sizeof sentence, "op is MPJ_MAX on rank %d, MPJ_SUM on rank 0", last);
  if (!status)
    status = hears(run, MPJ_Schedule_backward(one, from, to, odd ? MPJ_MAX : MPJ_SUM), sentence);
  if (!status)
    status = hears(run, MPJ_Schedule_backward_init(one, from, to, odd ? MPJ_MAX : MPJ_SUM, &r),
                   sentence);
  if (!status)
    status = waits(run, MPJ_Schedule_ibackward(one, from, to, odd ? MPJ_MAX : MPJ_SUM, &r), &r,
                   sentence);
  if (!status) status = meet_unlike_ops(run, one, odd);
  snprintf(sentence, sizeof sentence,
           "rank %d has called MPJ_Schedule_backward, rank 0 MPJ_Schedule_forward", last);
  if (!status)
    status = hears(run,
                   odd ? MPJ_Schedule_backward(one, from, to, MPJ_SUM)
                       : MPJ_Schedule_forward(one, from, to),
                   sentence);
  snprintf(sentence, sizeof sentence, "the serial number of schedule is ");
  if (!status) status = hears(run, MPJ_Schedule_forward(odd ? two : one, from, to), sentence);
  if (!status)
    status = waits(run, MPJ_Schedule_iforward(odd ? two : one, from, to, &r), &r, sentence);
  snprintf(sentence, sizeof sentence,
           "rank %d has called MPJ_Schedule_ibackward, rank 0 MPJ_Schedule_iforward", last);
  if (!status)
    status = waits(run,
                   odd ? MPJ_Schedule_ibackward(one, from, to, MPJ_REPLACE, &r)
                       : MPJ_Schedule_iforward(one, from, to, &r),
                   &r, sentence);
  if (!status) status = MPJ_Schedule_iforward(one, from, to, &r);
  if (!status) status = MPJ_Wait(&r);
  MPJ_Schedule_free(&one);
  MPJ_Schedule_free(&two);
  return status;
}

/* Arrays of two communicators are compared in any mode: one rank's description makes all schedules.
 */
static int meet_between(const struct run *run, MPJ_Array array, MPJ_Array other, bool odd)
{
  char sentence[128];
  MPJ_Schedule none = MPJ_SCHEDULE_NULL;
  MPJ_Array longer = describe(run, 2 * 60, 0, 2);
  const int last = run->size - 1;
  if (odd)
    snprintf(sentence, sizeof sentence,
             "from_or_null: size of axis 0 is 120 on rank %d, 60 on rank 0", last);
  else
    snprintf(sentence, sizeof sentence, "the call on rank %d failed with MPJ_ERR_ARG", last);
  const MPJ_Range section = {0, 60, 1};
  int status = hears(
      run,
      MPJ_Remap_create_between(odd ? longer : array, &section, other, NULL, NULL, run->comm, &none),
      sentence);
  if (odd) snprintf(sentence, sizeof sentence, "to_or_null: darg of axis 0 is ");
  if (!status)
    status = hears(
        run,
        MPJ_Remap_create_between(array, NULL, odd ? array : other, NULL, NULL, run->comm, &none),
        sentence);
  MPJ_Array_free(&longer);
  return status;
}

int play_unlike(const struct run *run, struct mpj_random *rng)
{
  enum { SIZE = 60 };
  const bool odd = run->rank == run->size - 1 && run->size > 1;
  char sentence[128];
  const MPJ_Axis axis = {.size = SIZE, .distribute = MPJ_DISTRIBUTE_CYCLIC, .darg = odd ? 4 : 3};
  const MPJ_Axis even = {.size = SIZE, .distribute = MPJ_DISTRIBUTE_BLOCK};
  MPJ_Array array = MPJ_ARRAY_NULL;
  MPJ_Schedule schedule = MPJ_SCHEDULE_NULL;
  (void)rng;
  if (run->size == 1) return 0;
  snprintf(sentence, sizeof sentence, "the block of an axis is 4 on rank %d, 3 on rank 0",
           run->size - 1);
  int status = hears(
      run, MPJ_Array_create(1, &axis, 1, &run->size, MPJ_ORDER_C, MPJ_DOUBLE, run->comm, &array),
      sentence);
  MPJ_Array blocks = describe(run, SIZE, 0, 2), dealt = describe(run, SIZE, 3, 0);
  if (!status)
    status = hears(run,
                   MPJ_Array_create(1, &even, 1, &run->size, MPJ_ORDER_C,
                                    odd ? MPJ_INT64 : MPJ_DOUBLE, run->comm, &array),
                   "the digest of element's signature is ");
  if (!status) status = meet_between(run, blocks, dealt, odd);
  snprintf(sentence, sizeof sentence, "by is 2 on rank %d, 1 on rank 0", run->size - 1);
  if (!status)
    status =
        hears(run, MPJ_Shift_create(dealt, 0, odd ? 2 : 1, MPJ_EDGE_KEEP, &schedule), sentence);
  snprintf(sentence, sizeof sentence, "corners is 1 on rank %d, 0 on rank 0", run->size - 1);
  if (!status)
    status = hears(run, MPJ_Halo_create(blocks, blocks, NULL, NULL, odd, &schedule), sentence);
  snprintf(sentence, sizeof sentence, " on rank %d, ", run->size - 1);
  if (!status)
    status = hears(
        run,
        MPJ_Remap_create(odd ? dealt : blocks, NULL, odd ? blocks : dealt, NULL, NULL, &schedule),
        sentence);
  if (!status) status = meet_unlike(run, blocks, dealt, odd);
  MPJ_Array_free(&blocks);
  MPJ_Array_free(&dealt);
  return status;
}
