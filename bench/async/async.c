/* This file measures what goes on while the application computes: a nonblocking
 * operation with the progress thread, during 10 ms of computing without a call.
 *
 *   mpjrun -n P coll_async
 *
 * For each operation, medians over rounds of the maximum over ranks, in ms:
 *   alone  the computing by itself, all ranks at the same time
 *   both   the same computing with the operation under way, from its start to the end
 *          of the wait
 *   ended  when the operation ended, after its start, as the computing thread sees by a
 *          look at the request now and then
 *   cpu    processor time of the operation: the progress thread's, and the calls'
 * and how many rounds had ended the operation before the computing had. */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "coll/calls/request.h"

enum { ROUNDS = 61, CHUNKS = 500, INTS = 1 << 18 /* 1 MiB */ };

/* Seconds. */
static double clock_of(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Computing */

static volatile double sink;
static long per_chunk; /* steps, of about 20 us */

static void compute_chunk(void)
{
  double x = 1.0;
  for (long i = 0; i < per_chunk; i++)
    x = x * 1.0000001 + 1e-9;
  sink = x;
}

static void calibrate(void)
{
  double best = 1;
  per_chunk = 20000;
  for (int i = 0; i < 50; i++) {
    const double begun = clock_of(CLOCK_THREAD_CPUTIME_ID);
    compute_chunk();
    const double spent = clock_of(CLOCK_THREAD_CPUTIME_ID) - begun;
    if (spent < best) best = spent;
  }
  per_chunk = (long)(20000 * 20e-6 / best);
}

/* Compute; returns when `request` (NULL: none) was first seen to be done, or 0. */
static double compute(const struct mpj_request *request)
{
  double ended = 0;
  for (int i = 0; i < CHUNKS; i++) {
    const volatile enum mpj_request_state *state = request ? &request->state : NULL;
    compute_chunk();
    if (state && ended == 0 && *state == MPJ_REQUEST_DONE) ended = MPJ_Wtime();
  }
  return ended;
}

/* The operations */

static int from[INTS], to[INTS];
static MPJ_Datatype many;

static int begin_bcast(MPJ_Request *r)
{
  return MPJ_Ibcast(to, many, 0, MPJ_COMM_WORLD, r);
}

static int begin_allreduce(MPJ_Request *r)
{
  return MPJ_Iallreduce(from, many, to, many, MPJ_SUM, MPJ_COMM_WORLD, r);
}

static const struct row {
  const char *name;
  int (*begin)(MPJ_Request *r);
} rows[] = {{"bcast", begin_bcast}, {"allreduce", begin_allreduce}};

enum column { ALONE, BOTH, ENDED, CPU, LATE, COLUMNS };
static double seen[COLUMNS][ROUNDS], most[COLUMNS][ROUNDS];

static int run_alone(int round)
{
  const int status = MPJ_Barrier(MPJ_COMM_WORLD);
  const double begun = MPJ_Wtime();
  compute(NULL);
  seen[ALONE][round] = MPJ_Wtime() - begun;
  return status;
}

static int run_both(const struct row *row, int round)
{
  MPJ_Request r;
  int status = MPJ_Barrier(MPJ_COMM_WORLD);
  memset(from, round, sizeof from);
  if (!status) status = MPJ_Barrier(MPJ_COMM_WORLD);
  const double begun = MPJ_Wtime(), all = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  if (!status) status = row->begin(&r);
  if (status) return status;
  const double own = clock_of(CLOCK_THREAD_CPUTIME_ID);
  const double ended = compute(r);
  const double computed = clock_of(CLOCK_THREAD_CPUTIME_ID) - own;
  status = MPJ_Wait(&r);
  const double now = MPJ_Wtime();
  seen[BOTH][round] = now - begun;
  seen[ENDED][round] = (ended > 0 ? ended : now) - begun;
  seen[CPU][round] = clock_of(CLOCK_PROCESS_CPUTIME_ID) - all - computed;
  seen[LATE][round] = ended > 0 ? 0 : 1;
  return status;
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_ms(enum column c)
{
  qsort(most[c], ROUNDS, sizeof *most[c], by_value);
  return 1e3 * most[c][ROUNDS / 2];
}

static void print_row(const struct row *row, int nranks)
{
  double late = 0;
  for (int i = 0; i < ROUNDS; i++)
    late += most[LATE][i];
  const double alone = median_ms(ALONE), both = median_ms(BOTH), cpu = median_ms(CPU);
  printf("%4d  %-10s %8.2f %8.2f %8.2f %8.2f %8.2f  %2.0f of %d\n", nranks, row->name, alone, both,
         both - alone, median_ms(ENDED), cpu, ROUNDS - late, ROUNDS);
  fflush(stdout);
}

static int run_row(const struct row *row, int rank, int nranks)
{
  MPJ_Datatype table;
  int status = MPJ_Type_contiguous((MPJ_Count)COLUMNS * ROUNDS, MPJ_DOUBLE, &table);
  if (!status) status = MPJ_Type_commit(&table);
  for (int round = 0; round < ROUNDS && !status; round++) {
    status = run_alone(round);
    if (!status) status = run_both(row, round);
  }
  if (!status) status = MPJ_Allreduce(seen, table, most, table, MPJ_MAX, MPJ_COMM_WORLD);
  if (!status && rank == 0) print_row(row, nranks);
  MPJ_Type_free(&table);
  return status;
}

static int run(void)
{
  int rank, nranks;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &nranks);
  int status = MPJ_Type_contiguous(INTS, MPJ_INT, &many);
  if (!status) status = MPJ_Type_commit(&many);
  calibrate();
  for (size_t i = 0; i < sizeof rows / sizeof *rows && !status; i++)
    status = run_row(&rows[i], rank, nranks);
  MPJ_Type_free(&many);
  return status;
}

int main(int argc, char **argv)
{
  setenv("MPJ_PROGRESS", "thread", 0);
  if (MPJ_Init(&argc, &argv)) return 1;
  const int status = run();
  if (status) fprintf(stderr, "coll_async: %s: %s\n", MPJ_Error_string(status), MPJ_Error_detail());
  return MPJ_Finalize() || status;
}
