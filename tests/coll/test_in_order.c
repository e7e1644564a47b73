/* This file tests operations that run in the order of their steps: what is called again and again
 * with the same types comes out right, whoever is early or late, and whatever happens in the middle
 * of it. */
#include <sched.h>
#include <stdatomic.h>

#include <mpj/am.h>

#include "coll/calls/known_calls.h"
#include "coll/engine_play.h"
#include "coll/operations.h"
#include "coll/plan/plan.h"

enum { RANKS_MOST = 9, TIMES = 60, LATE_MS = 3 };

struct types {
  MPJ_Datatype one, each;
};

static int make(struct types *t, int size, MPJ_Count ints)
{
  NEED(!MPJ_Type_contiguous(ints, MPJ_INT, &t->one));
  NEED(!MPJ_Type_contiguous(size, t->one, &t->each));
  return MPJ_Type_commit(&t->one) || MPJ_Type_commit(&t->each);
}

static int drop(struct types *t)
{
  return MPJ_Type_free(&t->one) || MPJ_Type_free(&t->each);
}

/* Some time, mostly none: who comes late finds messages, who comes early waits. */
static void dawdle(unsigned *seed)
{
  *seed = *seed * 1103515245 + 12345;
  const unsigned dice = *seed >> 16;
  const double until = MPJ_Wtime() + (dice % 64 == 0 ? LATE_MS * 1e-3 : 1e-6 * (dice % 4));
  while (MPJ_Wtime() < until)
    ;
}

static int value(int rank, int time)
{
  return 1000 * time + rank + 1;
}

static int sum(int first, int end, int time)
{
  int all = 0;
  for (int rank = first; rank < end; rank++)
    all += value(rank, time);
  return all;
}

/* Call an operation; what came where. */
static int call(enum operation operation, int time, bool in_place, const struct types *t)
{
  const struct mpj_comm *comm = world();
  const int me = comm->rank, p = comm->size, root = time / 7 % p;
  int in[RANKS_MOST], out[RANKS_MOST];
  const void *from = in_place ? MPJ_IN_PLACE : (void *)in;
  for (int i = 0; i < p; i++)
    in[i] = value(me, time) * (i + 1);
  memset(out, 0, sizeof out);
  if (in_place && operation >= ALLREDUCE) out[0] = in[0];
  switch (operation) {
  case BARRIER:
    return MPJ_Barrier(MPJ_COMM_WORLD);
  case BCAST:
    NEED(!MPJ_Bcast(in, t->one, root, MPJ_COMM_WORLD));
    NEED(in[0] == value(root, time));
    return 0;
  case GATHER:
    NEED(!MPJ_Gather(in, t->one, out, t->each, root, MPJ_COMM_WORLD));
    for (int i = 0; i < p && me == root; i++)
      NEED(out[i] == value(i, time));
    return 0;
  case SCATTER:
    NEED(!MPJ_Scatter(in, t->each, out, t->one, root, MPJ_COMM_WORLD));
    NEED(out[0] == value(root, time) * (me + 1));
    return 0;
  case ALLGATHER:
    NEED(!MPJ_Allgather(in, t->one, out, t->each, MPJ_COMM_WORLD));
    for (int i = 0; i < p; i++)
      NEED(out[i] == value(i, time));
    return 0;
  case ALLTOALL:
    NEED(!MPJ_Alltoall(in, t->each, out, t->each, MPJ_COMM_WORLD));
    for (int i = 0; i < p; i++)
      NEED(out[i] == value(i, time) * (me + 1));
    return 0;
  case REDUCE:
    NEED(!MPJ_Reduce(in, t->one, out, t->one, MPJ_SUM, root, MPJ_COMM_WORLD));
    NEED(me != root || out[0] == sum(0, p, time));
    return 0;
  case ALLREDUCE:
    NEED(!MPJ_Allreduce(from, t->one, out, t->one, MPJ_SUM, MPJ_COMM_WORLD));
    NEED(out[0] == sum(0, p, time));
    return 0;
  case REDUCE_SCATTER:
    NEED(!MPJ_Scan(from, t->one, out, t->one, MPJ_SUM, MPJ_COMM_WORLD));
    NEED(out[0] == sum(0, me + 1, time));
    return 0;
  case SCAN:
    NEED(!MPJ_Exscan(from, t->one, out, t->one, MPJ_SUM, MPJ_COMM_WORLD));
    NEED(me == 0 || out[0] == sum(0, me, time));
    return 0;
  default:
    NEED(!MPJ_Reduce_scatter(in, t->each, out, t->one, MPJ_SUM, MPJ_COMM_WORLD));
    NEED(out[0] == sum(0, p, time) * (me + 1));
    return 0;
  }
}

