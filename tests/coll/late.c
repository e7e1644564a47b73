/* This program plays broadcasts along a binomial tree in which the inner rank, 2, comes
 * late: with the progress thread the leaf below it, 3, must be through before 2 calls.
 *
 *   coll_late [threads]     four ranks: of the job that it is started in, or threads
 *
 * To be run with MPJ_PROGRESS=thread and MPJ_COLL_BCAST=binomial. */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "coll/need.h"

enum { INNER = 2, LEAF = 3, RANKS = 4, MOST = 16384 /* ints */, TRIES = 20 };
static const double late_s = 0.1, clear_s = 0.04;

static void pause_s(double seconds)
{
  const struct timespec t = {0, (long)(seconds * 1e9)};
  nanosleep(&t, NULL);
}

/* Every second int of rank 2's buffer: its layout is another than the others'. */
static int make_type(int rank, int n, MPJ_Datatype *type)
{
  const int status = rank == INNER ? MPJ_Type_vector(n, 1, 2, MPJ_INT, type)
                                   : MPJ_Type_contiguous(n, MPJ_INT, type);
  return status ? status : MPJ_Type_commit(type);
}

/* One broadcast from rank 0; *lead is by how much the leaf was through before the inner
 * rank called, seconds. All of this machine have one clock. */
static int once(int rank, int n, int *buf, MPJ_Datatype type, double *lead)
{
  const int apart = rank == INNER ? 2 : 1;
  double mine = 0, called = 0, through = 0;
  for (int i = 0; i < n; i++)
    buf[i * apart] = rank == 0 ? 3 * i + n : -1;
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (rank == INNER) {
    pause_s(late_s);
    mine = MPJ_Wtime();
  }
  NEED(!MPJ_Bcast(buf, type, 0, MPJ_COMM_WORLD));
  if (rank == LEAF) mine = MPJ_Wtime();
  for (int i = 0; i < n; i++)
    NEED(buf[i * apart] == 3 * i + n);
  called = through = mine;
  NEED(!MPJ_Bcast(&called, MPJ_DOUBLE, INNER, MPJ_COMM_WORLD));
  NEED(!MPJ_Bcast(&through, MPJ_DOUBLE, LEAF, MPJ_COMM_WORLD));
  *lead = called - through;
  return 0;
}

/* The machine may be busy with others: one clear lead of some tries is enough. */
static int leads(int rank, int n, int *buf)
{
  MPJ_Datatype type;
  double lead = 0, most = -1;
  NEED(!make_type(rank, n, &type));
  for (int i = 0; i < TRIES && most < clear_s; i++) {
    if (once(rank, n, buf, type, &lead)) return 1;
    if (lead > most) most = lead;
  }
  NEED(!MPJ_Type_free(&type));
  if (rank == 0) printf("%6d ints: the leaf was through %.1f ms before\n", n, 1e3 * most);
  NEED(most >= clear_s);
  return 0;
}

/* What the late rank finds wrong when it calls is its own error, and nobody hangs. */
static int mistakes(int rank, int *buf)
{
  int one = rank;
  MPJ_Datatype ten, eleven;
  NEED(!make_type(0, 10, &ten) && !make_type(0, 11, &eleven));
  for (int round = 0; round < 3; round++) {
    NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
    if (rank == INNER) pause_s(late_s / 4);
    const int status = MPJ_Bcast(buf, rank == INNER ? eleven : ten, 0, MPJ_COMM_WORLD);
    NEED(rank != INNER || status == MPJ_ERR_SIGNATURE);
    NEED(rank != 1 || status == MPJ_SUCCESS);
    NEED(!MPJ_Bcast(&one, MPJ_INT, 1, MPJ_COMM_WORLD) && one == 1);
  }
  NEED(!MPJ_Type_free(&ten) && !MPJ_Type_free(&eleven));
  return 0;
}

static int play(void *arg)
{
  int rank, p;
  (void)arg;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &rank) && !MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  NEED(p == RANKS);
  int *buf = calloc((size_t)2 * MOST, sizeof *buf);
  NEED(buf);
  const int sizes[] = {2, 1000, MOST};
  int failed = 0;
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes && !failed; i++)
    failed = leads(rank, sizes[i], buf);
  if (!failed) failed = mistakes(rank, buf);
  free(buf);
  return failed;
}

int main(int argc, char **argv)
{
  NEED(getenv("MPJ_PROGRESS") && getenv("MPJ_COLL_BCAST"));
  if (argc > 1 && !strcmp(argv[1], "threads")) return MPJ_Run_threads(RANKS, play, NULL) != 0;
  NEED(!MPJ_Init(&argc, &argv));
  const int failed = play(NULL);
  return MPJ_Finalize() || failed;
}
