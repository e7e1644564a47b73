/* This file tests operations that fail on one rank, for lack of memory or by
 * decision: all ranks hear of it, nobody hangs, and the next operation works. */
#include <sched.h>

#include "base/status.h"
#include "coll/engine_play.h"
#include "coll/failure/failure.h"
#include "coll/plan/flow.h"
#include "coll/plan/plan.h"
#include "coll/plan/plans.h"
#include "coll/plan/schedule_steps.h"
#include "coll/plan/shared.h"
#include "coll/run/engine.h"

enum { INTS_LONG = 20000, INTS_EAGER = 500 };

/* Rank 1 sends to rank 0 through temporaries on both sides, then the other way. */
static void to_and_fro(struct mpj_flow *f, int root)
{
  const struct mpj_comm *comm = f->comm;
  struct mpj_schedule_builder *b = f->b;
  (void)root;
  const int peer = 1 - comm->rank;
  const struct mpj_operand out = mpj_schedule_temporary(b, whole_send);
  const struct mpj_operand in = mpj_schedule_temporary(b, whole_recv);
  if (comm->rank > 1) return;
  int last = mpj_schedule_copy(b, whole_send, out, 0, NULL);
  if (comm->rank == 1) last = mpj_schedule_send(b, peer, 1, out, 1, &last);
  last = mpj_schedule_recv(b, peer, 1, in, 1, &last);
  last = mpj_schedule_copy(b, in, whole_recv, 1, &last);
  if (comm->rank == 0) mpj_schedule_send(b, peer, 1, in, 1, &last);
}

/* What fails: after `successes` further allocations of this rank in an operation. */
struct famine {
  int rank;
  MPJ_Count ints;
  long successes;
  _Atomic int status[2]; /* of the operation in which memory was short */
  _Atomic int met[2];
};

static int hungry_rank(void *arg)
{
  struct famine *f = arg;
  struct mpj_comm *comm = world();
  const int me = comm->rank;
  int *from = mpj_alloc_array((size_t)f->ints, sizeof *from),
      *to = mpj_alloc_array((size_t)f->ints, sizeof *to);
  MPJ_Datatype type;
  struct mpj_slot *slot;
  NEED(from && to && !MPJ_Type_contiguous(f->ints, MPJ_INT, &type));
  struct mpj_schedule *s = schedule_by(to_and_fro, -1);
  NEED(s);
  const struct mpj_call call = {
      .sendbuf = from, .recvbuf = to, .sendtype = type_of(type), .recvtype = type_of(type)};
  from[f->ints - 1] = 10 + me;
  NEED(mpj_engine_start(comm, s, &call, &slot) == MPJ_SUCCESS);
  if (me == f->rank) mpj_memory_fail_after(f->successes);
  atomic_store(&f->status[me], mpj_engine_complete(comm, slot));
  mpj_memory_fail_after(-1);
  NEED(comm->broken.code == 0);
  rendezvous(comm, &f->met[0]);
  NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
  NEED(to[f->ints - 1] == 11); /* rank 1's, there and back */
  mpj_schedule_free(s);
  mpj_free(from);
  mpj_free(to);
  return MPJ_Type_free(&type);
}

/* Let each allocation of one rank in the operation fail in turn; returns how
 * many there are. */
static long starve(int rank, MPJ_Count ints)
{
  for (long successes = 0;; successes++) {
    struct famine f = {.rank = rank, .ints = ints, .successes = successes};
    play(2, hungry_rank, &f);
    if (f.status[rank] == MPJ_SUCCESS) {
      ck_assert_int_eq(f.status[1 - rank], MPJ_SUCCESS);
      return successes;
    }
    ck_assert_int_eq(f.status[rank], MPJ_ERR_NO_MEM);
    ck_assert(f.status[1 - rank] == MPJ_ERR_NO_MEM || f.status[1 - rank] == MPJ_SUCCESS);
    ck_assert_int_lt((int)successes, 100);
  }
}