/* Data that goes through slots, and on the board. */
static int longer_rank(void *arg)
{
  enum { INTS = 300 };
  static _Thread_local int in[INTS], sums[INTS], all[INTS * RANKS_MOST];
  unsigned seed = (unsigned)world()->rank;
  const int p = world()->size;
  struct types t;
  (void)arg;
  NEED(!make(&t, p, INTS));
  for (int time = 0; time < 2 * TIMES; time++) {
    const int root = time % p;
    for (int i = 0; i < INTS; i++)
      in[i] = value(world()->rank, time) + i;
    NEED(!MPJ_Allreduce(in, t.one, sums, t.one, MPJ_SUM, MPJ_COMM_WORLD));
    NEED(!MPJ_Gather(in, t.one, all, t.each, root, MPJ_COMM_WORLD));
    for (int i = 0; i < INTS; i++)
      NEED(sums[i] == sum(0, p, time) + p * i);
    for (int i = 0; i < INTS * p && world()->rank == root; i++)
      NEED(all[i] == value(i / INTS, time) + i % INTS);
    NEED(!MPJ_Bcast(in, t.one, root, MPJ_COMM_WORLD));
    for (int i = 0; i < INTS; i++)
      NEED(in[i] == value(root, time) + i);
    dawdle(&seed);
  }
  return drop(&t);
}

START_TEST(data_in_slots_comes_out_right)
{
  play(2, longer_rank, NULL);
  play(5, longer_rank, NULL);
}
END_TEST

/* Plans that there are for an operation. */
static int plans_of(const struct mpj_comm *comm, enum mpj_operation operation)
{
  int n = 0;
  for (unsigned i = 0; i < comm->schedules->ncached; i++) {
    const struct mpj_schedule *s = comm->schedules->cached[i];
    for (const struct mpj_plan *q = s->plans; q && s->operation == operation; q = q->next)
      n++;
  }
  return n;
}

static int repeating_rank(void *arg)
{
  unsigned seed = (unsigned)world()->rank;
  struct types t;
  (void)arg;
  NEED(!make(&t, world()->size, 1));
  for (enum operation k = BARRIER; k < OPERATIONS; k++)
    for (int time = 0; time < TIMES; time++) {
      const int line = call(k, time, time % 20 >= 14, &t);
      if (line) return 100000 * ((int)k + 1) + line;
      dawdle(&seed);
    }
  NEED(plans_of(world(), MPJ_OPERATION_ALLGATHER) == 1);
  return drop(&t);
}

START_TEST(what_is_repeated_comes_out_right)
{
  for (int p = 2; p <= RANKS_MOST; p += p < 4 ? 1 : 5)
    play(p, repeating_rank, NULL);
}
END_TEST

