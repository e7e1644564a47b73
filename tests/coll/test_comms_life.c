/* This file tests how communicators come and go, on threads: many of them, freed
 * under way, one rank ahead of the others, short of memory, with a dead member. */
#include <sched.h>
#include <stdatomic.h>

#include "coll/calls/request.h"
#include "coll/closing/closing.h"
#include "coll/comm/context_ids.h"
#include "coll/engine_play.h"

#define WORLD MPJ_COMM_WORLD

static bool detail_has(const char *text)
{
  return strstr(MPJ_Error_detail(), text) != NULL;
}

static bool works(MPJ_Comm comm)
{
  int one = 1, sum = 0, size = 0;
  return !MPJ_Comm_size(comm, &size) &&
         !MPJ_Allreduce(&one, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, comm) && sum == size;
}

/* NULL: the rank has left it. */
static struct mpj_comm *comm_of(MPJ_Comm comm)
{
  return mpj_context_comm(mpj_context_current(), (uint32_t)(uintptr_t)comm);
}

/* Ranks that would choose differently */

static int disagreeing(void *arg)
{
  (void)arg;
  struct mpj_comm *comm = world();
  MPJ_Comm made = MPJ_COMM_SELF;
  const int cores = comm->facts.cores;
  if (comm->rank == 2) comm->facts.cores++;
  NEED(MPJ_Comm_dup(WORLD, &made) == MPJ_ERR_COMM && detail_has("rank 2 would choose"));
  NEED(made == MPJ_COMM_SELF && works(WORLD));
  comm->facts.cores = cores;
  NEED(!MPJ_Comm_dup(WORLD, &made) && works(made) && !MPJ_Comm_free(&made));
  return 0;
}

START_TEST(ranks_that_choose_by_other_rules_get_no_communicator)
{
  play(4, disagreeing, NULL);
}
END_TEST

/* More than have windows of full size */

enum { MANY = MPJ_CONTROLS + 40 };

static int filling(void *arg)
{
  (void)arg;
  static MPJ_Comm all[3][MANY];
  MPJ_Comm *comms = all[world()->rank], own = MPJ_COMM_SELF;
  /* One more on rank 1: from here on the ranks have their windows at different places. */
  NEED(!MPJ_Comm_split(WORLD, world()->rank == 1 ? 0 : MPJ_UNDEFINED, 0, &own));
  for (int i = 0; i < MANY; i++) {
    NEED(!MPJ_Comm_dup(WORLD, &comms[i]));
    if (i % 100 == 0 || i > MANY - 45) NEED(works(comms[i]));
  }
  NEED(!comm_of(comms[0])->context_ids == (world()->size == 1));
  NEED(mpj_comm_slots(comm_of(comms[0])) == MPJ_WINDOW);
  NEED(mpj_comm_slots(comm_of(comms[MANY - 1])) == MPJ_SMALL_WINDOW);
  for (int round = 0; round < 2 * MPJ_WINDOW; round++)
    NEED(works(comms[MANY - 1]));
  NEED(!MPJ_Comm_free(&comms[500]) && !MPJ_Comm_dup(comms[7], &comms[500]) && works(comms[500]));
  for (int i = 0; i < MANY; i++)
    NEED(works(comms[i]) && !MPJ_Comm_free(&comms[i]));
  return world()->rank == 1 ? MPJ_Comm_free(&own) : MPJ_SUCCESS;
}

START_TEST(a_rank_may_be_in_more_communicators_than_have_full_windows)
{
  play(3, filling, NULL);
}
END_TEST

static int coming_and_going(void *arg)
{
  const int n = *(const int *)arg;
  unsigned highest = 0;
  long outstanding = 0;
  for (int i = 0; i < n; i++) {
    MPJ_Comm comm;
    const int color = world()->rank + i % 3 == 0 ? MPJ_UNDEFINED : i % 2;
    NEED(!MPJ_Comm_split(WORLD, color, i, &comm));
    if (comm == MPJ_COMM_NULL) continue;
    if (comm_of(comm)->control > highest) highest = comm_of(comm)->control;
    if (i % 10 == 0) NEED(works(comm));
    NEED(!MPJ_Comm_free(&comm));
    if (i == n / 2) outstanding = mpj_memory_outstanding();
  }
  NEED(highest < MPJ_SELF_ID + 8);
  NEED(mpj_memory_outstanding() < outstanding + 100 * world()->size);
  return 0;
}

START_TEST(made_and_freed_without_growth)
{
  play(4, coming_and_going, &(int){2000});
  play(1, coming_and_going, &(int){10000});
}
END_TEST

/* Freed while something is under way */

