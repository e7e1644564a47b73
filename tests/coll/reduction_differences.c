/* This file lists reductions of data that differs between ranks: whoever would
 * get a part of it in its result gets MPJ_ERR_SIGNATURE instead, and a user's
 * function never sees an element that nobody made. */
#include <stdlib.h>

#include "coll/misuse.h"
#include "coll/reduction_ops.h"

enum kind { REDUCE, ALLREDUCE, SCAN, EXSCAN, REDUCE_SCATTER, KINDS };

/* Texts of the culprit and of the others: inline is too short for one; eager,
 * long, and on both sides of the limit from which on data is cut. */
static const MPJ_Count counts[][2] = {{1, 2},     {2, 1},     {20, 21}, {3000, 3001}, {3001, 3000},
                                      {10, 3000}, {3000, 10}, {0, 5},   {5, 0}};
enum { COUNTS = sizeof counts / sizeof *counts, MOST = 3001 };

struct data {
  MPJ_Datatype element, whole, parts;
  MPJ_Op op;
  struct layout text;
  char *in, *out;
};

static void begin(const struct run *run, MPJ_Count n, struct data *d)
{
  const struct user_op *user = &user_ops[USER_TEXT];
  struct mpj_random rng = {(uint64_t)n};
  const size_t bytes = user->bytes * (size_t)MOST * (size_t)run->size;
  user->make(&d->text);
  d->whole = misuse_parts(n, 1, d->text.t.type);
  d->parts = misuse_parts(run->size, n, d->text.t.type);
  MPJ_Op_create(user->fn, user->ctx, d->text.t.type, 0, &d->op);
  d->in = calloc(bytes, 1);
  d->out = calloc(bytes, 1);
  if (!d->in || !d->out) exit(2);
  for (MPJ_Count i = 0; i < MOST * run->size; i++)
    user->value(&rng, d->in + user->bytes * (size_t)i);
}

static void end(struct data *d)
{
  free(d->in);
  free(d->out);
  MPJ_Op_free(&d->op);
  MPJ_Type_free(&d->parts);
  MPJ_Type_free(&d->whole);
  layout_free(&d->text);
}

static int call(const struct run *run, enum kind kind, const struct data *d)
{
  switch (kind) {
  case REDUCE:
    return MPJ_Reduce(d->in, d->whole, d->out, d->whole, d->op, 0, WORLD);
  case ALLREDUCE:
    return MPJ_Allreduce(d->in, d->whole, d->out, d->whole, d->op, WORLD);
  case SCAN:
    return MPJ_Scan(d->in, d->whole, d->out, d->whole, d->op, WORLD);
  case EXSCAN:
    return MPJ_Exscan(d->in, d->whole, d->out, d->whole, d->op, WORLD);
  default:
    return MPJ_Reduce_scatter(d->in, d->parts, d->out, d->whole, d->op, WORLD);
  }
}

/* Whether this rank's result would hold both the culprit's and others' data. */
static bool mixes(const struct run *run, enum kind kind)
{
  if (kind == REDUCE) return run->rank == 0;
  if (kind == SCAN) return run->rank >= CULPRIT;
  if (kind == EXSCAN) return run->rank > CULPRIT || run->rank == 1;
  return true;
}

static int differ_once(const struct run *run, enum kind kind, const MPJ_Count pair[2])
{
  struct data d = {.op = MPJ_OP_NULL};
  int failed = 0;
  begin(run, pair[run->rank == CULPRIT ? 0 : 1], &d);
  const int status = call(run, kind, &d);
  if (mixes(run, kind))
    failed += MUST(status, MPJ_ERR_SIGNATURE, "rank");
  else
    failed += MAY(status, MPJ_ERR_SIGNATURE, "rank");
  failed += FACT(atomic_load(&user_ops_garbage) == 0);
  end(&d);
  return failed;
}

static int differ(const struct run *run, enum kind kind)
{
  int failed = 0;
  for (int i = 0; i < COUNTS; i++)
    failed += differ_once(run, kind, counts[i]);
  return failed;
}

static int reduce_data_differs(const struct run *run)
{
  return differ(run, REDUCE);
}

static int allreduce_data_differs(const struct run *run)
{
  return differ(run, ALLREDUCE);
}

static int scan_data_differs(const struct run *run)
{
  return differ(run, SCAN);
}

static int exscan_data_differs(const struct run *run)
{
  return differ(run, EXSCAN);
}

static int reduce_scatter_data_differs(const struct run *run)
{
  return differ(run, REDUCE_SCATTER);
}

const struct misuse reduction_differences[] = {
    {"reduce_data_differs", reduce_data_differs},
    {"allreduce_data_differs", allreduce_data_differs},
    {"scan_data_differs", scan_data_differs},
    {"exscan_data_differs", exscan_data_differs},
    {"reduce_scatter_data_differs", reduce_scatter_data_differs},
    {NULL, NULL}};