/* Types of one address, but of other data each third time. */
static int renewing_rank(void *arg)
{
  unsigned seed = 3;
  (void)arg;
  for (int time = 0; time < 3 * TIMES; time++) {
    const int n = 1 + time / 3 % 3, p = world()->size;
    int in[3 * RANKS_MOST], out[3 * RANKS_MOST];
    struct types t;
    NEED(!make(&t, p, n));
    for (int i = 0; i < n; i++)
      in[i] = value(world()->rank, time) + i;
    NEED(!MPJ_Allgather(in, t.one, out, t.each, MPJ_COMM_WORLD));
    for (int i = 0; i < n * p; i++)
      NEED(out[i] == value(i / n, time) + i % n);
    NEED(!drop(&t));
    dawdle(&seed);
  }
  return 0;
}

START_TEST(types_that_come_and_go_are_not_mistaken)
{
  play(2, renewing_rank, NULL);
  play(3, renewing_rank, NULL);
}
END_TEST

/* Types that are made for each call are one to a plan; others of their size are not. */
static int fresh_rank(void *arg)
{
  const int p = world()->size;
  int in[2] = {1, 2}, out[2 * RANKS_MOST];
  (void)arg;
  for (int time = 0; time < TIMES; time++) {
    struct types t;
    NEED(!make(&t, p, 2));
    NEED(!MPJ_Allgather(in, t.one, out, t.each, MPJ_COMM_WORLD));
    NEED(plans_of(world(), MPJ_OPERATION_ALLGATHER) == 1);
    NEED(!drop(&t));
  }
  return 0;
}

/* As many layouts as there are calls, and few plans; those in use stay: all operations of the
 * others are under way before the root begins its first. */
static int fickle_rank(void *arg)
{
  atomic_int *waiting = arg; /* ranks that have begun all */
  enum { REQUESTS = 2 * MPJ_PLANS_KEPT };
  const int me = world()->rank;
  int x[REQUESTS][4 * REQUESTS] = {{0}};
  MPJ_Datatype types[REQUESTS];
  MPJ_Request r[REQUESTS];
  for (int i = 0; i < REQUESTS; i++) {
    NEED(!MPJ_Type_vector(2, 1, i + 2, MPJ_INT, &types[i]) && !MPJ_Type_commit(&types[i]));
    for (int k = 0; k < 4 * REQUESTS; k++)
      x[i][k] = me == 0 ? 100 * i + k : -1;
  }
  while (me == 0 && atomic_load(waiting) < world()->size - 1)
    sched_yield();
  for (int i = 0; i < REQUESTS; i++)
    NEED(!MPJ_Ibcast(x[i], types[i], 0, MPJ_COMM_WORLD, &r[i]));
  atomic_fetch_add(waiting, 1);
  NEED(!MPJ_Waitall(REQUESTS, r));
  for (int i = 0; i < REQUESTS; i++)
    NEED(x[i][0] == 100 * i && x[i][i + 2] == 100 * i + i + 2 && (me == 0 || x[i][1] == -1));
  for (int i = 0; i < REQUESTS; i++) {
    NEED(!MPJ_Bcast(x[i], types[i], 0, MPJ_COMM_WORLD) && !MPJ_Type_free(&types[i]));
  }
  NEED(plans_of(world(), MPJ_OPERATION_BCAST) <= REQUESTS);
  for (int i = 0; i < REQUESTS; i++) { /* none is in use any more */
    NEED(!MPJ_Type_vector(2, 1, i + 2 + REQUESTS, MPJ_INT, &types[i]) &&
         !MPJ_Type_commit(&types[i]));
    NEED(!MPJ_Bcast(x[i], types[i], 0, MPJ_COMM_WORLD) && !MPJ_Type_free(&types[i]));
  }
  NEED(plans_of(world(), MPJ_OPERATION_BCAST) <= REQUESTS);
  return 0;
}

START_TEST(plans_are_few_and_those_in_use_stay)
{
  for (int p = 2; p <= 3; p++) {
    atomic_int waiting = 0;
    play(p, fickle_rank, &waiting);
  }
}
END_TEST

START_TEST(types_made_for_a_call_have_one_plan)
{
  play(2, fresh_rank, NULL);
  play(3, fresh_rank, NULL);
}
END_TEST

