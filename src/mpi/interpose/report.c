/* This file keeps the account of served and passed-on calls: MPJ_INTERPOSE_REPORT=1. */
#include "mpi/interpose/call_run.h"
#include "mpi/interpose/report.h"

#include <pthread.h>
#include <stdio.h>

#include "mpi/interpose/begun.h"

enum { NUMBERS = 3 + REASONS };

/* For each collective: calls served, bytes, nanoseconds, then calls passed on by reason. */
static unsigned long counts[REPORTED][NUMBERS];

static bool reporting(void)
{
  static int on = -1;
  if (on < 0) {
    const char *value = getenv("MPJ_INTERPOSE_REPORT");
    on = value && *value && *value != '0';
  }
  return on;
}

static void add(unsigned collective, int number, unsigned long n)
{
  __atomic_fetch_add(&counts[collective][number], n, __ATOMIC_RELAXED);
}

void report_passed(int collective, enum reason why)
{
  if (reporting()) add((unsigned)collective, 3 + (int)why, 1);
}

double report_begin(void)
{
  return reporting() ? MPJ_Wtime() : 0;
}

static unsigned long bytes_of(MPJ_Datatype type)
{
  MPJ_Count bytes = 0;
  if (type) MPJ_Type_size(type, &bytes);
  return (unsigned long)bytes;
}

unsigned long report_bytes(const struct call *call)
{
  return reporting() ? bytes_of(call->sendtype) + bytes_of(call->recvtype) : 0;
}

void report_served(enum collective collective, unsigned long bytes, double begun)
{
  if (!reporting()) return;
  add(collective, 0, 1);
  add(collective, 1, bytes);
  report_time(collective, begun);
}

void report_time(enum collective collective, double begun)
{
  if (reporting()) add(collective, 2, (unsigned long)(1e9 * (MPJ_Wtime() - begun)));
}

static const char *name_of(int collective)
{
  static const char *const neighbors[] = {"neighbor_allgather", "neighbor_allgatherv",
                                          "neighbor_alltoall", "neighbor_alltoallv",
                                          "neighbor_alltoallw"};
  return collective < COLLECTIVES ? collective_names[collective]
                                  : neighbors[collective - COLLECTIVES];
}

static void print_line(const char *name, const unsigned long n[NUMBERS])
{
  fprintf(stderr, "mpj: %-21s %10lu %14lu %10.3f %8lu %8lu %8lu %8lu %8lu %8lu\n", name, n[0], n[1],
          1e-9 * (double)n[2], n[3 + NOT_CHOSEN], n[3 + NO_COMM], n[3 + NOT_YET], n[3 + UNSEEN],
          n[3 + WRONG_CALL], n[3 + NEVER]);
}

/* Why there is nothing to account for. */
static const char *why_nothing(unsigned long passed, const char *not_started)
{
  if (not_started[0]) return not_started;
  if (!interposer_has_begun())
    return "MPI was not begun by MPI_Init, and no blocking collective of all processes was seen";
  return passed > 0 ? "all calls were passed on, for the reasons above"
                    : "no collective that can be served was called";
}

static bool printed;

void report_print(const char *not_started)
{
  unsigned long sums[REPORTED][NUMBERS], served = 0, passed = 0;
  int rank;
  if (!reporting()) return;
  printed = true;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(counts, sums, REPORTED * NUMBERS, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  fprintf(stderr, "mpj: all ranks' calls          served          bytes    seconds  passed on: not "
                  "chosen, no communicator, not yet, unseen, wrong, never\n");
  for (int i = 0; i < REPORTED; i++) {
    unsigned long calls = sums[i][0];
    for (int why = 1; why < REASONS; why++)
      calls += sums[i][3 + why];
    if (calls > 0) print_line(name_of(i), sums[i]);
    served += sums[i][0];
    passed += calls - sums[i][0];
  }
  if (served == 0)
    fprintf(stderr, "mpj: nothing was served: %s\n", why_nothing(passed, not_started));
}

/* A forked child of a rank has nothing to report; who forks before MPI begins may be a rank. */
static void forget_child(void)
{
  int begun = 0;
  printed = printed || (PMPI_Initialized(&begun) == MPI_SUCCESS && begun);
}

__attribute__((constructor)) static void watch_for_forks(void)
{
  if (reporting()) pthread_atfork(NULL, NULL, forget_child);
}

/* A program whose end went by another name, too: no rank is left to ask the others. */
__attribute__((destructor)) static void say_if_unseen(void)
{
  int begun = 0;
  unsigned long seen = 0;
  if (printed || !reporting()) return;
  if (interposer_has_begun()) {
    fprintf(stderr, "mpj: a rank ended without MPI_Finalize: there is no report of it\n");
    return;
  }
  for (int i = 0; i < REPORTED; i++)
    for (int why = 0; why < REASONS; why++)
      seen += counts[i][3 + why];
  if (PMPI_Initialized(&begun) || (!begun && seen == 0)) return; /* sessions alone are no begin */
  fprintf(stderr, "mpj: nothing was served on a rank: %s\n", why_nothing(0, ""));
}
