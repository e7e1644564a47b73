/* This file tests that a collective which is repeated allocates nothing after its first calls but
 * records of what comes early, fewer than one a call: every operation, blocking, nonblocking and
 * persistent, short and long, on dense, strided and mixed types, with predefined and users'
 * operations. */
#include <mpj/mpj.h>

#include <stdio.h>

#include "base/memory.h"
#include "base/suite.h"
#include "coll/control/window.h"
#include "coll/operations.h"

/* A thousand calls of each operation where they are cheap: blocking, on one datum. */
enum { FIRST_CALLS = 18, CALLS = 1000, FEW_CALLS = MPJ_WINDOW + 8, RANKS_MOST = 4 };

/* A datatype, once and once for each rank, and buffers for it. */
struct data {
  MPJ_Datatype one, each;
  MPJ_Op op;
  char *from, *to;
};

/* A call in its three forms: no request, to be begun, to be made. */
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

#define CALL(name, ...)                                                                            \
  (form == BLOCKING      ? MPJ_##name(__VA_ARGS__, MPJ_COMM_WORLD)                                 \
   : form == NONBLOCKING ? MPJ_I##name##_(__VA_ARGS__, MPJ_COMM_WORLD, r)                          \
                         : MPJ_##name##_init(__VA_ARGS__, MPJ_COMM_WORLD, r))
#define MPJ_IBcast_ MPJ_Ibcast
#define MPJ_IGather_ MPJ_Igather
#define MPJ_IScatter_ MPJ_Iscatter
#define MPJ_IAllgather_ MPJ_Iallgather
#define MPJ_IAlltoall_ MPJ_Ialltoall
#define MPJ_IReduce_ MPJ_Ireduce
#define MPJ_IAllreduce_ MPJ_Iallreduce
#define MPJ_IReduce_scatter_ MPJ_Ireduce_scatter
#define MPJ_IScan_ MPJ_Iscan
#define MPJ_IExscan_ MPJ_Iexscan

static int barrier(enum form form, MPJ_Request *r)
{
  if (form == BLOCKING) return MPJ_Barrier(MPJ_COMM_WORLD);
  return form == NONBLOCKING ? MPJ_Ibarrier(MPJ_COMM_WORLD, r)
                             : MPJ_Barrier_init(MPJ_COMM_WORLD, r);
}

static int call(enum operation operation, enum form form, const struct data *d, MPJ_Request *r)
{
  switch (operation) {
  case BARRIER:
    return barrier(form, r);
  case BCAST:
    return CALL(Bcast, d->from, d->one, 0);
  case GATHER:
    return CALL(Gather, d->from, d->one, d->to, d->each, 0);
  case SCATTER:
    return CALL(Scatter, d->from, d->each, d->to, d->one, 0);
  case ALLGATHER:
    return CALL(Allgather, d->from, d->one, d->to, d->each);
  case ALLTOALL:
    return CALL(Alltoall, d->from, d->each, d->to, d->each);
  case REDUCE:
    return CALL(Reduce, d->from, d->one, d->to, d->one, d->op, 0);
  case ALLREDUCE:
    return CALL(Allreduce, d->from, d->one, d->to, d->one, d->op);
  case REDUCE_SCATTER:
    return CALL(Reduce_scatter, d->from, d->each, d->to, d->one, d->op);
  case SCAN:
    return CALL(Scan, d->from, d->one, d->to, d->one, d->op);
  default:
    return CALL(Exscan, d->from, d->one, d->to, d->one, d->op);
  }
}

/* One call, to its end; a persistent request is made by the first. */
static int once(enum operation operation, enum form form, const struct data *d, MPJ_Request *r)
{
  int status = MPJ_SUCCESS;
  if (form != PERSISTENT || *r == MPJ_REQUEST_NULL) status = call(operation, form, d, r);
  if (status == MPJ_SUCCESS && form == PERSISTENT) status = MPJ_Start(r);
  return status == MPJ_SUCCESS && form != BLOCKING ? MPJ_Wait(r) : status;
}

/* 0 if `calls` calls allocate nothing, but for a few records: what comes early by several
 * algorithms at once may be more than fill_windows saw. Ranks that end first wait in a barrier,
 * which sends nothing that a rank still counting would have to keep. */
static int repeat(enum operation operation, enum form form, const struct data *d, int calls)
{
  MPJ_Request r = MPJ_REQUEST_NULL;
  for (int i = 0; i < FIRST_CALLS; i++)
    if (once(operation, form, d, &r) != MPJ_SUCCESS) return 1;
  const unsigned long before = mpj_memory_made();
  for (int i = 0; i < calls; i++)
    if (once(operation, form, d, &r) != MPJ_SUCCESS) return 1;
  const unsigned long made = mpj_memory_made() - before;
  if (MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_SUCCESS) return 1;
  if (form == PERSISTENT && MPJ_Request_free(&r) != MPJ_SUCCESS) return 1;
  if (made <= MPJ_WINDOW) return 0;
  fprintf(stderr, "operation %d, form %d: %lu allocations in %d calls\n", (int)operation, (int)form,
          made, calls);
  return 1;
}

static void add_longs(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  const long *a = in;
  long *b = inout;
  (void)ctx;
  for (MPJ_Count i = 0; i < n; i++)
    b[i] += a[i];
}

/* The kinds of data: dense doubles, every second double, an int and a double, and
 * longs with a user's operation. */
enum kind { DENSE, STRIDED, MIXED, USER, KINDS };

static int mixed_type(MPJ_Count n, MPJ_Datatype *type)
{
  const MPJ_Count lengths[] = {1, 1};
  const MPJ_Aint displs[] = {0, 8};
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_DOUBLE};
  MPJ_Datatype pair;
  int status = MPJ_Type_create_struct(2, lengths, displs, types, &pair);
  if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(n, pair, type);
  return status == MPJ_SUCCESS ? MPJ_Type_free(&pair) : status;
}

