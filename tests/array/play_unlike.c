/* This file plays ranks that describe an array, a schedule or a run unlike. */
#include <stdio.h>
#include <string.h>

#include "array/plays.h"

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
  snprintf(sentence, sizeof sentence, "the serial number of schedules[0] is ");
  status = hears(run, MPJ_Schedule_join(2, list, &none), sentence);
  const MPJ_Schedule both[2] = {one, two};
  snprintf(sentence, sizeof sentence, "n is 1 on rank %d, 2 on rank 0", last);
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

/* No rank has both arrays. */
static int meet_unlike_elements(const struct run *run, bool odd)
{
  const MPJ_Axis axis = {.size = 60};
  MPJ_Array alone = MPJ_ARRAY_NULL;
  MPJ_Schedule none = MPJ_SCHEDULE_NULL;
  MPJ_Comm rest;
  int status = MPJ_Comm_split(run->comm, odd, 0, &rest);
  if (!status && odd)
    status = MPJ_Array_create(1, &axis, 0, NULL, MPJ_ORDER_C, MPJ_INT64, rest, &alone);
  MPJ_Array others = MPJ_ARRAY_NULL;
  if (!status && !odd)
    status = MPJ_Array_create(1, &axis, 0, NULL, MPJ_ORDER_C, MPJ_DOUBLE, rest, &others);
  if (!status) {
    status = MPJ_Remap_create_between(alone, NULL, others, NULL, NULL, run->comm, &none);
    const char *sentence =
        "the elements of from_or_null, int64, and of to_or_null, double, have unlike signatures";
    if (status != MPJ_ERR_SIGNATURE || !strstr(MPJ_Error_detail(), sentence))
      status = play_failed(run, "elements of unlike signatures");
    else
      status = 0;
  }
  if (alone) MPJ_Array_free(&alone);
  if (others) MPJ_Array_free(&others);
  MPJ_Comm_free(&rest);
  return status;
}

/* Arrays of two communicators are compared in any mode: one rank's description makes all schedules.
 */
static int meet_between(const struct run *run, MPJ_Array array, MPJ_Array other, bool odd)
{
  char sentence[128];
  MPJ_Schedule none = MPJ_SCHEDULE_NULL;
  MPJ_Array longer = play_blocks(run, 2 * 60, 0, 2);
  const int last = run->size - 1;
  snprintf(sentence, sizeof sentence,
           ": from_or_null: size of axis 0 is 120 on rank %d, 60 on rank 0", last);
  const MPJ_Range section = {0, 60, 1};
  int status = hears(
      run,
      MPJ_Remap_create_between(odd ? longer : array, &section, other, NULL, NULL, run->comm, &none),
      sentence);
  snprintf(sentence, sizeof sentence,
           "to_or_null: distribute of axis 0 is MPJ_DISTRIBUTE_BLOCK on rank %d, "
           "MPJ_DISTRIBUTE_CYCLIC on rank 0",
           last);
  if (!status)
    status = hears(
        run,
        MPJ_Remap_create_between(array, NULL, odd ? array : other, NULL, NULL, run->comm, &none),
        sentence);
  MPJ_Array_free(&longer);
  return status ? status : meet_unlike_elements(run, odd);
}

/* Of lists the first entry that differs is named: lengths, owners, ranks at the grid's places; and
 * axes that are permuted. */
