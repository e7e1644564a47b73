/* This file tests several requests at a time whose operations run in order: whatever the order in
 * which ranks start, test and await them, each ends. */
#include "coll/in_order_play.h"

enum { COMMS = 3 };

static int open_all(struct party a[COMMS])
{
  for (int i = 0; i < COMMS; i++)
    NEED(!open_party(&a[i]));
  return 0;
}

static int close_all(struct party a[COMMS])
{
  for (int i = 0; i < COMMS; i++)
    NEED(!close_party(&a[i]));
  return 0;
}

/* Whose wait comes first differs from rank to rank, so that none could end if it waited for its
 * own alone. */
static int crossing_rank(void *arg)
{
  struct party a[COMMS];
  const int me = world()->rank;
  (void)arg;
  NEED(!open_all(a));
  for (int time = 0; time < TIMES; time++) {
    NEED(!start(&a[(me + time) % COMMS]));
    NEED(is_quick(a[(me + time) % COMMS].request));
    NEED(!start(&a[(me + time + 1) % COMMS]));
    NEED(!start(&a[(me + time + 2) % COMMS]));
    for (int i = 0; i < COMMS; i++)
      NEED(!end(&a[(COMMS + i - me % COMMS) % COMMS], time % 2 == 0));
  }
  return close_all(a);
}

START_TEST(waits_in_any_order_end)
{
  play(2, crossing_rank, NULL);
  play(3, crossing_rank, NULL);
  play(5, crossing_rank, NULL);
}
END_TEST

/* What one call starts. */
static int together_rank(void *arg)
{
  struct party a[COMMS];
  MPJ_Request all[COMMS];
  (void)arg;
  NEED(!open_all(a));
  for (int time = 0; time < 4 * TIMES; time++) {
    for (int i = 0; i < COMMS; i++) {
      a[i].in = value(world()->rank, ++a[i].time);
      all[i] = a[i].request;
    }
    NEED(!MPJ_Startall(COMMS, all));
    NEED(!MPJ_Waitall(COMMS, all));
    for (int i = 0; i < COMMS; i++)
      NEED(a[i].out == sum(world()->size, a[i].time));
  }
  return close_all(a);
}

START_TEST(what_one_call_starts_ends)
{
  play(2, together_rank, NULL);
  play(3, together_rank, NULL);
}
END_TEST

/* A blocking call between a start and its wait, where others have ended theirs, or wait first. */
static int between_rank(void *arg)
{
  struct party a[COMMS];
  unsigned seed = (unsigned)world()->rank;
  const int me = world()->rank, p = world()->size;
  (void)arg;
  NEED(!open_all(a));
  for (int time = 0; time < TIMES; time++) {
    int all = 0, mine = value(me, time);
    NEED(!start(&a[0]));
    dawdle(&seed);
    if (time % 3 == me % 3) NEED(!end(&a[0], false));
    const MPJ_Comm comm = time % 2 == 0 ? MPJ_COMM_WORLD : a[0].comm;
    NEED(!MPJ_Allreduce(&mine, MPJ_INT, &all, MPJ_INT, MPJ_SUM, comm));
    NEED(all == sum(p, time));
    if (time % 3 != me % 3) NEED(!end(&a[0], time % 2 == 0));
  }
  return close_all(a);
}

START_TEST(blocking_calls_between_end)
{
  play(2, between_rank, NULL);
  play(4, between_rank, NULL);
}
END_TEST

static void shuffle(int order[COMMS], unsigned *seed)
{
  for (int i = 0; i < COMMS; i++) {
    const int k = (int)(roll(seed) % (unsigned)(i + 1));
    order[i] = order[k];
    order[k] = i;
  }
}

/* Starts in any order, tests between, then waits in any order. */
static int random_rank(void *arg)
{
  struct party a[COMMS];
  unsigned seed = 77 + (unsigned)world()->rank;
  int order[COMMS], done;
  (void)arg;
  NEED(!open_all(a));
  for (int time = 0; time < 2 * TIMES; time++) {
    shuffle(order, &seed);
    for (int i = 0; i < COMMS; i++) {
      NEED(!start(&a[order[i]]));
      if (roll(&seed) % 2 == 0)
        NEED(!MPJ_Test(&a[order[roll(&seed) % (unsigned)(i + 1)]].request, &done));
      if (roll(&seed) % 4 == 0) dawdle(&seed);
    }
    shuffle(order, &seed);
    for (int i = 0; i < COMMS; i++)
      NEED(!end(&a[order[i]], roll(&seed) % 2 == 0));
  }
  return close_all(a);
}

START_TEST(any_order_on_several_communicators_ends)
{
  play(2, random_rank, NULL);
  play(3, random_rank, NULL);
  play(6, random_rank, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/several_in_order", waits_in_any_order_end, what_one_call_starts_ends,
                   blocking_calls_between_end, any_order_on_several_communicators_ends);
}
