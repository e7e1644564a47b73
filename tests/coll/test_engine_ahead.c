/* This file tests ranks that are not abreast: early arrivals, the window that
 * bounds how far ahead one may be, and several operations under way. */
#include "base/config/config.h"
#include "coll/control/signals.h"
#include "coll/engine_play.h"
#include "coll/plan/flow.h"
#include "coll/plan/plan.h"
#include "coll/plan/plans.h"
#include "coll/plan/schedule_steps.h"
#include "coll/plan/shared.h"
#include "coll/run/engine.h"

enum { BEYOND = 5 }; /* operations after the window is full */

/* Shared by the ranks of one test. */
struct lead {
  MPJ_Count ints;      /* of each message */
  _Atomic int release; /* the others may begin */
};

/* Rank 0 sends to all others, and nothing comes back. */
static void from_first(struct mpj_flow *f, int root)
{
  const struct mpj_comm *comm = f->comm;
  struct mpj_schedule_builder *b = f->b;
  (void)root;
  if (comm->rank > 0) mpj_schedule_recv(b, 0, 5, whole_recv, 0, NULL);
  for (int peer = 1; comm->rank == 0 && peer < comm->size; peer++)
    mpj_schedule_send(b, peer, 5, whole_recv, 0, NULL);
}

static void fill(int *data, MPJ_Count n, int operation)
{
  for (MPJ_Count i = 0; i < n; i++)
    data[i] = operation * 1000 + (int)i;
}

/* Rank 0: a whole window of operations goes without the others; the next does
 * not, however often it is tried. */
static int run_ahead(struct mpj_comm *comm, struct mpj_schedule *s, struct mpj_call *call,
                     struct lead *lead)
{
  struct mpj_slot *slot;
  for (int operation = 0; operation < MPJ_WINDOW; operation++) {
    fill(call->recvbuf, lead->ints, operation);
    NEED(run_schedule(comm, s, call) == MPJ_SUCCESS);
  }
  fill(call->recvbuf, lead->ints, MPJ_WINDOW);
  NEED(mpj_engine_start(comm, s, call, &slot) == MPJ_SUCCESS);
  for (int i = 0; i < 1000; i++) {
    mpj_net_poll(comm->net);
    NEED(!mpj_engine_advance(comm, slot) && !mpj_engine_is_finished(slot));
  }
  NEED(mpj_control_done(comm->windows, 1, comm->control) == 0);
  atomic_store(&lead->release, 1);
  NEED(mpj_engine_complete(comm, slot) == MPJ_SUCCESS);
  for (int operation = MPJ_WINDOW + 1; operation < MPJ_WINDOW + BEYOND; operation++) {
    fill(call->recvbuf, lead->ints, operation);
    NEED(run_schedule(comm, s, call) == MPJ_SUCCESS);
  }
  return 0;
}

static int follow(struct mpj_comm *comm, struct mpj_schedule *s, struct mpj_call *call,
                  struct lead *lead)
{
  int expected[1000];
  unsigned idle = 0;
  while (!atomic_load(&lead->release)) /* odd ranks take in what comes, even ones do not look */
    if (comm->rank % 2 == 0 || !mpj_net_poll(comm->net)) mpj_net_idle(comm->net, &idle);
  for (int operation = 0; operation < MPJ_WINDOW + BEYOND; operation++) {
    memset(call->recvbuf, 0, (size_t)lead->ints * sizeof(int));
    NEED(run_schedule(comm, s, call) == MPJ_SUCCESS);
    fill(expected, lead->ints, operation);
    NEED(memcmp(call->recvbuf, expected, (size_t)lead->ints * sizeof(int)) == 0);
  }
  return 0;
}

static int ahead_rank(void *arg)
{
  struct lead *lead = arg;
  int data[1000];
  MPJ_Datatype type;
  NEED(!MPJ_Type_contiguous(lead->ints, MPJ_INT, &type));
  struct mpj_schedule *s = schedule_by(from_first, -1);
  NEED(s);
  struct mpj_call call = {.recvbuf = data, .recvtype = type_of(type)};
  const int line =
      world()->rank == 0 ? run_ahead(world(), s, &call, lead) : follow(world(), s, &call, lead);
  NEED(world()->completed == MPJ_WINDOW + BEYOND);
  mpj_schedule_free(s);
  return line ? line : MPJ_Type_free(&type);
}

START_TEST(rank_runs_a_whole_window_ahead_and_no_further)
{
  struct lead lead = {.ints = 3};
  play(2, ahead_rank, &lead);
  lead.release = 0;
  play(4, ahead_rank, &lead);
}
END_TEST

/* Messages that are kept for operations that this rank has not called yet. */
static int kept_early(const struct mpj_comm *comm)
{
  int n = 0;
  for (uint64_t i = 0; i < MPJ_WINDOW; i++)
    n += mpj_comm_slot(comm, comm->completed + i)->early != NULL;
  return n;
}

