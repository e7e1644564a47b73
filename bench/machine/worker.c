/* This file is the worker of `mpj-bench tune --machine`: two ranks time long data from rank 1 to
 * rank 0 by size, by kind of pull and by what was done to the pages before, and rank 0 prints a
 * line of JSON each: the median over the calls of the slower rank's time. A barrier goes before
 * each call. */
#include <mpj/mpj.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "machine/cases.h"

enum { CALLS_LEAST = 5, CALLS_MOST = 300, BLOCK = 32 /* doubles; as many lie between two */ };

struct bench {
  int rank;
  enum machine_kind kind;
  enum machine_state state;
  size_t bytes, extent; /* of the data; of the sender's buffer */
  MPJ_Datatype send, both, part;
  double *buffer; /* the sender's data; the receiver's two parts */
};

static double now_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static size_t buffer_bytes(const struct bench *b)
{
  return b->rank == 0 ? 2 * b->bytes : b->extent;
}

static int map(struct bench *b)
{
  b->buffer =
      mmap(NULL, buffer_bytes(b), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (b->buffer == MAP_FAILED) return MPJ_ERR_NO_MEM;
  if (b->rank == 1 || b->kind >= MACHINE_COMBINED || b->state != MACHINE_FRESH)
    memset(b->buffer, 0, buffer_bytes(b));
  return MPJ_SUCCESS;
}

static int make_types(struct bench *b)
{
  const MPJ_Count n = (MPJ_Count)(b->bytes / sizeof(double));
  const bool gaps = b->kind == MACHINE_GAPS || b->kind == MACHINE_COMBINED_GAPS;
  b->extent = gaps ? 2 * b->bytes : b->bytes;
  int status = MPJ_Type_contiguous(n, MPJ_DOUBLE, &b->part);
  if (!status) status = MPJ_Type_contiguous(2, b->part, &b->both);
  if (!status)
    status = gaps ? MPJ_Type_vector(n / BLOCK, BLOCK, (MPJ_Count)2 * BLOCK, MPJ_DOUBLE, &b->send)
                  : MPJ_Type_dup(b->part, &b->send);
  if (!status) status = MPJ_Type_commit(&b->part);
  if (!status) status = MPJ_Type_commit(&b->both);
  return status ? status : MPJ_Type_commit(&b->send);
}

static int call(const struct bench *b)
{
  const void *from = b->rank == 0 ? MPJ_IN_PLACE : (const void *)b->buffer;
  if (b->kind >= MACHINE_COMBINED)
    return MPJ_Reduce(from, b->send, b->buffer, b->part, MPJ_SUM, 0, MPJ_COMM_WORLD);
  return MPJ_Gather(from, b->send, b->buffer, b->both, 0, MPJ_COMM_WORLD);
}

/* What is done before a call. */
static int prepare(struct bench *b, double stamp)
{
  enum { LINE = 8 };
  if (b->state == MACHINE_FRESH) {
    munmap(b->buffer, buffer_bytes(b));
    return map(b);
  }
  if (b->rank == 1 && b->state == MACHINE_REWRITTEN)
    for (size_t i = 0; i < b->extent / sizeof(double); i += LINE)
      b->buffer[i] = stamp;
  return MPJ_SUCCESS;
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* us[n]: the slower rank's times. */
static int time_calls(struct bench *b, int n, double us[])
{
  int status = MPJ_SUCCESS;
  for (int i = 0; i < n && !status; i++) {
    status = prepare(b, i);
    if (!status) status = MPJ_Barrier(MPJ_COMM_WORLD);
    const double start = now_us();
    if (!status) status = call(b);
    us[i] = now_us() - start;
  }
  MPJ_Datatype all = MPJ_DATATYPE_NULL;
  if (!status) status = MPJ_Type_contiguous(n, MPJ_DOUBLE, &all);
  if (!status) status = MPJ_Type_commit(&all);
  if (!status) status = MPJ_Allreduce(MPJ_IN_PLACE, all, us, all, MPJ_MAX, MPJ_COMM_WORLD);
  if (all) MPJ_Type_free(&all);
  return status;
}

static int run_case(struct bench *b, double seconds)
{
  static double us[CALLS_MOST];
  int status = make_types(b);
  if (!status) status = map(b);
  const int first = seconds < 1e-4 ? 1 : 3, least = seconds < 1e-4 ? 1 : CALLS_LEAST;
  const double start = now_us();
  if (!status) status = time_calls(b, first, us); /* finds the pace */
  const double pace = (now_us() - start) / first;
  double wanted = seconds * 1e6 / pace;
  wanted = wanted < least ? least : wanted > CALLS_MOST ? CALLS_MOST : wanted;
  if (!status) status = MPJ_Bcast(&wanted, MPJ_DOUBLE, 0, MPJ_COMM_WORLD);
  const int n = (int)wanted;
  if (!status) status = time_calls(b, n, us);
  if (!status && b->rank == 0) {
    qsort(us, (size_t)n, sizeof *us, by_value);
    printf("{\"kind\": %d, \"state\": %d, \"bytes\": %zu, \"us\": %.3f}\n", (int)b->kind,
           (int)b->state, b->bytes, us[n / 2]);
    fflush(stdout);
  }
  munmap(b->buffer, buffer_bytes(b));
  MPJ_Type_free(&b->send);
  MPJ_Type_free(&b->both);
  MPJ_Type_free(&b->part);
  return status;
}

int main(int argc, char **argv)
{
  struct bench b = {0};
  int size = 0, status = MPJ_Init(&argc, &argv);
  const double seconds = argc == 2 ? strtod(argv[1], NULL) : 0;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &b.rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  if (size != 2 || !(seconds > 0)) {
    fprintf(stderr, "%s takes the seconds of a case, and two ranks, not %d\n", argv[0], size);
    return 2;
  }
  for (int kind = 0; kind < MACHINE_KINDS && !status; kind++)
    for (int state = 0; state < MACHINE_STATES && !status; state++)
      for (int i = 0; i < MACHINE_SIZES && !status; i++) {
        b.kind = (enum machine_kind)kind;
        b.state = (enum machine_state)state;
        b.bytes = (size_t)machine_sizes[i];
        status = run_case(&b, seconds);
      }
  if (status) fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Finalize();
  return status != MPJ_SUCCESS;
}