static int freeing_early(void *arg)
{
  _Atomic int *late = arg;
  const int me = world()->rank;
  int in = me, out = -1, sum = 0;
  MPJ_Request request, again;
  MPJ_Comm comm;
  NEED(!MPJ_Comm_dup(WORLD, &comm));
  NEED(!MPJ_Allreduce_init(&in, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, comm, &again));
  NEED(!MPJ_Iallreduce(&in, MPJ_INT, &out, MPJ_INT, MPJ_MAX, comm, &request));
  const MPJ_Comm freed = comm;
  NEED(!MPJ_Comm_free(&comm));
  if (me == 0)
    while (!atomic_load(late))
      sched_yield();
  else
    atomic_store(late, 1);
  NEED(!MPJ_Wait(&request) && out == world()->size - 1);
  for (int round = 0; round < 3; round++) {
    sum = 0;
    NEED(!MPJ_Start(&again) && !MPJ_Wait(&again) && sum == 3);
  }
  NEED(comm_of(freed)); /* the persistent request keeps it */
  NEED(!MPJ_Request_free(&again) && !MPJ_Barrier(WORLD));
  NEED(!MPJ_Comm_dup(WORLD, &comm) && !MPJ_Comm_free(&comm));
  NEED(!MPJ_Comm_dup(WORLD, &comm) && !MPJ_Comm_free(&comm));
  NEED(!comm_of(freed));
  return 0;
}

START_TEST(what_is_under_way_ends_after_the_free)
{
  _Atomic int late = 0;
  play(3, freeing_early, &late);
}
END_TEST

/* Rank 0 is ahead in a new communicator by as much as it may, before the others
 * have looked at it. */
enum { AHEAD = 40 };

static int running_ahead(void *arg)
{
  _Atomic int *started = arg;
  int values[AHEAD];
  const int me = world()->rank;
  MPJ_Request requests[AHEAD];
  MPJ_Comm comms[2];
  for (int round = 0; round < 20; round++) {
    NEED(!MPJ_Comm_split(WORLD, 0, -me, &comms[0]) && !MPJ_Comm_dup(comms[0], &comms[1]));
    const int root = world()->size - 1; /* WORLD's rank 0 */
    while (me != 0 && atomic_load(started) <= round)
      sched_yield();
    for (int i = 0; i < AHEAD; i++) {
      values[i] = me == 0 ? 100 * round + i : -1;
      NEED(!MPJ_Ibcast(&values[i], MPJ_INT, root, comms[i % 2], &requests[i]));
    }
    if (me == 0) atomic_fetch_add(started, 1);
    NEED(!MPJ_Waitall(AHEAD, requests));
    for (int i = 0; i < AHEAD; i++)
      NEED(values[i] == 100 * round + i);
    NEED(!MPJ_Comm_free(&comms[me % 2]) && !MPJ_Comm_free(&comms[1 - me % 2]));
  }
  return 0;
}

START_TEST(a_rank_may_be_ahead_in_a_new_communicator)
{
  _Atomic int started = 0;
  play(4, running_ahead, &started);
}
END_TEST

/* Rank 0 waits in a barrier of one communicator, to which the others come only
 * after rank 0 has done its part of an operation on another. */
static int crossing(void *arg)
{
  (void)arg;
  int in = 1, sum = 0;
  MPJ_Request request;
  MPJ_Comm a, b;
  NEED(!MPJ_Comm_dup(WORLD, &a) && !MPJ_Comm_dup(WORLD, &b));
  for (int round = 0; round < 50; round++) {
    NEED(!MPJ_Iallreduce(&in, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, a, &request));
    if (world()->rank != 0) NEED(!MPJ_Wait(&request));
    NEED(!MPJ_Barrier(b));
    if (world()->rank == 0) NEED(!MPJ_Wait(&request));
    NEED(sum == world()->size);
  }
  return MPJ_Comm_free(&a) || MPJ_Comm_free(&b);
}

START_TEST(waiting_on_one_moves_on_the_other)
{
  play(2, crossing, NULL);
  play(5, crossing, NULL);
}
END_TEST

/* Memory */

START_TEST(a_communicator_that_nobody_uses_takes_4_KiB)
{
  const size_t bytes = sizeof(struct mpj_comm) + sizeof(struct mpj_closing) +
                       sizeof(struct mpj_schedules) + sizeof(struct mpj_control_window);
  ck_assert_uint_le(bytes, 4 << 10);
  ck_assert_uint_eq(sizeof(struct mpj_control_window), 64 + 40 * MPJ_WINDOW);
}
END_TEST

struct famine {
  int rank;
  long successes;
  _Atomic int made, broken; /* ranks that got a communicator, and of these a broken one */
};