/* Rank 1 begins its 32nd operation, in which it looks at all that has come, when the messages of a
 * whole window are there. */
static int glancing_rank(void *arg)
{
  enum { BEFORE = 31 };
  struct lead *lead = arg;
  struct mpj_comm *comm = world();
  int data[8] = {0}, expected[8];
  unsigned idle = 0;
  MPJ_Datatype type;
  NEED(!MPJ_Type_contiguous(lead->ints, MPJ_INT, &type));
  struct mpj_schedule *s = schedule_by(from_first, -1);
  NEED(s);
  const struct mpj_call call = {.recvbuf = data, .recvtype = type_of(type)};
  for (int operation = 0; operation < BEFORE + MPJ_WINDOW; operation++) {
    while (comm->rank == 1 && operation == BEFORE && !atomic_load(&lead->release))
      mpj_net_doze(comm->net, &idle, 10);
    if (comm->rank == 0) fill(data, lead->ints, operation);
    NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
    fill(expected, lead->ints, operation);
    NEED(memcmp(data, expected, (size_t)lead->ints * sizeof(int)) == 0);
    if (comm->rank == 1 && operation == BEFORE) NEED(kept_early(comm) <= 1);
  }
  atomic_store(&lead->release, 1);
  mpj_schedule_free(s);
  return MPJ_Type_free(&type);
}

START_TEST(who_waits_for_nothing_leaves_what_is_ahead_where_it_is)
{
  struct lead lead = {.ints = 3};
  play(2, glancing_rank, &lead);
}
END_TEST

/* As many eager messages as there are tokens go before the receiver looks; the
 * next is advertised, and its sender waits. */
static int token_rank(void *arg)
{
  struct lead *lead = arg;
  struct mpj_comm *comm = world();
  int data[1000], expected[1000];
  MPJ_Datatype type;
  unsigned idle = 0;
  NEED(!MPJ_Type_contiguous(lead->ints, MPJ_INT, &type));
  struct mpj_schedule *s = schedule_by(from_first, -1);
  NEED(s);
  const struct mpj_call call = {.recvbuf = data, .recvtype = type_of(type)};
  const int tokens = (int)mpj_config()->eager_tokens;
  while (comm->rank == 1 && !atomic_load(&lead->release))
    mpj_net_idle(comm->net, &idle);
  for (int operation = 0; operation <= tokens && operation < MPJ_WINDOW; operation++) {
    struct mpj_slot *slot;
    if (comm->rank == 0) fill(data, lead->ints, operation);
    NEED(mpj_engine_start(comm, s, &call, &slot) == MPJ_SUCCESS);
    mpj_engine_advance(comm, slot);
    if (comm->rank == 0) NEED(mpj_engine_is_finished(slot) == (operation < tokens));
    if (operation == tokens || operation == MPJ_WINDOW - 1) atomic_store(&lead->release, 1);
    NEED(mpj_engine_complete(comm, slot) == MPJ_SUCCESS);
    fill(expected, lead->ints, operation);
    NEED(memcmp(data, expected, (size_t)lead->ints * sizeof(int)) == 0);
  }
  mpj_schedule_free(s);
  return MPJ_Type_free(&type);
}

START_TEST(sender_without_tokens_advertises)
{
  struct lead lead = {.ints = 1000};
  play(2, token_rank, &lead);
}
END_TEST

/* Everybody sends to everybody. */
static void exchange(struct mpj_flow *f, int root)
{
  const struct mpj_comm *comm = f->comm;
  struct mpj_schedule_builder *b = f->b;
  (void)root;
  const int me = comm->rank, p = comm->size;
  for (int k = 1; k < p; k++) {
    const int peer = (me + k) % p;
    mpj_schedule_send(b, peer, mpj_distance_bit(me, peer, p), whole_send, 0, NULL);
    mpj_schedule_recv(b, peer, mpj_distance_bit(peer, me, p),
                      mpj_operand_part(MPJ_BUFFER_RECV, peer), 0, NULL);
  }
}

enum { UNDER_WAY = 4, MOST_RANKS = 4 };

/* Operations started in order and completed in another: `completed` follows the
 * oldest. */
