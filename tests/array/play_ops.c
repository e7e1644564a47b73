/* This file plays runs backward to which the ranks give unlike operations, all of them valid: none
 * hangs, all hear of the same, and the next run is as it should be; also behind runs that are given
 * up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/plays.h"
#include "coll/calls/request.h"

enum { COPIES = 2, COPIES_OF_SOME = 4, JOINED = 6, KINDS, FORMS = 6, PAIRS = 5 };

static int failed(const struct run *run, const char *what, int kind, int pair, int form, int status)
{
  fprintf(stderr, "rank %d: %s, schedule %d, operations %d, form %d: %d, %s\n", run->rank, what,
          kind, pair, form, status, MPJ_Error_detail());
  return 1;
}

/* The second of two, which does not commute. */
static void second(void *ctx, const void *in, void *inout, MPJ_Count count)
{
  (void)ctx;
  (void)in;
  (void)inout;
  (void)count;
}

/* n doubles over a grid of some ranks; along the others of it there are copies. */
static int describe(const struct run *run, MPJ_Count n, int distribute, int over, int copies,
                    MPJ_Array *array)
{
  const int grid[2] = {over, copies};
  const MPJ_Axis axis = {.size = n, .distribute = distribute};
  return MPJ_Array_create(1, &axis, 2, grid, MPJ_ORDER_C, MPJ_DOUBLE, run->comm, array);
}

static int limit(MPJ_Schedule schedule, MPJ_Count n, int rounds)
{
  return MPJ_Schedule_limit(schedule, 8 * n / rounds + 200);
}

/* Shift, remap in rounds, copies on all ranks, these in rounds, copies on all ranks but one, a
 * gather of elements that are named repeatedly, and several at once. */
static int make(const struct run *run, MPJ_Count n, MPJ_Schedule list[KINDS])
{
  const int some = run->size > 1 ? run->size - 1 : 1;
  const MPJ_Count index[4] = {3, 5, 3, n - 1};
  MPJ_Array blocks, dealt, copies, fewer;
  int bad = describe(run, n, MPJ_DISTRIBUTE_BLOCK, run->size, 1, &blocks);
  if (!bad) bad = describe(run, n, MPJ_DISTRIBUTE_CYCLIC, run->size, 1, &dealt);
  if (!bad) bad = describe(run, n, 0, 1, run->size, &copies);
  if (!bad) bad = describe(run, n, 0, 1, some, &fewer);
  if (bad) return bad;
  bad = MPJ_Shift_create(blocks, 0, 5, MPJ_EDGE_CYCLIC, &list[0]);
  if (!bad) bad = MPJ_Remap_create(blocks, NULL, dealt, NULL, NULL, &list[1]);
  if (!bad) bad = limit(list[1], n, 4);
  if (!bad) bad = MPJ_Remap_create(blocks, NULL, copies, NULL, NULL, &list[COPIES]);
  if (!bad) bad = MPJ_Remap_create(blocks, NULL, copies, NULL, NULL, &list[3]);
  if (!bad) bad = limit(list[3], n, 3);
  if (!bad) bad = MPJ_Remap_create(blocks, NULL, fewer, NULL, NULL, &list[COPIES_OF_SOME]);
  if (!bad) bad = MPJ_Subscript_create(dealt, 4, index, NULL, &list[5]);
  if (!bad) bad = MPJ_Schedule_join(4, list, &list[JOINED]);
  MPJ_Array_free(&blocks);
  MPJ_Array_free(&dealt);
  MPJ_Array_free(&copies);
  MPJ_Array_free(&fewer);
  return bad;
}

/* Whether copies are combined before they are sent; not so their operations need not be alike. */
static bool has_copies(const struct run *run, int kind)
{
  if (kind == COPIES_OF_SOME) return run->size > 2;
  return kind == COPIES || kind == 3 || kind == JOINED;
}

struct buffers {
  double *from, *to, *fetched;
};

static int run_form(MPJ_Schedule schedule, bool joined, int form, const struct buffers *b,
                    MPJ_Op op)
{
  void *froms[4] = {b->from, b->from, b->from, b->from};
  const void *tos[4] = {b->to, b->to, b->to, b->to};
  void *fetcheds[4] = {b->fetched, b->fetched, b->fetched, b->fetched};
  void *from = joined ? (void *)froms : b->from;
  const void *to = joined ? (const void *)tos : b->to;
  MPJ_Request r = MPJ_REQUEST_NULL;
  int status;
  void *fetched = joined ? (void *)fetcheds : b->fetched;
  if (form == 0) return MPJ_Schedule_backward(schedule, from, to, op);
  if (form == 1) return MPJ_Schedule_fetch_op(schedule, from, to, fetched, op);
  if (form >= 4) {
    status = form == 4 ? MPJ_Schedule_ifetch_op(schedule, from, to, fetched, op, &r)
                       : MPJ_Schedule_fetch_op_init(schedule, from, to, fetched, op, &r);
    return play_request(r, status, form == 5);
  }
  status = form == 2 ? MPJ_Schedule_ibackward(schedule, from, to, op, &r)
                     : MPJ_Schedule_backward_init(schedule, from, to, op, &r);
  return play_request(r, status, form == 3);
}

