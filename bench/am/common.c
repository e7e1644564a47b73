/* This file starts the ranks of a row, and times it. */
#include "am.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <mpj/mpj.h>

#include "net/boot/join.h"
#include "net/shm/create.h"
#include "net/shm/shm.h"

double am_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Rank i stays on core i, so that a round trip is always one between cores. */
static void pin(int rank)
{
  cpu_set_t mine, one;
  int seen = 0, want;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return;
  want = rank % CPU_COUNT(&mine);
  CPU_ZERO(&one);
  for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &mine) && seen++ == want) CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static _Noreturn void be_rank(struct am_rank *r, int fd, am_row_fn *fn, long param)
{
  alarm(120);
  pin(r->rank);
  if (mpj_shm_open(fd, r->rank, true, &r->net) != MPJ_SUCCESS) {
    fprintf(stderr, "am: %s\n", MPJ_Error_detail());
    _exit(1);
  }
  fn(r, param);
  mpj_net_close(r->net, MPJ_RANK_FINALIZED, 0);
  fflush(stdout);
  _exit(0);
}

void am_run(int size, int active, double seconds, am_row_fn *fn, long param)
{
  struct mpj_segment *segment;
  int fd, status, failed = 0;
  struct am_common *common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (common == MAP_FAILED || mpj_shm_create(size, &fd, &segment) != MPJ_SUCCESS) {
    fprintf(stderr, "am: no memory for %d ranks\n", size);
    exit(1);
  }
  fflush(NULL);
  for (int i = 0; i < active; i++) {
    struct am_rank r = {.rank = i, .size = size, .common = common, .seconds = seconds};
    if (fork() == 0) be_rank(&r, fd, fn, param);
  }
  for (int i = 0; i < active; i++)
    failed |= wait(&status) < 0 || status != 0;
  mpj_shm_discard(fd, segment);
  munmap(common, sizeof *common);
  if (failed) {
    fprintf(stderr, "am: a rank failed\n");
    exit(1);
  }
}

static void poll_net(void *arg)
{
  mpj_net_poll(((struct am_rank *)arg)->net);
}

bool am_over_network(struct am_rank *r)
{
  struct mpj_net *local = r->net;
  setenv("UCX_TLS", "tcp", 0);
  const int status = mpj_boot_join_over_network(local, &r->net);
  r->progress = poll_net;
  r->progress_arg = r;
  if (status == MPJ_SUCCESS) return true;
  if (status == MPJ_ERR_UNSUPPORTED) return false;
  fprintf(stderr, "am: %s\n", MPJ_Error_detail());
  _exit(1);
}

void am_barrier(struct am_rank *r, int active)
{
  const int all = ++r->barriers * active;
  if (!r->common) {
    MPJ_Barrier(MPJ_COMM_WORLD);
    return;
  }
  atomic_fetch_add(&r->common->arrived, 1);
  while (atomic_load(&r->common->arrived) < all) {
    if (r->progress) r->progress(r->progress_arg);
    sched_yield();
  }
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double batch(struct am_rank *r, int active, void (*step)(void *arg), void *arg, long n)
{
  am_barrier(r, active);
  const double begun = am_now();
  for (long i = 0; i < n; i++)
    step(arg);
  return (am_now() - begun) / (double)n;
}

/* What rank 0 says. */
static uint32_t agree(struct am_rank *r, int active, uint32_t n)
{
  if (!r->common) {
    MPJ_Bcast(&n, MPJ_UINT32, 0, MPJ_COMM_WORLD);
    return n;
  }
  if (r->rank == 0) atomic_store(&r->common->agreed, n);
  am_barrier(r, active);
  n = atomic_load(&r->common->agreed);
  am_barrier(r, active);
  return n;
}

double am_of_values(const struct am_rank *r, double *values, int n)
{
  qsort(values, (size_t)n, sizeof *values, by_size);
  return values[r->quiet_part ? n / 4 : n / 2];
}

double am_time(struct am_rank *r, int active, void (*step)(void *arg), void *arg)
{
  enum { FEW = 4, LATE = 10 };
  double took[AM_BATCHES];
  batch(r, active, step, arg, 3);
  const double begun = am_now(), one = batch(r, active, step, arg, 10);
  const double fit = r->seconds * 1e9 / AM_BATCHES / one;
  const long n = agree(r, active, fit < 2 ? 2 : fit > 1e6 ? 1000000 : (uint32_t)fit);
  int taken = 0;
  for (bool more = true; more && taken < AM_BATCHES; taken++) {
    took[taken] = batch(r, active, step, arg, n);
    if (r->quiet_part && taken >= FEW - 1)
      more = agree(r, active, am_now() - begun < LATE * r->seconds * 1e9) != 0;
  }
  return am_of_values(r, took, taken);
}

void am_report(const char *row, const char *who, double us)
{
  printf("{\"row\": \"%s\", \"who\": \"%s\", \"us\": %.4f}\n", row, who, us);
}