static int make_type(enum kind kind, MPJ_Count n, MPJ_Datatype *type)
{
  if (kind == MIXED) return mixed_type(n, type);
  if (kind == STRIDED) return MPJ_Type_vector(n, 1, 2, MPJ_DOUBLE, type);
  return MPJ_Type_contiguous(n, kind == USER ? MPJ_LONG : MPJ_DOUBLE, type);
}

static int open_data(enum kind kind, MPJ_Count n, struct data *d)
{
  int size;
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  d->op = MPJ_SUM;
  d->from = mpj_alloc_array((size_t)(16 * n), (size_t)size);
  d->to = mpj_alloc_array((size_t)(16 * n), (size_t)size);
  int status = d->from && d->to ? make_type(kind, n, &d->one) : MPJ_ERR_NO_MEM;
  if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(size, d->one, &d->each);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&d->one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&d->each);
  if (status == MPJ_SUCCESS && kind == USER)
    status = MPJ_Op_create(add_longs, NULL, MPJ_LONG, 1, &d->op);
  return status;
}

static void close_data(enum kind kind, struct data *d)
{
  if (kind == USER) MPJ_Op_free(&d->op);
  MPJ_Type_free(&d->one);
  MPJ_Type_free(&d->each);
  mpj_free(d->from);
  mpj_free(d->to);
}

static int calls_of(MPJ_Count n, int kind, int form)
{
  return n == 1 && kind == DENSE && form == BLOCKING ? CALLS : FEW_CALLS;
}

/* Have `root` keep as much as ever may come early: the others begin as many Gathers as may be under
 * way before it begins one, and what they send after that is there when all came. */
static int come_early(int root, int rank, MPJ_Comm after, const struct data *d)
{
  MPJ_Request r[MPJ_WINDOW];
  int status = MPJ_SUCCESS;
  for (int late = 0; late < 2 && status == MPJ_SUCCESS; late++) {
    for (int i = 0; i < MPJ_WINDOW && status == MPJ_SUCCESS && late == (rank == root); i++)
      status = MPJ_Igather(d->from, d->one, d->to, d->each, root, MPJ_COMM_WORLD, &r[i]);
    if (status == MPJ_SUCCESS && !late)
      status = MPJ_Gather(d->from, d->one, d->to, d->each, root, after);
  }
  return status == MPJ_SUCCESS ? MPJ_Waitall(MPJ_WINDOW, r) : status;
}

/* Slots and records for all that ever may be early are there after, at each rank. */
static int fill_windows(const struct data *d)
{
  int rank, size;
  MPJ_Comm after;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  int status = MPJ_Comm_dup(MPJ_COMM_WORLD, &after);
  for (int root = 0; root < size && status == MPJ_SUCCESS; root++)
    status = come_early(root, rank, after, d);
  return status == MPJ_SUCCESS ? MPJ_Comm_free(&after) : status;
}

static int rank_body(void *arg)
{
  const MPJ_Count n = *(const MPJ_Count *)arg;
  for (int kind = 0; kind < KINDS; kind++) {
    struct data d;
    if (open_data((enum kind)kind, n, &d) != MPJ_SUCCESS) return 1;
    if (fill_windows(&d) != MPJ_SUCCESS) return 1;
    for (int form = 0; form < FORMS; form++)
      for (int operation = 0; operation < OPERATIONS; operation++)
        if (repeat((enum operation)operation, (enum form)form, &d, calls_of(n, kind, form)))
          return 1;
    close_data((enum kind)kind, &d);
  }
  return 0;
}

static void check_size(MPJ_Count n)
{
  for (int ranks = 1; ranks <= RANKS_MOST; ranks += 1 + ranks / 2) /* 1, 2, 4 */
    ck_assert_int_eq(MPJ_Run_threads(ranks, rank_body, &n), 0);
}

START_TEST(short_data_allocates_nothing)
{
  check_size(1);
}
END_TEST

START_TEST(eager_data_allocates_nothing)
{
  check_size(100);
}
END_TEST

START_TEST(long_data_allocates_nothing)
{
  check_size(5000);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll_repeat", short_data_allocates_nothing, eager_data_allocates_nothing,
                   long_data_allocates_nothing);
}