/* Of one size and one layout, in parts of other lengths; the last rank's own part is as long as it
 * was, so that nothing else tells it so. */
static int uneven_rank(void *arg)
{
  static const MPJ_Count lengths[2][3] = {{1, 3, 2}, {3, 1, 2}};
  const int me = world()->rank, p = world()->size;
  (void)arg;
  for (int time = 0; time < TIMES; time++) {
    const MPJ_Count *length = lengths[time / 5 % 2];
    const int mine = (int)length[me];
    int in[3] = {10 * me, 10 * me + 1, 10 * me + 2}, out[6];
    MPJ_Datatype one, all;
    NEED(!MPJ_Type_contiguous(mine, MPJ_INT, &one) && !MPJ_Type_commit(&one));
    NEED(!MPJ_Type_create_segment(p, length, MPJ_INT, &all) && !MPJ_Type_commit(&all));
    NEED(!MPJ_Allgather(in, one, out, all, MPJ_COMM_WORLD));
    for (int rank = 0, i = 0; rank < p; i += (int)length[rank++])
      for (int k = 0; k < length[rank]; k++)
        NEED(out[i + k] == 10 * rank + k);
    NEED(!MPJ_Type_free(&one) && !MPJ_Type_free(&all));
  }
  return 0;
}

START_TEST(types_of_other_parts_are_not_alike)
{
  play(2, uneven_rank, NULL);
  play(3, uneven_rank, NULL);
}
END_TEST

/* What comes by its mark says at once how far its rank has come; by looking that would be known at
 * the next call at the earliest. */
static int knowing_rank(void *arg)
{
  const struct mpj_comm *comm = world();
  int x = 0, known = 0;
  (void)arg;
  for (int time = 0; time < 8 * MPJ_WINDOW; time++) {
    const double until = MPJ_Wtime() + 5e-4; /* it is there before it is looked for */
    while (time % 2 != comm->rank && MPJ_Wtime() < until)
      ;
    NEED(!MPJ_Bcast(&x, MPJ_INT, time % 2, MPJ_COMM_WORLD));
    known +=
        time % 2 != comm->rank && mpj_comm_known_done(comm, 1 - comm->rank) + 1 == comm->started;
  }
  int all = 0; /* of ranks that share a core one is always late */
  NEED(!MPJ_Allreduce(&known, MPJ_INT, &all, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD));
  NEED(all > 0);
  return 0;
}

START_TEST(who_hears_of_a_peer_knows_how_far_it_is)
{
  play(2, knowing_rank, NULL);
}
END_TEST

static bool is_known(const struct mpj_arguments *a)
{
  struct mpj_prepared p = {.comm = world()};
  return mpj_known_by_arguments(a, &p) && p.status == MPJ_SUCCESS && p.call.schedule;
}

/* A call is known by its arguments once it was made, in whatever form; so is one without buffers.
 * As many of an operation are known as their list has room for. */
