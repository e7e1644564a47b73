/* This file tests what progress threads forward of broadcasts and scatters that their rank has not
 * called: each child gets each message once, whether the relay or the rank's own call sends it, and
 * a message of a tree that there is not, or a bundle without a child's records, goes nowhere. */
#include <stdlib.h>
#include <time.h>

#include "coll/engine_play.h"
#include "coll/select/algorithms.h"
#include "coll/steps/bundle_record.h"

enum { RANKS = 8, RELAY = 4, BYTES = 1000 };

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

/* Broadcast from the root, or scatter, to `data`. */
static int call(bool scatters, char data[BYTES], MPJ_Datatype bytes, int root, MPJ_Comm comm)
{
  char all[RANKS * BYTES];
  MPJ_Datatype parts;
  if (!scatters) return MPJ_Bcast(data, bytes, root, comm);
  for (int i = 0; i < RANKS; i++)
    memcpy(all + i * BYTES, data, BYTES);
  NEED(!MPJ_Type_contiguous(RANKS, bytes, &parts) && !MPJ_Type_commit(&parts));
  const int status = MPJ_Scatter(all, parts, data, bytes, root, comm);
  NEED(!MPJ_Type_free(&parts));
  return status;
}

struct busy {
  bool scatters;
  int first, last; /* ranks that come late */
};

/* Rank 4 has a message in the only slot that it has at its first child, 5, or at its last one, 6:
 * what it relays goes no further than that child. */
static int partly(void *arg)
{
  const struct busy *busy = arg;
  const bool scatters = busy->scatters;
  char data[BYTES], other[BYTES];
  struct mpj_comm *comm = world();
  const bool late = comm->rank >= busy->first && comm->rank <= busy->last;
  MPJ_Comm second;
  MPJ_Datatype bytes;
  memset(data, comm->rank == 0 ? 1 : 9, sizeof data);
  memset(other, comm->rank == RELAY ? 2 : 9, sizeof other);
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &second));
  NEED(!MPJ_Type_contiguous(BYTES, MPJ_BYTE, &bytes) && !MPJ_Type_commit(&bytes));
  if (late) pause_ms(200);
  NEED(!call(scatters, other, bytes, RELAY, second));
  if (comm->rank == RELAY) pause_ms(100); /* rank 0's message comes, and is relayed */
  NEED(!call(scatters, data, bytes, 0, MPJ_COMM_WORLD));
  NEED(holds(data, 1) && holds(other, 2));
  NEED(!MPJ_Type_free(&bytes) && !MPJ_Comm_free(&second));
  return 0;
}

START_TEST(children_get_each_message_once)
{
  setenv("MPJ_EAGER_TOKENS", "1", 1);
  setenv("MPJ_COLL_BCAST", "binomial", 1);
  setenv("MPJ_COLL_SCATTER", "knomial:2", 1);
  for (int scatters = 0; scatters < 2; scatters++) {
    play(RANKS, partly, &(struct busy){scatters, 6, 7});
    play(RANKS, partly, &(struct busy){scatters, 5, 5});
  }
}
END_TEST

/* All n ranks of a play come here: what they have sent is there, and none breaks the communicator
 * before another has looked. */
static void meet(int n)
{
  static _Atomic int met;
  const int last = (atomic_fetch_add(&met, 1) / n + 1) * n;
  while (atomic_load(&met) < last)
    pause_ms(1);
}

/* Wait until what has come for the next operation has been relayed as far as it can be. */
static struct mpj_early relayed(struct mpj_comm *comm)
{
  struct mpj_early found = {.relays = true};
  while (found.relays) {
    pause_ms(1);
    mpj_rank_lock_acquire(&comm->context->lock);
    const struct mpj_early *e = mpj_comm_slot(comm, comm->started)->early;
    if (e) found = *e;
    mpj_rank_lock_release(comm->context);
  }
  return found;
}

enum { FORGERS = 3 };

struct tree {
  enum mpj_operation operation;
  const char *algorithm;
  int radix;
};

/* Rank 1 sends rank 0 a message of such a tree, which rank 0 has not called. */
static int forging(void *arg)
{
  const struct tree *t = arg;
  struct mpj_comm *comm = world();
  const struct mpj_algorithm *tree =
      mpj_algorithm_find(t->operation, t->algorithm, strlen(t->algorithm));
  NEED(tree && !MPJ_Barrier(MPJ_COMM_WORLD));
  if (comm->rank == 1) {
    const struct mpj_arrival_message m = {.comm = comm->id,
                                          .sequence = (uint32_t)comm->started,
                                          .kind = MPJ_ARRIVAL_INLINE,
                                          .operation = t->operation & 31u,
                                          .algorithm = (uint8_t)(tree - mpj_algorithms),
                                          .bit = 1,
                                          .root = 1,
                                          .radix = (uint8_t)t->radix,
                                          .segments = 1,
                                          .bytes = sizeof(int)};
    NEED(!mpj_net_short(comm->net, 0, MPJ_AM_COLLECTIVE, &m, MPJ_ARRIVAL_HEADER + sizeof(int)));
  }
  if (comm->rank == 0) NEED(relayed(comm).relayed == 0);
  meet(FORGERS);
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_COMM);
  return 0;
}