START_TEST(rank_without_memory_in_an_operation_leaves_nobody_waiting)
{
  for (int rank = 0; rank < 2; rank++) {
    ck_assert_int_ge((int)starve(rank, 2), 2); /* inline: the temporaries */
    ck_assert_int_ge((int)starve(rank, INTS_EAGER), 2);
    ck_assert_int_ge((int)starve(rank, INTS_LONG), 3); /* and the transfers */
  }
}
END_TEST

/* The peer is told at once, not by the source's end. */
START_TEST(lack_of_memory_at_the_sender_is_told_to_the_receiver)
{
  struct famine f = {.rank = 1, .ints = INTS_LONG, .successes = 0};
  play(2, hungry_rank, &f);
  ck_assert_int_eq(f.status[0], MPJ_ERR_NO_MEM);
  ck_assert_int_eq(f.status[1], MPJ_ERR_NO_MEM);
}
END_TEST

/* The same with more steps than a slot has room for. */
static void to_and_fro_slowly(struct mpj_flow *f, int root)
{
  struct mpj_schedule_builder *b = f->b;
  const struct mpj_operand aside = mpj_schedule_temporary(b, whole_send);
  for (int i = 0; i < MPJ_SLOT_SMALL; i++)
    mpj_schedule_copy(b, whole_send, aside, 0, NULL);
  to_and_fro(f, root);
}

/* Rank 0 has no memory to start an operation: nothing has begun. */
static int starting_rank(void *arg)
{
  (void)arg;
  struct mpj_comm *comm = world();
  struct mpj_slot *slot = NULL;
  int from = 1, to;
  struct mpj_schedule *s = schedule_by(to_and_fro_slowly, -1);
  NEED(s);
  const struct mpj_call call = {
      .sendbuf = &from, .recvbuf = &to, .sendtype = type_of(MPJ_INT), .recvtype = type_of(MPJ_INT)};
  int status = MPJ_ERR_NO_MEM;
  for (long successes = comm->rank == 0 ? 0 : -1; status == MPJ_ERR_NO_MEM; successes++) {
    NEED(!slot && comm->started == 0 && !mpj_plans_in_use(s->plans) && successes < 20);
    mpj_memory_fail_after(successes);
    status = mpj_engine_start(comm, s, &call, &slot);
    mpj_memory_fail_after(-1);
    NEED(comm->rank == 1 || successes >= 1 || status == MPJ_ERR_NO_MEM);
  }
  NEED(mpj_engine_complete(comm, slot) == MPJ_SUCCESS && to == 1);
  mpj_schedule_free(s);
  return 0;
}

START_TEST(operation_without_memory_to_start_has_not_begun)
{
  play(2, starting_rank, NULL);
}
END_TEST

/* Rank 0 waits for a word of each other rank. */
static void from_others(struct mpj_flow *f, int root)
{
  const struct mpj_comm *comm = f->comm;
  struct mpj_schedule_builder *b = f->b;
  (void)root;
  if (comm->rank > 0) {
    mpj_schedule_send(b, 0, (unsigned)comm->rank, whole_send, 0, NULL);
    mpj_schedule_recv(b, 0, 100, whole_recv, 0, NULL);
    return;
  }
  int got[8];
  for (int peer = 1; peer < comm->size; peer++) {
    const struct mpj_operand in = mpj_schedule_temporary(b, whole_recv);
    got[peer - 1] = mpj_schedule_recv(b, peer, (unsigned)peer, in, 0, NULL);
  }
  for (int peer = 1; peer < comm->size; peer++)
    mpj_schedule_send(b, peer, 100, whole_send, comm->size - 1, got);
}

struct poisoning {
  MPJ_Count ints;
  _Atomic int sent; /* ranks that have sent early */
  _Atomic int met;
};