static int known_rank(void *arg)
{
  const struct mpj_arguments barrier = {
      .operation = MPJ_OPERATION_BARRIER, .root = -1, .op = MPJ_OP_NULL, .comm = MPJ_COMM_WORLD};
  const MPJ_Datatype types[MPJ_KNOWN_KEPT + 1] = {MPJ_INT, MPJ_FLOAT, MPJ_CHAR, MPJ_SHORT,
                                                  MPJ_DOUBLE};
  struct mpj_arguments bcast[MPJ_KNOWN_KEPT + 1];
  double x = 0;
  MPJ_Request r;
  (void)arg;
  for (int i = 0; i <= MPJ_KNOWN_KEPT; i++)
    bcast[i] = (struct mpj_arguments){.operation = MPJ_OPERATION_BCAST,
                                      .recvbuf = &x,
                                      .recvtype = types[i],
                                      .op = MPJ_OP_NULL,
                                      .comm = MPJ_COMM_WORLD};
  NEED(!is_known(&barrier) && !is_known(&bcast[0]));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD) && is_known(&barrier));
  NEED(!MPJ_Ibcast(&x, MPJ_INT, 0, MPJ_COMM_WORLD, &r) && !MPJ_Wait(&r) && is_known(&bcast[0]));
  for (int time = 0; time < 2; time++)
    for (int i = 0; i < MPJ_KNOWN_KEPT; i++)
      NEED(!MPJ_Bcast(&x, types[i], 0, MPJ_COMM_WORLD));
  for (int i = 0; i < MPJ_KNOWN_KEPT; i++)
    NEED(is_known(&bcast[i]));
  NEED(!MPJ_Bcast(&x, types[MPJ_KNOWN_KEPT], 0, MPJ_COMM_WORLD));
  NEED(is_known(&bcast[MPJ_KNOWN_KEPT]));
  struct mpj_arguments refused = barrier;
  refused.refused = MPJ_ERR_NO_MEM;
  NEED(!is_known(&refused));
  return MPJ_Barrier(MPJ_COMM_WORLD); /* nobody leaves before */
}

START_TEST(calls_made_before_are_known)
{
  play(2, known_rank, NULL);
  play(3, known_rank, NULL);
}
END_TEST

/* A handler that calls the library while its rank waits in an operation. */
static int ask_for_size(void *ctx, MPJ_Am_message message, const MPJ_Am_info *info,
                        MPJ_Am_target *target)
{
  int *asked = ctx, size = 0;
  (void)message;
  (void)info;
  (void)target;
  if (MPJ_Comm_size(MPJ_COMM_WORLD, &size) == MPJ_SUCCESS && size > 1) ++*asked;
  return MPJ_AM_DROP_PAYLOAD;
}

static int asking_rank(void *arg)
{
  enum { CALLS = 500 };
  const int me = world()->rank, p = world()->size;
  unsigned seed = (unsigned)me;
  int asked = 0, all = 0;
  (void)arg;
  NEED(!MPJ_Am_register(0, ask_for_size, NULL, &asked));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  for (int time = 0; time < CALLS; time++) {
    const int x = value(me, time);
    dawdle(&seed);
    NEED(!MPJ_Am_send((me + 1) % p, 0, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL));
    NEED(!MPJ_Allreduce(&x, MPJ_INT, &all, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD));
    NEED(all == sum(0, p, time));
  }
  NEED(!MPJ_Am_flush() && !MPJ_Barrier(MPJ_COMM_WORLD));
  NEED(asked == CALLS);
  return 0;
}

START_TEST(a_handler_may_call_while_its_rank_waits)
{
  play(2, asking_rank, NULL);
  play(3, asking_rank, NULL);
}
END_TEST

/* A root far ahead of the others waits for room in their windows. */
static int far_ahead_rank(void *arg)
{
  unsigned seed = 11;
  (void)arg;
  for (int time = 0; time < 5 * MPJ_WINDOW; time++) {
    int x = world()->rank == 0 ? time : -1;
    if (world()->rank != 0 && time % MPJ_WINDOW == 0) seed = 64 * 65536; /* late */
    if (world()->rank != 0) dawdle(&seed);
    NEED(!MPJ_Bcast(&x, MPJ_INT, 0, MPJ_COMM_WORLD));
    NEED(x == time);
  }
  return 0;
}

START_TEST(a_root_may_be_a_window_ahead)
{
  play(2, far_ahead_rank, NULL);
  play(3, far_ahead_rank, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/in_order", what_is_repeated_comes_out_right,
                   plans_are_few_and_those_in_use_stay, data_in_slots_comes_out_right,
                   types_that_come_and_go_are_not_mistaken, types_made_for_a_call_have_one_plan,
                   types_of_other_parts_are_not_alike, who_hears_of_a_peer_knows_how_far_it_is,
                   calls_made_before_are_known, a_root_may_be_a_window_ahead,
                   a_handler_may_call_while_its_rank_waits);
}