START_TEST(a_tree_that_there_is_not_is_not_relayed_along)
{
  struct tree trees[] = {{MPJ_OPERATION_BCAST, "binomial", 0},
                         {MPJ_OPERATION_BCAST, "binomial", 1},
                         {MPJ_OPERATION_SCATTER, "knomial", 0},
                         {MPJ_OPERATION_SCATTER, "two_level", 1},
                         {MPJ_OPERATION_SCATTER, "kary", 0}};
  for (unsigned i = 0; i < sizeof trees / sizeof *trees; i++)
    play(FORGERS, forging, &trees[i]);
}
END_TEST

/* A message of the chain 0, 1, 2, 3 to rank 1: three records of 8 bytes, unless they say otherwise.
 */
enum { RECORDS = 3, RECORD = 32 };

struct bundle {
  uint32_t tag[RECORDS];
  int64_t says[RECORDS];
  uint64_t bytes; /* of the message */
};

static void write_bundle(const struct bundle *b, unsigned char bytes[RECORDS * RECORD])
{
  for (unsigned i = 0; i < RECORDS; i++) {
    const struct mpj_bundle_record r = {.tag = b->tag[i], .bytes = b->says[i]};
    memset(bytes + i * RECORD, (int)(10 + i), RECORD);
    memcpy(bytes + i * RECORD, &r, sizeof r);
  }
}

static int send_bundle(struct mpj_comm *comm, const struct bundle *b, const void *bytes)
{
  const struct mpj_algorithm *chain = mpj_algorithm_find(MPJ_OPERATION_SCATTER, "kary", 4);
  const struct mpj_view view = {comm->byte.layout, (MPJ_Count)b->bytes, 1, 0};
  struct mpj_cursor cursor;
  struct mpj_arrival_message m = {.comm = comm->id,
                                  .sequence = (uint32_t)comm->started,
                                  .kind = MPJ_ARRIVAL_EAGER,
                                  .operation = MPJ_OPERATION_SCATTER,
                                  .algorithm = (uint8_t)(chain - mpj_algorithms),
                                  .radix = 1,
                                  .segments = 1,
                                  .digest = mpj_bundle_digest(b->bytes)};
  mpj_message_say(&m, (int64_t)b->bytes, 1);
  NEED(!mpj_cursor_begin(&cursor, &view, (void *)(uintptr_t)bytes));
  const int status = mpj_net_eager(comm->net, 1, MPJ_AM_COLLECTIVE, &m, MPJ_ARRIVAL_HEADER, &cursor,
                                   (MPJ_Count)b->bytes, NULL, NULL);
  mpj_cursor_end(&cursor);
  return status;
}

static bool goes_on;

enum { CHAIN = 4 };

/* Rank 2 gets the records of ranks 2 and 3, if they are there one after the other. */
static int bundling(void *arg)
{
  unsigned char bytes[RECORDS * RECORD];
  struct mpj_comm *comm = world();
  write_bundle(arg, bytes);
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (comm->rank == 0) NEED(!send_bundle(comm, arg, bytes));
  if (comm->rank == 1) NEED(relayed(comm).relayed == goes_on);
  if (comm->rank == 2 && goes_on) {
    const struct mpj_early e = relayed(comm);
    NEED(e.relayed == 1 && e.message.digest == mpj_bundle_digest(2 * RECORD));
    NEED(mpj_message_bytes(&e.message) == 2 * RECORD);
    NEED(!memcmp(e.kept.payload, bytes + RECORD, 2 * RECORD));
  }
  meet(CHAIN);
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_COMM);
  return 0;
}

START_TEST(a_child_gets_the_records_of_its_subtree)
{
  struct bundle b = {{1, 2, 3}, {8, 8, 8}, RECORDS * RECORD};
  goes_on = true;
  play(CHAIN, bundling, &b);
}
END_TEST

START_TEST(a_bundle_that_lacks_them_stays)
{
  struct bundle damaged[] = {{{1, 2, 3}, {8, 8, 8}, RECORDS * RECORD - 1},
                             {{1, 2, 3}, {8, 8, 8}, 2 * RECORD + 8},
                             {{1, 2, 3}, {8, 8, -1}, RECORDS * RECORD},
                             {{1, 2, 3}, {8, 8, INT64_MAX}, RECORDS * RECORD},
                             {{1, 2, 3}, {-8, 8, 8}, RECORDS * RECORD},
                             {{1, 2, 3}, {40, 8, 8}, RECORDS * RECORD},
                             {{1, 3, 2}, {8, 8, 8}, RECORDS * RECORD},
                             {{2, 1, 3}, {8, 8, 8}, RECORDS * RECORD},
                             {{1, 2, 4}, {8, 8, 8}, RECORDS * RECORD}};
  goes_on = false;
  for (unsigned i = 0; i < sizeof damaged / sizeof *damaged; i++)
    play(CHAIN, bundling, &damaged[i]);
}
END_TEST

int main(void)
{
  setenv("MPJ_PROGRESS", "thread", 1);
  return RUN_SUITE("coll/relay", children_get_each_message_once,
                   a_tree_that_there_is_not_is_not_relayed_along,
                   a_child_gets_the_records_of_its_subtree, a_bundle_that_lacks_them_stays);
}