static int meet_lists(const struct run *run, bool odd)
{
  enum { SIZE = 60, MOST = 64 };
  const int last = run->size - 1, square[2] = {run->size, 1};
  MPJ_Count lengths[MOST] = {0}, owners[SIZE] = {0};
  int ranks[MOST];
  char sentence[128];
  MPJ_Array array = MPJ_ARRAY_NULL;
  MPJ_Schedule schedule = MPJ_SCHEDULE_NULL;
  for (int i = 0; i < run->size; i++)
    ranks[i] = odd ? last - i : i;
  lengths[0] = odd ? SIZE - 2 : SIZE - 3;
  lengths[last] = odd ? 2 : 3;
  owners[17] = odd;
  const MPJ_Axis general = {.size = SIZE, .distribute = MPJ_DISTRIBUTE_GENERAL, .lengths = lengths};
  const MPJ_Axis indirect = {
      .size = SIZE, .distribute = MPJ_DISTRIBUTE_INDIRECT, .lengths = owners};
  const MPJ_Axis axes[2] = {{.size = 8, .distribute = MPJ_DISTRIBUTE_BLOCK},
                            {.size = 8, .distribute = MPJ_DISTRIBUTE_BLOCK, .grid_dim = 1}};
  snprintf(sentence, sizeof sentence, "axes[0]: lengths[0] is %d on rank %d, %d on rank 0",
           SIZE - 2, last, SIZE - 3);
  int status = hears(
      run, MPJ_Array_create(1, &general, 1, &run->size, MPJ_ORDER_C, MPJ_DOUBLE, run->comm, &array),
      sentence);
  snprintf(sentence, sizeof sentence, "axes[0]: lengths[17] is 1 on rank %d, 0 on rank 0", last);
  if (!status)
    status = hears(
        run,
        MPJ_Array_create(1, &indirect, 1, &run->size, MPJ_ORDER_C, MPJ_DOUBLE, run->comm, &array),
        sentence);
  snprintf(sentence, sizeof sentence, "ranks[0] is %d on rank %d, 0 on rank 0", last, last);
  if (!status)
    status = hears(run,
                   MPJ_Array_create_on(2, axes, 2, square, ranks, MPJ_ORDER_C, NULL, MPJ_DOUBLE,
                                       run->comm, &array),
                   sentence);
  if (!status)
    status = MPJ_Array_create(2, axes, 2, square, MPJ_ORDER_C, MPJ_DOUBLE, run->comm, &array);
  snprintf(sentence, sizeof sentence, "axis_of[0] is 1 on rank %d, 0 on rank 0", last);
  const int straight[2] = {0, 1}, swapped[2] = {1, 0};
  if (!status)
    status =
        hears(run, MPJ_Remap_create(array, NULL, array, NULL, odd ? swapped : straight, &schedule),
              sentence);
  if (array) MPJ_Array_free(&array);
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
  snprintf(sentence, sizeof sentence, "axes[0]: darg is 4 on rank %d, 3 on rank 0", run->size - 1);
  int status = hears(
      run, MPJ_Array_create(1, &axis, 1, &run->size, MPJ_ORDER_C, MPJ_DOUBLE, run->comm, &array),
      sentence);
  MPJ_Array blocks = play_blocks(run, SIZE, 0, 2), dealt = play_blocks(run, SIZE, 3, 0);
  snprintf(sentence, sizeof sentence,
           "order is MPJ_ORDER_FORTRAN on rank %d, MPJ_ORDER_C on rank 0", run->size - 1);
  if (!status)
    status = hears(run,
                   MPJ_Array_create(1, &even, 1, &run->size, odd ? MPJ_ORDER_FORTRAN : MPJ_ORDER_C,
                                    MPJ_DOUBLE, run->comm, &array),
                   sentence);
  snprintf(sentence, sizeof sentence,
           "axes[0]: distribute is MPJ_DISTRIBUTE_NONE on rank %d, MPJ_DISTRIBUTE_BLOCK on rank 0",
           run->size - 1);
  const MPJ_Axis none = {.size = SIZE};
  if (!status)
    status = hears(run,
                   MPJ_Array_create(1, odd ? &none : &even, 1, &run->size, MPJ_ORDER_C, MPJ_DOUBLE,
                                    run->comm, &array),
                   sentence);
  snprintf(sentence, sizeof sentence, "element is int64 on rank %d, double on rank 0",
           run->size - 1);
  if (!status)
    status = hears(run,
                   MPJ_Array_create(1, &even, 1, &run->size, MPJ_ORDER_C,
                                    odd ? MPJ_INT64 : MPJ_DOUBLE, run->comm, &array),
                   sentence);
  if (!status) status = meet_lists(run, odd);
  if (!status) status = meet_between(run, blocks, dealt, odd);
  snprintf(sentence, sizeof sentence, "by is 2 on rank %d, 1 on rank 0", run->size - 1);
  if (!status)
    status =
        hears(run, MPJ_Shift_create(dealt, 0, odd ? 2 : 1, MPJ_EDGE_KEEP, &schedule), sentence);
  snprintf(sentence, sizeof sentence, "edge is MPJ_EDGE_CYCLIC on rank %d, MPJ_EDGE_ZERO on rank 0",
           run->size - 1);
  if (!status)
    status =
        hears(run, MPJ_Shift_create(dealt, 0, 1, odd ? MPJ_EDGE_CYCLIC : MPJ_EDGE_ZERO, &schedule),
              sentence);
  snprintf(sentence, sizeof sentence, "corners is 1 on rank %d, 0 on rank 0", run->size - 1);
  if (!status)
    status = hears(run, MPJ_Halo_create(blocks, blocks, NULL, NULL, odd, &schedule), sentence);
  snprintf(sentence, sizeof sentence, " on rank %d, ", run->size - 1);
  if (!status)
    status = hears(
        run,
        MPJ_Remap_create(odd ? dealt : blocks, NULL, odd ? blocks : dealt, NULL, NULL, &schedule),
        sentence);
  snprintf(sentence, sizeof sentence, "section[0].count is 7 on rank %d, 8 on rank 0",
           run->size - 1);
  const MPJ_Range section = {1, odd ? 7 : 8, 2};
  if (!status)
    status =
        hears(run, MPJ_Remap_create(blocks, &section, dealt, &section, NULL, &schedule), sentence);
  if (!status) status = meet_unlike(run, blocks, dealt, odd);
  MPJ_Array_free(&blocks);
  MPJ_Array_free(&dealt);
  return status;
}
