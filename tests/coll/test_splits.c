/* This file tests splits by random colors and keys against a serial reference, of as many ranks as
 * tell each other all at once and of more, and what they take of memory, on threads. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/share.h"
#include "coll/comm/comm_make.h"
#include "coll/engine_play.h"

#define WORLD MPJ_COMM_WORLD

enum { RANKS_MOST = 300, COLORS = 4 };

static unsigned hash(unsigned a, unsigned b)
{
  unsigned h = (a + 1) * 2654435761u ^ (b + 77) * 2246822519u;
  h ^= h >> 15;
  h *= 3266489917u;
  return h ^ h >> 16;
}

static int color_of(unsigned seed, int rank)
{
  const int color = (int)(hash(seed, (unsigned)rank) % (COLORS + 1));
  return color == COLORS ? MPJ_UNDEFINED : color * 500000000;
}

static int key_of(unsigned seed, int rank)
{
  const int few = (int)(hash(seed + 1000, (unsigned)rank) % 5) - 2;
  return seed % 3 == 0 ? 0 : seed % 3 == 1 ? few : few * 1000000000;
}

/* Who must be in the group of parent's rank `me`, of whose p ranks rank i has seed and number
 * parents[i]; serially. */
static int members_of(unsigned seed, int me, int p, int members[])
{
  int n = 0;
  for (int i = 0; i < p; i++) {
    if (color_of(seed, i) != color_of(seed, me)) continue;
    int k = n++;
    for (; k > 0 && key_of(seed, members[k - 1]) > key_of(seed, i); k--)
      members[k] = members[k - 1];
    members[k] = i;
  }
  return color_of(seed, me) == MPJ_UNDEFINED ? 0 : n;
}

static bool works(MPJ_Comm comm)
{
  int one = 1, sum = 0, size = 0;
  return !MPJ_Comm_size(comm, &size) &&
         !MPJ_Allreduce(&one, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, comm) && sum == size;
}

/* Whether the communicator is what the split of `parent` must give. */
static int look(MPJ_Comm parent, unsigned seed, MPJ_Comm made)
{
  int me, p, rank, size, members[RANKS_MOST], numbers[RANKS_MOST], there[RANKS_MOST];
  NEED(!MPJ_Comm_rank(parent, &me) && !MPJ_Comm_size(parent, &p));
  const int n = members_of(seed, me, p, members);
  NEED((made == MPJ_COMM_NULL) == (n == 0));
  if (n == 0) return 0;
  NEED(!MPJ_Comm_rank(made, &rank) && !MPJ_Comm_size(made, &size));
  NEED(size == n && members[rank] == me);
  for (int i = 0; i < n; i++)
    numbers[i] = i;
  NEED(!MPJ_Comm_translate(made, n, numbers, parent, there));
  NEED(memcmp(there, members, (size_t)n * sizeof *members) == 0);
  return works(made) ? 0 : __LINE__;
}

static int split(MPJ_Comm parent, unsigned seed, MPJ_Comm *made)
{
  int me;
  NEED(!MPJ_Comm_rank(parent, &me));
  NEED(!MPJ_Comm_split(parent, color_of(seed, me), key_of(seed, me), made));
  return look(parent, seed, *made);
}

/* Splits of WORLD, and of what they give; in every other round some ranks have one communicator
 * more, so that the members' windows differ. */
static int splitting(void *arg)
{
  const unsigned rounds = *(const unsigned *)arg;
  MPJ_Comm more = MPJ_COMM_NULL, first, second = MPJ_COMM_NULL, dup;
  for (unsigned seed = 0; seed < rounds; seed++) {
    const int me = world()->rank;
    if (seed % 2) NEED(!MPJ_Comm_split(WORLD, me % 3 == 1 ? 0 : MPJ_UNDEFINED, 0, &more));
    NEED(!split(WORLD, seed, &first) && !MPJ_Comm_dup(WORLD, &dup) && works(dup));
    if (first != MPJ_COMM_NULL) {
      NEED(!split(first, seed + 20, &second));
      if (second != MPJ_COMM_NULL) NEED(!MPJ_Comm_free(&second));
      NEED(!MPJ_Comm_free(&first));
    }
    if (more != MPJ_COMM_NULL) NEED(!MPJ_Comm_free(&more));
    NEED(!MPJ_Comm_free(&dup));
  }
  return 0;
}

START_TEST(split_gives_what_the_serial_reference_says)
{
  for (int p = 1; p <= 17; p++)
    play(p, splitting, &(unsigned){12});
  play(96, splitting, &(unsigned){4});
}
END_TEST

/* A split whose records go in blocks of so many ranks. */
static int splitting_in_blocks(void *arg)
{
  struct mpj_comm_exchange exchange = mpj_comm_exchange_of_comm(world(), MPJ_PART_OF_COMM_SPLIT);
  exchange.block = *(const int *)arg;
  for (unsigned seed = 4; seed < 8; seed++) {
    const int me = world()->rank, color = color_of(seed, me);
    const struct mpj_wish wish = {.member = color != MPJ_UNDEFINED,
                                  .group = (uint64_t)color,
                                  .key = key_of(seed, me),
                                  .n = -1};
    MPJ_Comm made;
    NEED(!mpj_comm_make(&exchange, &wish, &made) && !look(WORLD, seed, made));
    if (made != MPJ_COMM_NULL) NEED(!MPJ_Comm_free(&made));
  }
  return 0;
}