/* Every schedule in every form with such operations. */
static int meet(const struct run *run, const MPJ_Schedule list[KINDS], const struct buffers *b,
                int pair, MPJ_Op op)
{
  for (int kind = 0; kind < KINDS; kind++)
    for (int form = 0; form < FORMS; form++) {
      int one = 1, sum = 0;
      const int status = run_form(list[kind], kind == JOINED, form, b, op);
      const bool heard = status == MPJ_ERR_OP && strstr(MPJ_Error_detail(), "op is ");
      if (has_copies(run, kind) ? !heard : status)
        return failed(run, "unlike operations", kind, pair, form, status);
      const int after = MPJ_Allreduce(&one, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, run->comm);
      if (after || sum != run->size) return failed(run, "after them", kind, pair, form, after);
    }
  return 0;
}

/* What follows is right: all ranks' copies are added, or the last one's taken. */
static int add_alike(const struct run *run, const MPJ_Schedule list[KINDS], const struct buffers *b,
                     MPJ_Count n)
{
  const MPJ_Count each = (n + run->size - 1) / run->size, first = each * run->rank;
  const MPJ_Count mine = first >= n ? 0 : n - first < each ? n - first : each;
  for (int i = 0; i < 2; i++) {
    const MPJ_Op op = i == 0 ? MPJ_SUM : MPJ_REPLACE;
    for (MPJ_Count k = 0; k < n; k++) {
      b->from[k] = 1;
      b->to[k] = (double)(k + run->rank);
    }
    const int status = run_form(list[3], false, 0, b, op);
    if (status) return failed(run, "like operations", 3, 0, 0, status);
    for (MPJ_Count k = 0; k < mine; k++) {
      const double sum = 1 + run->size * (double)(first + k) + run->size * (run->size - 1) / 2;
      const double wanted = i == 0 ? sum : (double)(first + k + run->size - 1);
      if (b->from[k] != wanted) return failed(run, "a sum", 3, i, 0, (int)k);
    }
  }
  return 0;
}

/* Requests that are given up while they are under way, of one call and of several. The ranks go on
 * together until all have ended and are gone: only then are the buffers theirs again. */
static int give_up(const struct run *run, const MPJ_Schedule list[KINDS], const struct buffers *b)
{
  enum { TIMES = 6 };
  int one = 1, sum;
  for (int i = 0; i < TIMES; i++)
    for (int kind = 0; kind < JOINED; kind++) {
      MPJ_Request r = MPJ_REQUEST_NULL;
      int status = MPJ_Schedule_ibackward(list[kind], b->from, b->to, MPJ_SUM, &r);
      if (!status) status = MPJ_Request_free(&r);
      if (!status) status = MPJ_Allreduce(&one, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, run->comm);
      if (status) return failed(run, "a request given up", kind, 0, i, status);
    }
  for (int live, all = 1; all > 0;) {
    live = mpj_request_live() > 0;
    const int status = MPJ_Allreduce(&live, MPJ_INT, &all, MPJ_INT, MPJ_MAX, run->comm);
    if (status) return failed(run, "behind requests given up", 0, 0, 0, status);
  }
  return 0;
}

int play_ops(const struct run *run, struct mpj_random *rng)
{
  static const MPJ_Count sizes[] = {60, 3000, 40000};
  const MPJ_Count n = sizes[play_below(rng, 3)];
  const bool odd = run->rank == play_below(rng, run->size);
  MPJ_Schedule list[KINDS];
  MPJ_Op user;
  if (run->size == 1) return 0;
  int bad = MPJ_Op_create(second, NULL, MPJ_DOUBLE, 0, &user);
  if (!bad) bad = make(run, n, list);
  if (bad) return failed(run, "making them", 0, 0, 0, bad);
  const MPJ_Op pairs[PAIRS][2] = {{MPJ_SUM, MPJ_REPLACE},
                                  {MPJ_REPLACE, MPJ_SUM},
                                  {MPJ_SUM, user},
                                  {user, MPJ_REPLACE},
                                  {MPJ_MAX, MPJ_MIN}};
  const struct buffers b = {calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double)),
                            calloc((size_t)n, sizeof(double))};
  for (int pair = 0; pair < PAIRS && !bad; pair++)
    bad = meet(run, list, &b, pair, pairs[pair][odd]);
  if (!bad) bad = give_up(run, list, &b);
  if (!bad) bad = add_alike(run, list, &b, n);
  for (int i = 0; i < KINDS; i++)
    MPJ_Schedule_free(&list[i]);
  MPJ_Op_free(&user);
  free(b.from);
  free(b.to);
  free(b.fetched);
  return bad;
}
