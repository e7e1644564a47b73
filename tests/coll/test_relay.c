/* This file tests what progress threads forward of broadcasts that their rank has not called: each
 * child gets each message once, whether the relay or the rank's own call sends it, and a
 * message of a tree that there is not goes nowhere. */
#include <stdlib.h>
#include <time.h>

#include "coll/engine_play.h"
#include "coll/select/algorithms.h"

enum { RANKS = 8, RELAY = 4, BUSY = 6, BYTES = 1000 };

static void pause_ms(int ms)
{
  const struct timespec t = {0, ms * 1000000L};
  nanosleep(&t, NULL);
}

static bool holds(const char data[BYTES], char value)
{
  for (int i = 0; i < BYTES; i++)
    if (data[i] != value) return false;
  return true;
}

/* Rank 4 has a message in the only slot that it has at its last child, so what it relays goes no
 * further than that child, or than the others. */
static int partly(void *arg)
{
  char data[BYTES], other[BYTES];
  struct mpj_comm *comm = world();
  const bool late = comm->rank == BUSY || comm->rank == BUSY + 1;
  MPJ_Comm second;
  MPJ_Datatype bytes;
  (void)arg;
  memset(data, comm->rank == 0 ? 1 : 9, sizeof data);
  memset(other, comm->rank == RELAY ? 2 : 9, sizeof other);
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &second));
  NEED(!MPJ_Type_contiguous(BYTES, MPJ_BYTE, &bytes) && !MPJ_Type_commit(&bytes));
  if (late) pause_ms(200);
  NEED(!MPJ_Bcast(other, bytes, RELAY, second));
  if (comm->rank == RELAY) pause_ms(100); /* rank 0's message comes, and is relayed */
  NEED(!MPJ_Bcast(data, bytes, 0, MPJ_COMM_WORLD));
  NEED(holds(data, 1) && holds(other, 2));
  NEED(!MPJ_Type_free(&bytes) && !MPJ_Comm_free(&second));
  return 0;
}

START_TEST(children_get_each_message_once)
{
  setenv("MPJ_EAGER_TOKENS", "1", 1);
  setenv("MPJ_COLL_BCAST", "binomial", 1);
  play(RANKS, partly, NULL);
}
END_TEST

/* Rank 1 sends rank 0 a message of a binomial tree of this radix, which rank 0 has not called. */
static int forging(void *arg)
{
  const int radix = *(const int *)arg;
  struct mpj_comm *comm = world();
  const struct mpj_algorithm *tree =
      mpj_algorithm_find(MPJ_OPERATION_BCAST, "binomial", strlen("binomial"));
  NEED(tree && !MPJ_Barrier(MPJ_COMM_WORLD));
  if (comm->rank == 1) {
    const struct mpj_arrival_message m = {.comm = comm->id,
                                          .sequence = (uint32_t)comm->started,
                                          .kind = MPJ_ARRIVAL_INLINE,
                                          .operation = MPJ_OPERATION_BCAST,
                                          .algorithm = (uint8_t)(tree - mpj_algorithms),
                                          .bit = 1,
                                          .root = 1,
                                          .radix = (uint8_t)radix,
                                          .segments = 1,
                                          .bytes = sizeof(int)};
    NEED(!mpj_net_short(comm->net, 0, MPJ_AM_COLLECTIVE, &m, MPJ_ARRIVAL_HEADER + sizeof(int)));
  }
  if (comm->rank == 0) pause_ms(20);
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_COMM);
  return 0;
}

START_TEST(a_tree_that_there_is_not_is_not_relayed_along)
{
  for (int radix = 0; radix < 2; radix++)
    play(3, forging, &radix);
}
END_TEST

int main(void)
{
  setenv("MPJ_PROGRESS", "thread", 1);
  return RUN_SUITE("coll/relay", children_get_each_message_once,
                   a_tree_that_there_is_not_is_not_relayed_along);
}