/* Rank 0 has no memory to keep what comes early, and no room in the future. */
static int forgetful_rank(void *arg)
{
  struct poisoning *p = arg;
  struct mpj_comm *comm = world();
  int *data = mpj_alloc_array((size_t)p->ints, sizeof *data);
  MPJ_Datatype type;
  struct mpj_slot *slot;
  NEED(data && !MPJ_Type_contiguous(p->ints, MPJ_INT, &type));
  struct mpj_schedule *s = schedule_by(from_others, 0);
  NEED(s);
  const struct mpj_call call = {
      .sendbuf = data, .recvbuf = data, .sendtype = type_of(type), .recvtype = type_of(type)};
  if (comm->rank == 0) {
    while (atomic_load(&p->sent) < comm->size - 1)
      sched_yield();
    mpj_memory_fail_after(0);
    NEED(mpj_net_poll(comm->net));
    mpj_memory_fail_after(-1);
  }
  NEED(mpj_engine_start(comm, s, &call, &slot) == MPJ_SUCCESS);
  mpj_engine_advance(comm, slot);
  atomic_fetch_add(&p->sent, comm->rank > 0);
  NEED(mpj_engine_complete(comm, slot) == MPJ_ERR_NO_MEM);
  rendezvous(comm, &p->met);
  NEED(comm->broken.code == 0);
  NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
  mpj_schedule_free(s);
  mpj_free(data);
  return MPJ_Type_free(&type);
}

START_TEST(early_arrival_that_cannot_be_kept_ends_the_operation_on_all_ranks)
{
  const MPJ_Count ints[] = {2, INTS_EAGER, INTS_LONG};
  for (size_t i = 0; i < 3; i++) {
    struct poisoning p = {.ints = ints[i]};
    play(3, forgetful_rank, &p);
  }
}
END_TEST

/* Rank 2 gives up, before or after the others have begun to wait for it. */
static int giving_up_rank(void *arg)
{
  struct poisoning *p = arg;
  struct mpj_comm *comm = world();
  int data[INTS_EAGER] = {0};
  MPJ_Datatype type;
  struct mpj_slot *slot;
  NEED(!MPJ_Type_contiguous(INTS_EAGER, MPJ_INT, &type));
  struct mpj_schedule *s = schedule_by(from_others, 0);
  NEED(s);
  const struct mpj_call call = {
      .sendbuf = data, .recvbuf = data, .sendtype = type_of(type), .recvtype = type_of(type)};
  if (comm->rank != 2 && p->ints) /* the poison is here before the call */
    while (!mpj_net_poll(comm->net))
      sched_yield();
  NEED(mpj_engine_start(comm, s, &call, &slot) == MPJ_SUCCESS);
  if (comm->rank == 2) {
    mpj_error(MPJ_ERR_OP, "op cannot be applied");
    mpj_operation_abandon(comm, slot, &(struct mpj_cause){.code = MPJ_ERR_OP, .culprit = 2}, false);
  }
  NEED(mpj_engine_complete(comm, slot) == MPJ_ERR_OP);
  NEED(strstr(MPJ_Error_detail(), comm->rank == 2 ? "op cannot be applied" : "rank 2"));
  rendezvous(comm, &p->met);
  NEED(comm->broken.code == 0);
  NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
  mpj_schedule_free(s);
  return MPJ_Type_free(&type);
}

START_TEST(rank_that_gives_up_ends_the_operation_on_all_ranks_and_the_next_works)
{
  for (int early = 0; early < 2; early++) {
    struct poisoning p = {.ints = early};
    play(4, giving_up_rank, &p);
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/engine_memory", rank_without_memory_in_an_operation_leaves_nobody_waiting,
                   lack_of_memory_at_the_sender_is_told_to_the_receiver,
                   operation_without_memory_to_start_has_not_begun,
                   early_arrival_that_cannot_be_kept_ends_the_operation_on_all_ranks,
                   rank_that_gives_up_ends_the_operation_on_all_ranks_and_the_next_works);
}
