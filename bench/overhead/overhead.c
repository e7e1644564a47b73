/* This file measures what a call costs before it says anything: the time from the
 * call to the first message that leaves the rank, and what a type that is made
 * and committed for the call alone adds.
 *
 *   mpjrun -n 2 coll_overhead
 *
 * The transport's sending entries are wrapped by functions that note the time.
 * Ranks meet before each call, so that nothing waits for room. Rank 0 prints the
 * operations that it begins itself; rank 1 those that it does.
 * Times: the processor's time stamps, less what reading them costs, as ns. */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "coll/comm/context.h"

enum { CALLS = 20000, DOUBLES = 1 };

static uint64_t ticks(void)
{
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

/* The wrapped transport */

static const struct mpj_transport_ops *real;
static struct mpj_transport_ops wrapped;
static uint64_t first; /* when the first message left; 0: none has yet */

static void note(void)
{
  if (first == 0) first = ticks();
}

static int note_short(struct mpj_transport *t, int peer, unsigned handler, struct mpj_am_mark mark,
                      const void *data, unsigned bytes)
{
  note();
  return real->send_short(t, peer, handler, mark, data, bytes);
}

/* What is not sent is written to memory in common. */
static unsigned char *note_common(struct mpj_transport *t, int rank, unsigned extent)
{
  note();
  return real->common(t, rank, extent);
}

static void wrap(struct mpj_net *net)
{
  real = net->transport->ops;
  wrapped = *real;
  wrapped.send_short = note_short;
  wrapped.common = note_common;
  net->transport->ops = &wrapped;
}

/* The calls */

struct types {
  MPJ_Datatype one, each; /* a block; a block a rank */
};
static double from[64 * DOUBLES], to[64 * DOUBLES];

static int barrier(const struct types *t)
{
  (void)t;
  return MPJ_Barrier(MPJ_COMM_WORLD);
}
static int bcast(const struct types *t)
{
  return MPJ_Bcast(from, t->one, 0, MPJ_COMM_WORLD);
}
static int gather(const struct types *t)
{
  return MPJ_Gather(from, t->one, to, t->each, 0, MPJ_COMM_WORLD);
}
static int scatter(const struct types *t)
{
  return MPJ_Scatter(from, t->each, to, t->one, 0, MPJ_COMM_WORLD);
}
static int allgather(const struct types *t)
{
  return MPJ_Allgather(from, t->one, to, t->each, MPJ_COMM_WORLD);
}
static int alltoall(const struct types *t)
{
  return MPJ_Alltoall(from, t->each, to, t->each, MPJ_COMM_WORLD);
}
static int reduce(const struct types *t)
{
  return MPJ_Reduce(from, t->one, to, t->one, MPJ_SUM, 0, MPJ_COMM_WORLD);
}
static int allreduce(const struct types *t)
{
  return MPJ_Allreduce(from, t->one, to, t->one, MPJ_SUM, MPJ_COMM_WORLD);
}
static int reduce_scatter(const struct types *t)
{
  return MPJ_Reduce_scatter(from, t->each, to, t->one, MPJ_SUM, MPJ_COMM_WORLD);
}
static int scan(const struct types *t)
{
  return MPJ_Scan(from, t->one, to, t->one, MPJ_SUM, MPJ_COMM_WORLD);
}
static int exscan(const struct types *t)
{
  return MPJ_Exscan(from, t->one, to, t->one, MPJ_SUM, MPJ_COMM_WORLD);
}

static const struct row {
  const char *name;
  int (*call)(const struct types *t);
  int speaker; /* the rank that sends without waiting first */
} rows[] = {{"barrier", barrier, 0},     {"bcast", bcast, 0},
            {"gather", gather, 1},       {"scatter", scatter, 0},
            {"allgather", allgather, 0}, {"alltoall", alltoall, 0},
            {"reduce", reduce, 1},       {"allreduce", allreduce, 0},
            {"scan", scan, 0},           {"reduce_scatter", reduce_scatter, 0},
            {"exscan", exscan, 0}};

static int make(struct types *t, int nranks)
{
  int status = MPJ_Type_contiguous(DOUBLES, MPJ_DOUBLE, &t->one);
  if (!status) status = MPJ_Type_contiguous(nranks, t->one, &t->each);
  if (!status) status = MPJ_Type_commit(&t->one);
  return status ? status : MPJ_Type_commit(&t->each);
}

static void drop(struct types *t)
{
  MPJ_Type_free(&t->one);
  MPJ_Type_free(&t->each);
}

/* Measuring */

static int by_value(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static double ns_per_tick(void)
{
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  const uint64_t start = ticks();
  do
    clock_gettime(CLOCK_MONOTONIC, &b);
  while ((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec < 20000000);
  const double ns = 1e9 * (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec);
  return ns / (double)(ticks() - start);
}

static uint64_t cost_of_ticks(void)
{
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 1000; i++) {
    const uint64_t start = ticks(), cost = ticks() - start;
    if (cost < least) least = cost;
  }
  return least;
}

/* The median ticks from the beginning to the first message of one call, with the
 * types given, or (NULL) made for each call; then their release counts, too. */
static int measure(const struct row *row, const struct types *given, int nranks, uint64_t *median)
{
  static uint64_t all[CALLS];
  const uint64_t cost = cost_of_ticks();
  for (int i = -1; i < CALLS; i++) {
    struct types made;
    int status = MPJ_Barrier(MPJ_COMM_WORLD);
    if (status) return status;
    first = 0;
    uint64_t start = ticks();
    if (!given) status = make(&made, nranks);
    if (!status) status = row->call(given ? given : &made);
    if (status) return status;
    uint64_t spent = first - start;
    start = ticks();
    if (!given) drop(&made);
    if (!given) spent += ticks() - start;
    if (i >= 0) all[i] = spent > cost ? spent - cost : 0;
  }
  qsort(all, CALLS, sizeof *all, by_value);
  *median = all[CALLS / 2];
  return MPJ_SUCCESS;
}

static int run_row(const struct row *row, const struct types *types, int rank, int nranks,
                   double scale)
{
  uint64_t cached = 0, fresh = 0;
  int status = measure(row, types, nranks, &cached);
  if (!status) status = measure(row, NULL, nranks, &fresh);
  if (status || rank != row->speaker) return status;
  printf("%-16s %8.0f %8.0f\n", row->name, scale * (double)cached, scale * (double)fresh);
  fflush(stdout);
  return MPJ_SUCCESS;
}

static int run(void)
{
  struct types types;
  int rank, nranks;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &nranks);
  if (nranks != 2) {
    fprintf(stderr, "coll_overhead: run it as two processes: mpjrun -n 2\n");
    return MPJ_ERR_ARG;
  }
  const double scale = ns_per_tick();
  int status = make(&types, nranks);
  wrap(mpj_context_current()->net);
  if (rank == 0) printf("%-16s %8s %8s\n", "ns to message", "cached", "fresh");
  fflush(stdout);
  for (size_t i = 0; i < sizeof rows / sizeof *rows && !status; i++)
    status = run_row(&rows[i], &types, rank, nranks, scale);
  drop(&types);
  return status;
}

int main(int argc, char **argv)
{
  if (MPJ_Init(&argc, &argv)) return 1;
  const int status = run();
  if (status)
    fprintf(stderr, "coll_overhead: %s: %s\n", MPJ_Error_string(status), MPJ_Error_detail());
  return MPJ_Finalize() || status;
}