START_TEST(ranks_of_several_blocks_find_their_groups)
{
  const int blocks[] = {20, 65, 1, 69, 70};
  for (int i = 0; i < share_of(5); i++)
    play(70, splitting_in_blocks, (void *)(uintptr_t)&blocks[i]);
}
END_TEST

/* What a split takes, beside what the first calls and now and then one leave to the next: for ranks
 * of other groups nothing, but 16 bytes while it is made. */
static int measuring(void *arg)
{
  const int p = world()->size;
  long least = LONG_MAX;
  (void)arg;
  for (unsigned seed = 0; seed < 6; seed++) {
    const int color = (int)(hash(seed, (unsigned)world()->rank) % 16);
    MPJ_Comm made;
    int n = 0;
    NEED(!MPJ_Barrier(WORLD));
    mpj_memory_meter_start();
    const int status = MPJ_Comm_split(WORLD, color, key_of(seed, world()->rank), &made);
    const struct mpj_memory_meter m = mpj_memory_meter_stop();
    NEED(!status && !MPJ_Comm_size(made, &n));
    if (m.peak - 40 * n < least) least = m.peak - 40 * n;
  }
  long all = 0;
  NEED(!MPJ_Allreduce(&least, MPJ_LONG, &all, MPJ_LONG, MPJ_SUM, WORLD));
  return all / p < 2048 + 32 * p ? 0 : __LINE__;
}

START_TEST(split_takes_memory_for_the_group_and_little_for_others)
{
  play(share_of(2) > 1 ? 300 : 80, measuring, NULL); /* sanitizers take as long for so many */
}
END_TEST

/* Errors of many ranks are those of few. */

static bool detail_has(const char *text)
{
  return strstr(MPJ_Error_detail(), text) != NULL;
}

static int failing(void *arg)
{
  (void)arg;
  const int me = world()->rank, p = world()->size, bad = p - 2;
  int mine[RANKS_MOST], other[RANKS_MOST];
  MPJ_Comm made = MPJ_COMM_SELF;
  NEED(MPJ_Comm_split(WORLD, me == bad ? -3 : 1, 0, &made) == MPJ_ERR_ARG);
  NEED(detail_has(me == bad ? "color is -3" : "failed: MPJ_ERR_ARG") && works(WORLD));
  for (int i = 0; i < p; i++)
    mine[i] = other[p - 1 - i] = (i + 5) % p;
  NEED(MPJ_Comm_create(WORLD, p, me == bad ? other : mine, &made) == MPJ_ERR_ARG);
  char other_is[64];
  snprintf(other_is, sizeof other_is, "and is another list on rank %d", bad);
  NEED(detail_has(me == bad ? "and is another list on rank" : other_is) && works(WORLD));
  NEED(made == MPJ_COMM_SELF);
  NEED(!MPJ_Comm_create(WORLD, p, mine, &made) && works(made));
  return MPJ_Comm_free(&made);
}

static int choosing_otherwise(void *arg)
{
  (void)arg;
  struct mpj_comm *comm = world();
  MPJ_Comm made = MPJ_COMM_SELF;
  const int cores = comm->facts.cores;
  if (comm->rank == 2) comm->facts.cores++;
  const int split = MPJ_Comm_split(WORLD, comm->rank % 2, 0, &made);
  comm->facts.cores = cores;
  NEED(split == MPJ_ERR_COMM && detail_has("rank 2 would choose other algorithms than rank 0"));
  return made == MPJ_COMM_SELF && works(WORLD) ? 0 : __LINE__;
}

START_TEST(error_of_one_of_many_is_an_error_of_all)
{
  play(5, failing, NULL);
  play(70, failing, NULL);
  play(5, choosing_otherwise, NULL);
  play(70, choosing_otherwise, NULL);
}
END_TEST

/* A rank that runs out of memory after so many allocations, of more ranks than tell each other all
 * at once. */
static int starving(void *arg)
{
  const long successes = *(const long *)arg;
  MPJ_Comm made = MPJ_COMM_NULL;
  if (world()->rank == 3) mpj_memory_fail_after(successes);
  const int status = MPJ_Comm_split(WORLD, world()->rank % 2, 0, &made);
  mpj_memory_fail_after(-1);
  const int failed = status != MPJ_SUCCESS, group = world()->rank % 2;
  int any = 0;
  NEED(status == MPJ_SUCCESS || status == MPJ_ERR_NO_MEM);
  NEED((status == MPJ_SUCCESS) == (made != MPJ_COMM_NULL) && works(WORLD));
  NEED(!MPJ_Allreduce(&failed, MPJ_INT, &any, MPJ_INT, MPJ_MAX, WORLD));
  if (failed) return 0;
  /* if it failed after all had agreed, its group alone has a communicator that says so */
  NEED(any && group == 1 ? MPJ_Barrier(made) == MPJ_ERR_COMM : works(made));
  return MPJ_Comm_free(&made);
}

START_TEST(shortage_on_one_of_many_is_told_to_all)
{
  const long n = share_of(24);
  for (long i = 0; i < n; i++)
    play(66, starving, &(long){i * 40 / n});
}
END_TEST

int main(void)
{
  return RUN_SUITE("splits", split_gives_what_the_serial_reference_says,
                   ranks_of_several_blocks_find_their_groups,
                   split_takes_memory_for_the_group_and_little_for_others,
                   error_of_one_of_many_is_an_error_of_all, shortage_on_one_of_many_is_told_to_all);
}
