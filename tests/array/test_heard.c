/* This file tests that a mistake of one rank is heard of by all, with one code, and that they go
 * on.
 */
#include <stdbool.h>
#include <stdio.h>

#include <mpj/array.h>
#include <mpj/mpj.h>

#include "base/suite.h"

enum { N = 12, RANKS = 3 };

struct world {
  MPJ_Array blocks, dealt;
  MPJ_Schedule remap, shift;
  bool odd; /* this rank makes the mistake */
  double from[N], to[N], fetched[N];
};

static int join_of_none(struct world *w)
{
  MPJ_Schedule joined = MPJ_SCHEDULE_NULL;
  return MPJ_Schedule_join(w->odd ? 0 : 1, &w->remap, &joined);
}

static int backward_without_op(struct world *w)
{
  return MPJ_Schedule_backward(w->remap, w->from, w->to, w->odd ? MPJ_OP_NULL : MPJ_SUM);
}

static int backward_with_another_op(struct world *w)
{
  return MPJ_Schedule_backward(w->remap, w->from, w->to, w->odd ? MPJ_MINLOC : MPJ_SUM);
}

static int ibackward_with_another_op(struct world *w)
{
  MPJ_Request r = MPJ_REQUEST_NULL;
  const MPJ_Op op = w->odd ? MPJ_MINLOC : MPJ_SUM;
  const int status = MPJ_Schedule_ibackward(w->remap, w->from, w->to, op, &r);
  return status ? status : MPJ_Wait(&r);
}

/* The one hears of it at the init, the others at the start. */
static int backward_init_with_another_op(struct world *w)
{
  MPJ_Request r = MPJ_REQUEST_NULL;
  const MPJ_Op op = w->odd ? MPJ_BAND : MPJ_SUM;
  int status = MPJ_Schedule_backward_init(w->remap, w->from, w->to, op, &r);
  if (w->odd) return status ? status : -1;
  if (status) return status;
  status = MPJ_Start(&r);
  if (!status) status = MPJ_Wait(&r);
  MPJ_Request_free(&r);
  return status;
}

static int forward_from_nothing(struct world *w)
{
  return MPJ_Schedule_forward(w->remap, w->odd ? NULL : w->from, w->to);
}

static int iforward_from_nothing(struct world *w)
{
  MPJ_Request r = MPJ_REQUEST_NULL;
  const int status = MPJ_Schedule_iforward(w->remap, w->odd ? NULL : w->from, w->to, &r);
  return status ? status : MPJ_Wait(&r);
}

static int backward_of_nothing(struct world *w)
{
  return MPJ_Schedule_backward(w->shift, w->from, w->odd ? NULL : w->to, MPJ_SUM);
}

static int fetch_into_nothing(struct world *w)
{
  return MPJ_Schedule_fetch_op(w->remap, w->from, w->to, w->odd ? NULL : w->fetched, MPJ_SUM);
}

static int between_without_an_array(struct world *w)
{
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  return MPJ_Remap_create_between(w->blocks, NULL, w->odd ? MPJ_ARRAY_NULL : w->dealt, NULL, NULL,
                                  MPJ_COMM_WORLD, &s);
}

static int subscript_outside(struct world *w)
{
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  const MPJ_Count index = w->odd ? N : 0;
  return MPJ_Subscript_create(w->blocks, 1, &index, NULL, &s);
}

static int section_outside(struct world *w)
{
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  const MPJ_Range range = {0, w->odd ? N + 1 : 3, 1};
  return MPJ_Remap_create(w->blocks, &range, w->dealt, &range, NULL, &s);
}

static const struct {
  int (*call)(struct world *w);
  int code;
} mistakes[] = {{join_of_none, MPJ_ERR_ARG},
                {backward_without_op, MPJ_ERR_OP},
                {backward_with_another_op, MPJ_ERR_OP},
                {ibackward_with_another_op, MPJ_ERR_OP},
                {backward_init_with_another_op, MPJ_ERR_OP},
                {forward_from_nothing, MPJ_ERR_ARG},
                {iforward_from_nothing, MPJ_ERR_ARG},
                {backward_of_nothing, MPJ_ERR_ARG},
                {fetch_into_nothing, MPJ_ERR_ARG},
                {between_without_an_array, MPJ_ERR_ARG},
                {subscript_outside, MPJ_ERR_ARG},
                {section_outside, MPJ_ERR_ARG}};

static int make(struct world *w, int rank, int size)
{
  const MPJ_Axis blocks = {.size = N, .distribute = MPJ_DISTRIBUTE_BLOCK};
  const MPJ_Axis dealt = {.size = N, .distribute = MPJ_DISTRIBUTE_CYCLIC};
  *w = (struct world){.odd = rank == 1};
  int bad =
      MPJ_Array_create(1, &blocks, 1, &size, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, &w->blocks);
  if (!bad)
    bad = MPJ_Array_create(1, &dealt, 1, &size, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, &w->dealt);
  if (!bad) bad = MPJ_Remap_create(w->blocks, NULL, w->dealt, NULL, NULL, &w->remap);
  if (!bad) bad = MPJ_Shift_create(w->blocks, 0, 5, MPJ_EDGE_CYCLIC, &w->shift);
  return bad;
}

static int make_all_mistakes(void *unused)
{
  struct world w;
  int rank, size, bad = 0;
  (void)unused;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  if (make(&w, rank, size)) return 1;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    int one = 1, sum = 0;
    const int status = mistakes[i].call(&w);
    if (status != mistakes[i].code) {
      fprintf(stderr, "mistake %zu, rank %d: %d, %s\n", i, rank, status, MPJ_Error_detail());
      bad = 1;
    }
    if (MPJ_Allreduce(&one, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD) || sum != size) {
      fprintf(stderr, "after mistake %zu, rank %d: %s\n", i, rank, MPJ_Error_detail());
      return 1;
    }
  }
  if (MPJ_Schedule_forward(w.remap, w.from, w.to)) bad = 1;
  MPJ_Schedule_free(&w.remap);
  MPJ_Schedule_free(&w.shift);
  MPJ_Array_free(&w.blocks);
  MPJ_Array_free(&w.dealt);
  return bad;
}

START_TEST(a_mistake_of_one_rank_is_heard_of_by_all_and_they_go_on)
{
  ck_assert_int_eq(MPJ_Run_threads(RANKS, make_all_mistakes, NULL), 0);
}
END_TEST

int main(void)
{
  return RUN_SUITE("array_heard", a_mistake_of_one_rank_is_heard_of_by_all_and_they_go_on);
}