static int together_rank(void *arg)
{
  (void)arg;
  struct mpj_comm *comm = world();
  int mine[UNDER_WAY][2], all[UNDER_WAY][2 * MOST_RANKS] = {{0}};
  MPJ_Datatype one, many;
  struct mpj_slot *slot[UNDER_WAY];
  NEED(!MPJ_Type_contiguous(2, MPJ_INT, &one) && !MPJ_Type_contiguous(comm->size, one, &many));
  struct mpj_schedule *s = schedule_by(exchange, -1);
  NEED(s);
  for (int round = 0; round < 50; round++) {
    const uint64_t before = comm->completed;
    struct mpj_call call[UNDER_WAY];
    for (int i = 0; i < UNDER_WAY; i++) {
      call[i] = (struct mpj_call){.sendbuf = mine[i],
                                  .recvbuf = all[i],
                                  .sendtype = type_of(one),
                                  .recvtype = type_of(many)};
      mine[i][0] = round * 100 + i * 10 + comm->rank;
      mine[i][1] = -mine[i][0];
      NEED(mpj_engine_start(comm, s, &call[i], &slot[i]) == MPJ_SUCCESS);
      mpj_engine_advance(comm, slot[i]);
    }
    NEED(s->plans->users == UNDER_WAY && comm->completed == before);
    static const int order[UNDER_WAY] = {2, 1, 0, 3};
    for (int k = 0; k < UNDER_WAY; k++) {
      NEED(mpj_engine_complete(comm, slot[order[k]]) == MPJ_SUCCESS);
      NEED(comm->completed == before + (k < 2 ? 0 : (uint64_t)k + 1));
    }
    for (int i = 0; i < UNDER_WAY; i++)
      for (int peer = 0; peer < comm->size; peer++)
        NEED(peer == comm->rank || all[i][2 * peer] == round * 100 + i * 10 + peer);
  }
  NEED(!mpj_plans_in_use(s->plans));
  mpj_schedule_free(s);
  return MPJ_Type_free(&one) || MPJ_Type_free(&many);
}

START_TEST(operations_under_way_together_end_in_any_order)
{
  for (int p = 2; p <= MOST_RANKS; p++)
    play(p, together_rank, NULL);
}
END_TEST

/* Random delays, so that each rank is ahead of each other at times. */
static int uneven_rank(void *arg)
{
  const MPJ_Count ints = *(const MPJ_Count *)arg;
  struct mpj_comm *comm = world();
  const int p = comm->size;
  int *mine = mpj_alloc_array((size_t)ints, sizeof *mine),
      *all = mpj_alloc_array((size_t)(ints * p), sizeof *all);
  MPJ_Datatype one, many;
  NEED(mine && all && !MPJ_Type_contiguous(ints, MPJ_INT, &one));
  NEED(!MPJ_Type_contiguous(p, one, &many));
  struct mpj_schedule *sparse = schedule_by(from_first, -1), *full = schedule_by(exchange, -2);
  NEED(sparse && full);
  unsigned random = 17 + (unsigned)comm->rank * 7919;
  for (int round = 0; round < 300; round++) {
    random = random * 1103515245 + 12345;
    for (unsigned k = (random >> 20) % 64; k > 32; k--)
      mpj_net_poll(comm->net);
    struct mpj_call call = {.sendbuf = mine,
                            .recvbuf = comm->rank == 0 ? mine : all,
                            .sendtype = type_of(one),
                            .recvtype = type_of(one)};
    mine[0] = mine[ints - 1] = round * 8 + comm->rank;
    if (round % 9) {
      NEED(run_schedule(comm, sparse, &call) == MPJ_SUCCESS);
      NEED(comm->rank == 0 || (all[0] == round * 8 && all[ints - 1] == round * 8));
      continue;
    }
    call.recvbuf = all;
    call.recvtype = type_of(many);
    NEED(run_schedule(comm, full, &call) == MPJ_SUCCESS);
    for (int peer = 0; peer < p; peer++)
      NEED(peer == comm->rank || all[ints * peer] == round * 8 + peer);
  }
  mpj_schedule_free(sparse);
  mpj_schedule_free(full);
  mpj_free(mine);
  mpj_free(all);
  return MPJ_Type_free(&one) || MPJ_Type_free(&many);
}

START_TEST(ranks_that_are_never_abreast_get_the_right_data)
{
  MPJ_Count ints[] = {1, 500, 5000};
  for (size_t i = 0; i < 3; i++)
    play(3, uneven_rank, &ints[i]);
}
END_TEST

/* All ranks refuse many calls in a row, none of which waits for anybody; a rank is a whole window
 * ahead then, and has still to tell those behind it. */
static int refusing_rank(void *arg)
{
  enum { CALLS = 200 };
  const int size = world()->size;
  int send[8] = {0}, recv[8];
  MPJ_Datatype longer;
  (void)arg;
  NEED(!MPJ_Type_contiguous(size + 1, MPJ_INT, &longer) && !MPJ_Type_commit(&longer));
  for (int i = 0; i < CALLS; i++)
    NEED(MPJ_Alltoall(send, longer, recv, longer, MPJ_COMM_WORLD) == MPJ_ERR_PARTS);
  NEED(!MPJ_Type_free(&longer));
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

START_TEST(more_calls_than_a_window_has_may_be_refused_in_a_row)
{
  for (int p = 2; p <= 5; p++)
    play(p, refusing_rank, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/engine_ahead", rank_runs_a_whole_window_ahead_and_no_further,
                   who_waits_for_nothing_leaves_what_is_ahead_where_it_is,
                   sender_without_tokens_advertises, operations_under_way_together_end_in_any_order,
                   ranks_that_are_never_abreast_get_the_right_data,
                   more_calls_than_a_window_has_may_be_refused_in_a_row);
}
