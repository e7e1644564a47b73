/* This file tests that waits let another library of the process move on: now and then, or often. */
#include <mpj/am.h>
#include <mpj/peers.h>

#include <time.h>

#include "coll/helpers.h"

enum { TRIES = 50, PAUSE_MS = 5, AT_MOST_EVERY_US = 100 };

static void count(void *ctx)
{
  ++*(long *)ctx;
}

/* Wait in a barrier for a rank that comes late, on rank 0; how often it ran there and for how many
 * times 100 us the wait went on. */
static int wait_for_the_other(int me, const long *runs, long *ran, double *turns)
{
  const struct timespec pause = {0, PAUSE_MS * 1000000L};
  const double begun = MPJ_Wtime();
  const long before = *runs;
  if (me == 1) nanosleep(&pause, NULL);
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  *ran = *runs - before;
  *turns = (MPJ_Wtime() - begun) * 1e6 / AT_MOST_EVERY_US;
  return 0;
}

static int runs_elsewhere(void *arg)
{
  int me;
  long runs = 0, ran = 0;
  double turns = 0;
  (void)arg;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &me) && !MPJ_Progress_also(count, &runs));
  NEED(MPJ_Progress_often(-1) == MPJ_ERR_ARG);
  NEED(!wait_for_the_other(me, &runs, &ran, &turns));
  NEED((double)ran <= turns + 1);
  NEED(!MPJ_Progress_often(2));
  int often = 0; /* rank 0 alone can tell, as it waits; a busy machine may keep it from looking */
  for (int i = 0; i < TRIES && !often; i++) {
    NEED(!wait_for_the_other(me, &runs, &ran, &turns));
    if (me == 0) often = (double)ran > turns + 1;
    NEED(!MPJ_Bcast(&often, MPJ_INT, 0, MPJ_COMM_WORLD));
  }
  NEED(often);
  NEED(!MPJ_Progress_often(0) && !wait_for_the_other(me, &runs, &ran, &turns));
  NEED((double)ran <= turns + 1);
  NEED(!MPJ_Progress_also(NULL, NULL));
  ran = runs;
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD) && runs == ran);
  return 0;
}

START_TEST(waits_run_what_else_there_is_as_often_as_asked)
{
  play(2, runs_elsewhere, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll_elsewhere", waits_run_what_else_there_is_as_often_as_asked);
}
