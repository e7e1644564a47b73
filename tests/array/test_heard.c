/* This file tests that a mistake of one rank is heard of by all, with one code, and that they go
 * on.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <mpj/array.h>
#include <mpj/mpj.h>

#include "base/suite.h"

enum { N = 12, RANKS = 3, LISTED = 4 };

struct world {
  MPJ_Array blocks, dealt;
  MPJ_Schedule remap, shift;
  MPJ_Schedule list[LISTED]; /* what may consist of other calls with another op */
  bool odd;                  /* this rank makes the mistake */
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

/* This rank has no op, the others replace. */
static int no_op_of(struct world *w, int which, bool waits)
{
  const MPJ_Op op = w->odd ? MPJ_OP_NULL : MPJ_REPLACE;
  MPJ_Request r = MPJ_REQUEST_NULL;
  if (!waits) return MPJ_Schedule_backward(w->list[which], w->from, w->to, op);
  const int status = MPJ_Schedule_ibackward(w->list[which], w->from, w->to, op, &r);
  return status ? status : MPJ_Wait(&r);
}

static int no_op_of_copies(struct world *w)
{
  return no_op_of(w, 0, false);
}

static int no_op_of_rounds(struct world *w)
{
  return no_op_of(w, 1, false);
}

static int no_op_of_copies_in_rounds(struct world *w)
{
  return no_op_of(w, 2, false);
}

static int no_op_of_requested_copies(struct world *w)
{
  return no_op_of(w, 0, true);
}

static int no_op_of_requested_rounds(struct world *w)
{
  return no_op_of(w, 1, true);
}

static int no_op_of_requested_copies_in_rounds(struct world *w)
{
  return no_op_of(w, 2, true);
}

static int no_op_of_a_joined_one(struct world *w)
{
  const MPJ_Op op = w->odd ? MPJ_OP_NULL : MPJ_REPLACE;
  void *from[3] = {w->from, w->from, w->from};
  const void *to[3] = {w->to, w->to, w->to};
  return MPJ_Schedule_backward(w->list[3], from, to, op);
}

static int fetch_without_op(struct world *w)
{
  const MPJ_Op op = w->odd ? MPJ_OP_NULL : MPJ_REPLACE;
  return MPJ_Schedule_fetch_op(w->list[2], w->from, w->to, w->fetched, op);
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

static int ifetch_into_nothing(struct world *w)
{
  MPJ_Request r = MPJ_REQUEST_NULL;
  const int status =
      MPJ_Schedule_ifetch_op(w->remap, w->from, w->to, w->odd ? NULL : w->fetched, MPJ_SUM, &r);
  return status ? status : MPJ_Wait(&r);
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
  bool later; /* a rank may hear of it in a later call, so of one that has heard before */
} mistakes[] = {{join_of_none, MPJ_ERR_ARG, false},
                {backward_without_op, MPJ_ERR_OP, false},
                {backward_with_another_op, MPJ_ERR_OP, false},
                {ibackward_with_another_op, MPJ_ERR_OP, false},
                {backward_init_with_another_op, MPJ_ERR_OP, false},
                {no_op_of_copies, MPJ_ERR_OP, true},
                {no_op_of_rounds, MPJ_ERR_OP, true},
                {no_op_of_copies_in_rounds, MPJ_ERR_OP, true},
                {no_op_of_requested_copies, MPJ_ERR_OP, true},
                {no_op_of_requested_rounds, MPJ_ERR_OP, true},
                {no_op_of_requested_copies_in_rounds, MPJ_ERR_OP, true},
                {no_op_of_a_joined_one, MPJ_ERR_OP, true},
                {fetch_without_op, MPJ_ERR_OP, true},
                {forward_from_nothing, MPJ_ERR_ARG, false},
                {iforward_from_nothing, MPJ_ERR_ARG, false},
                {backward_of_nothing, MPJ_ERR_ARG, false},
                {fetch_into_nothing, MPJ_ERR_ARG, false},
                {ifetch_into_nothing, MPJ_ERR_ARG, false},
                {between_without_an_array, MPJ_ERR_ARG, false},
                {subscript_outside, MPJ_ERR_ARG, false},
                {section_outside, MPJ_ERR_ARG, false}};

/* Of an array to one that all ranks hold; in rounds, if `bound`. */
static int make_copies(struct world *w, MPJ_Array copies, MPJ_Count bound, MPJ_Schedule *s)
{
  const int bad = MPJ_Remap_create(w->blocks, NULL, copies, NULL, NULL, s);
  return bad || !bound ? bad : MPJ_Schedule_limit(*s, bound);
}

static int make_list(struct world *w, int size)
{
  const MPJ_Axis whole = {.size = N};
  MPJ_Array copies;
  int bad = MPJ_Array_create(1, &whole, 1, &size, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, &copies);
  if (bad) return bad;
  bad = make_copies(w, copies, 0, &w->list[0]);
  if (!bad) bad = MPJ_Remap_create(w->blocks, NULL, w->dealt, NULL, NULL, &w->list[1]);
  if (!bad) bad = MPJ_Schedule_limit(w->list[1], 40);
  if (!bad) bad = make_copies(w, copies, 100, &w->list[2]);
  if (!bad) bad = MPJ_Schedule_join(3, w->list, &w->list[3]);
  MPJ_Array_free(&copies);
  return bad;
}

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
  return bad ? bad : make_list(w, size);
}

static void fill(struct world *w)
{
  for (int i = 0; i < N; i++)
    w->from[i] = w->to[i] = w->fetched[i] = 7 + i;
}

static bool is_filled(const struct world *w)
{
  bool filled = true;
  for (int i = 0; i < N; i++)
    filled = filled && w->from[i] == 7 + i && w->to[i] == 7 + i && w->fetched[i] == 7 + i;
  return filled;
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
    fill(&w);
    const int status = mistakes[i].call(&w);
    if (w.odd && !is_filled(&w)) {
      fprintf(stderr, "mistake %zu: who made it has got data\n", i);
      bad = 1;
    }
    if (status != mistakes[i].code ||
        (!w.odd && !strstr(MPJ_Error_detail(), mistakes[i].later ? "failed in" : "rank 1"))) {
      fprintf(stderr, "mistake %zu, rank %d: %d, %s\n", i, rank, status, MPJ_Error_detail());
      bad = 1;
    }
    if (MPJ_Allreduce(&one, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD) || sum != size) {
      fprintf(stderr, "after mistake %zu, rank %d: %s\n", i, rank, MPJ_Error_detail());
      return 1;
    }
  }
  if (MPJ_Schedule_forward(w.remap, w.from, w.to)) bad = 1;
  for (int i = 0; i < LISTED; i++)
    MPJ_Schedule_free(&w.list[i]);
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