/* It works; or is broken, because the hungry rank has renounced it at the end. */
static int look(struct famine *f, MPJ_Comm *made)
{
  const bool first = works(*made);
  const int then = MPJ_Barrier(*made);
  NEED(first ? then == MPJ_SUCCESS : then == MPJ_ERR_COMM && detail_has("failed"));
  atomic_fetch_add(&f->made, 1);
  if (!first) atomic_fetch_add(&f->broken, 1);
  return MPJ_Comm_free(made);
}

static int starving(void *arg)
{
  struct famine *f = arg;
  MPJ_Comm made = MPJ_COMM_NULL;
  if (world()->rank == f->rank) mpj_memory_fail_after(f->successes);
  const int status = MPJ_Comm_split(WORLD, world()->rank % 2, 0, &made);
  mpj_memory_fail_after(-1);
  NEED(!MPJ_Barrier(WORLD)); /* what comes early now finds memory */
  NEED(status == MPJ_SUCCESS || status == MPJ_ERR_NO_MEM);
  NEED((status == MPJ_SUCCESS) == (made != MPJ_COMM_NULL));
  NEED(status || !look(f, &made));
  NEED(works(WORLD) && !MPJ_Comm_dup(WORLD, &made) && works(made));
  NEED(comm_of(made)->control < MPJ_SELF_ID + 4);
  return MPJ_Comm_free(&made);
}

START_TEST(shortage_on_one_rank_is_told_to_all)
{
  enum { RANKS = 4 };
  for (int rank = 0; rank < RANKS; rank++) {
    struct famine f = {.rank = rank};
    for (; f.made < RANKS; f.successes++) {
      ck_assert_int_lt((int)f.successes, 200);
      f.made = f.broken = 0;
      const long outstanding = mpj_memory_outstanding();
      play(RANKS, starving, &f);
      mpj_layout_forget_permanent();
      ck_assert_int_eq(mpj_memory_outstanding(), outstanding);
      ck_assert(f.made == 0 || f.made >= RANKS - 1);
    }
    ck_assert_int_eq(f.broken, 0);
    ck_assert_int_gt((int)f.successes, 8);
  }
}
END_TEST

/* A dead member */

enum { VICTIM = 1, VALUE = 5 };

static int mourning(void *arg)
{
  (void)arg;
  const int me = world()->rank;
  MPJ_Comm all, rest, made = MPJ_COMM_NULL;
  NEED(!MPJ_Comm_dup(WORLD, &all));
  NEED(!MPJ_Comm_split(WORLD, me == VICTIM ? 1 : 0, 0, &rest));
  if (me == VICTIM) return VALUE;
  for (int i = 0; i < 500; i++)
    NEED(works(rest));
  NEED(MPJ_Barrier(all) == MPJ_ERR_PEER && detail_has("rank 1"));
  NEED(MPJ_Comm_dup(all, &made) == MPJ_ERR_PEER && MPJ_Comm_dup(WORLD, &made) == MPJ_ERR_PEER);
  NEED(works(rest) && !MPJ_Comm_dup(rest, &made) && works(made)); /* life goes on */
  NEED(!MPJ_Comm_free(&all) && !MPJ_Comm_free(&made));
  for (int i = 0; i < 100; i++)
    NEED(!MPJ_Comm_dup(rest, &made) && works(made) && !MPJ_Comm_free(&made));
  return MPJ_Comm_free(&rest);
}

START_TEST(others_go_on_without_the_dead)
{
  for (int n = 2; n < 6; n++)
    ck_assert_int_eq(MPJ_Run_threads(n, mourning, NULL), VALUE);
}
END_TEST

/* Rank 0 has freed the communicator in which the others still call. */
static int deserting(void *arg)
{
  (void)arg;
  MPJ_Comm comm;
  const int rank = world()->rank;
  NEED(!MPJ_Comm_dup(WORLD, &comm) && !MPJ_Barrier(comm));
  if (rank != 0) NEED(MPJ_Barrier(comm) == MPJ_ERR_COMM);
  NEED(!MPJ_Comm_free(&comm) && !MPJ_Barrier(WORLD));
  NEED(MPJ_Finalize() == (rank == 0 ? MPJ_ERR_COMM : MPJ_SUCCESS));
  return 0;
}

START_TEST(a_call_that_a_member_never_comes_to_is_an_error)
{
  play(3, deserting, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("comms life", ranks_that_choose_by_other_rules_get_no_communicator,
                   a_rank_may_be_in_more_communicators_than_have_full_windows,
                   made_and_freed_without_growth, what_is_under_way_ends_after_the_free,
                   a_rank_may_be_ahead_in_a_new_communicator, waiting_on_one_moves_on_the_other,
                   a_communicator_that_nobody_uses_takes_4_KiB, shortage_on_one_rank_is_told_to_all,
                   others_go_on_without_the_dead, a_call_that_a_member_never_comes_to_is_an_error);
}
