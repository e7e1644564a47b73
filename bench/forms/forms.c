/* This file measures one and the same operation in its three forms: the blocking call, the
 * nonblocking one and its wait, and a persistent request's start and wait.
 *
 *   mpjrun -n P coll_forms
 *
 * Batches of the forms take turns, each after a barrier; of each form the median over rounds
 * of the maximum over ranks is shown, in us an operation. */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 21, BYTES_MOST = 65536 };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static const double batch_seconds = 2e-3;
static const int sizes[] = {8, 1024, 65536};

static double *from, *to; /* [nranks blocks] */
static int rank, nranks;
static MPJ_Datatype block, blocks;
static MPJ_Request persistent;

/* The operations. Each makes its call in one form; *r is the request of a nonblocking one. */

static int barrier(enum form form, MPJ_Request *r)
{
  if (form == BLOCKING) return MPJ_Barrier(MPJ_COMM_WORLD);
  if (form == NONBLOCKING) return MPJ_Ibarrier(MPJ_COMM_WORLD, r);
  return MPJ_Barrier_init(MPJ_COMM_WORLD, r);
}

static int bcast(enum form form, MPJ_Request *r)
{
  if (form == BLOCKING) return MPJ_Bcast(to, block, 0, MPJ_COMM_WORLD);
  if (form == NONBLOCKING) return MPJ_Ibcast(to, block, 0, MPJ_COMM_WORLD, r);
  return MPJ_Bcast_init(to, block, 0, MPJ_COMM_WORLD, r);
}

static int allreduce(enum form form, MPJ_Request *r)
{
  if (form == BLOCKING) return MPJ_Allreduce(from, block, to, block, MPJ_SUM, MPJ_COMM_WORLD);
  if (form == NONBLOCKING)
    return MPJ_Iallreduce(from, block, to, block, MPJ_SUM, MPJ_COMM_WORLD, r);
  return MPJ_Allreduce_init(from, block, to, block, MPJ_SUM, MPJ_COMM_WORLD, r);
}

static int alltoall(enum form form, MPJ_Request *r)
{
  if (form == BLOCKING) return MPJ_Alltoall(from, blocks, to, blocks, MPJ_COMM_WORLD);
  if (form == NONBLOCKING) return MPJ_Ialltoall(from, blocks, to, blocks, MPJ_COMM_WORLD, r);
  return MPJ_Alltoall_init(from, blocks, to, blocks, MPJ_COMM_WORLD, r);
}

static const struct row {
  const char *name;
  int (*call)(enum form form, MPJ_Request *r);
  int nsizes;
} rows[] = {{"barrier", barrier, 1},
            {"bcast", bcast, sizeof sizes / sizeof *sizes},
            {"allreduce", allreduce, sizeof sizes / sizeof *sizes},
            {"alltoall", alltoall, sizeof sizes / sizeof *sizes}};

/* Measuring */

static int run_one(const struct row *row, enum form form)
{
  MPJ_Request r;
  if (form == BLOCKING) return row->call(form, NULL);
  if (form == NONBLOCKING) {
    const int status = row->call(form, &r);
    return status ? status : MPJ_Wait(&r);
  }
  const int status = MPJ_Start(&persistent);
  return status ? status : MPJ_Wait(&persistent);
}

/* *us := microseconds an operation, the slowest rank's. */
static int run_batch(const struct row *row, enum form form, long calls, double *us)
{
  int status = MPJ_Barrier(MPJ_COMM_WORLD);
  const double begun = MPJ_Wtime();
  for (long i = 0; i < calls && !status; i++)
    status = run_one(row, form);
  const double own = 1e6 * (MPJ_Wtime() - begun) / (double)calls;
  if (status) return status;
  return MPJ_Allreduce(&own, MPJ_DOUBLE, us, MPJ_DOUBLE, MPJ_MAX, MPJ_COMM_WORLD);
}

/* *calls := as many as a batch takes; all ranks agree. */
static int calibrate(const struct row *row, long *calls)
{
  double us = 0;
  int status = MPJ_SUCCESS;
  for (*calls = 8; !status && *calls < 1 << 20; *calls *= 4) {
    status = run_batch(row, PERSISTENT, *calls, &us);
    if (us * 1e-6 * (double)*calls > batch_seconds / 4) break;
  }
  if (us > 0) *calls = 1 + (long)(batch_seconds * 1e6 / us);
  return status;
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double values[ROUNDS])
{
  qsort(values, ROUNDS, sizeof *values, by_value);
  return values[ROUNDS / 2];
}

static int run_case(const struct row *row, int bytes)
{
  double us[FORMS][ROUNDS];
  long calls;
  int status = calibrate(row, &calls);
  for (int round = 0; round < ROUNDS && !status; round++)
    for (int form = 0; form < FORMS && !status; form++)
      status = run_batch(row, (enum form)form, calls, &us[form][round]);
  if (status || rank > 0) return status;
  const double b = median(us[BLOCKING]), n = median(us[NONBLOCKING]), p = median(us[PERSISTENT]);
  printf("%4d  %-10s %6d %11.2f %11.2f %11.2f %10.2f %10.2f\n", nranks, row->name, bytes, b, n, p,
         n / b, p / b);
  fflush(stdout);
  return status;
}

static int make_types(int bytes)
{
  int status = MPJ_Type_contiguous(bytes / (int)sizeof(double), MPJ_DOUBLE, &block);
  if (!status) status = MPJ_Type_contiguous(nranks, block, &blocks);
  if (!status) status = MPJ_Type_commit(&block);
  return status ? status : MPJ_Type_commit(&blocks);
}

static int run_size(const struct row *row, int bytes)
{
  int status = make_types(bytes);
  if (!status) status = row->call(PERSISTENT, &persistent);
  if (!status) status = run_case(row, row->nsizes > 1 ? bytes : 0);
  if (!status) status = MPJ_Request_free(&persistent);
  if (!status) status = MPJ_Type_free(&block);
  return status ? status : MPJ_Type_free(&blocks);
}

static int run(void)
{
  int status = MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  if (!status) status = MPJ_Comm_size(MPJ_COMM_WORLD, &nranks);
  from = calloc((size_t)nranks, BYTES_MOST);
  to = calloc((size_t)nranks, BYTES_MOST);
  if (!from || !to) return MPJ_ERR_NO_MEM;
  for (size_t i = 0; i < sizeof rows / sizeof *rows && !status; i++)
    for (int k = 0; k < rows[i].nsizes && !status; k++)
      status = run_size(&rows[i], sizes[k]);
  free(from);
  free(to);
  return status;
}

int main(int argc, char **argv)
{
  if (MPJ_Init(&argc, &argv)) return 1;
  const int status = run();
  if (status) fprintf(stderr, "coll_forms: %s: %s\n", MPJ_Error_string(status), MPJ_Error_detail());
  return MPJ_Finalize() || status;
}
