/* This file tests messages that do not fit the operation that a rank is in: the
 * operation ends with MPJ_ERR_COMM on every rank, and the communicator with it;
 * what is no collective message at all is dropped. */
#include <sched.h>

#include "coll/control/signals.h"
#include "coll/engine_play.h"
#include "coll/plan/flow.h"
#include "coll/plan/schedule_steps.h"
#include "coll/plan/shared.h"
#include "coll/run/engine.h"
#include "net/endpoints.h"

enum { RANKS = 3, ROOT = 0, FROM_OTHERS = 10, TO_OTHERS = 20 };

/* Everybody sends to the root, which then sends to everybody: nobody ends before
 * all have begun. */
static void there_and_back(struct mpj_flow *f, int root)
{
  const struct mpj_comm *comm = f->comm;
  struct mpj_schedule_builder *b = f->b;
  const int me = comm->rank, p = comm->size;
  int got[RANKS];
  if (me != root) {
    mpj_schedule_send(b, root, FROM_OTHERS + (unsigned)me, whole_send, 0, NULL);
    mpj_schedule_recv(b, root, TO_OTHERS, whole_recv, 0, NULL);
    return;
  }
  for (int k = 1; k < p; k++) {
    const struct mpj_operand in = mpj_schedule_temporary(b, whole_recv);
    const int peer = (me + k) % p;
    got[k - 1] = mpj_schedule_recv(b, peer, FROM_OTHERS + (unsigned)peer, in, 0, NULL);
  }
  for (int k = 1; k < p; k++)
    mpj_schedule_send(b, (me + k) % p, TO_OTHERS, whole_recv, p - 1, got);
}

/* What rank 1 sends to rank 0 as well, or instead, and when rank 0 looks at it. */
struct forgery {
  struct mpj_arrival_message message; /* its operation, algorithm, bit, root, radix and segments */
  bool early;                         /* rank 0 has taken it in before its own call */
  bool instead;                       /* of what rank 1 should send, which it does not */
  _Atomic int left, sent, begun, ended;
};

static struct mpj_arrival_message proper(void)
{
  struct mpj_arrival_message m = {.comm = world()->id,
                                  .sequence = (uint32_t)world()->started,
                                  .kind = MPJ_ARRIVAL_INLINE,
                                  .operation = MPJ_OPERATION_GATHER,
                                  .algorithm = 99,
                                  .bit = FROM_OTHERS + 1,
                                  .root = ROOT,
                                  .bytes = sizeof(int)};
  const struct mpj_view view = mpj_type_view(type_of(MPJ_INT));
  const struct mpj_signature signature = mpj_view_signature(&view);
  m.digest = mpj_signature_digest(&signature);
  return m;
}

/* All ranks have left the first operation, which is in order: whoever breaks the
 * communicator from here on cannot end that one for a rank that is slow to leave. */
static void await_all(_Atomic int *left)
{
  atomic_fetch_add(left, 1);
  while (atomic_load(left) < RANKS)
    sched_yield();
}

static int forged_rank(void *arg)
{
  struct forgery *f = arg;
  struct mpj_comm *comm = world();
  int mine = comm->rank, out = -1;
  struct mpj_slot *slot;
  struct mpj_schedule *s = schedule_by(there_and_back, ROOT);
  NEED(s);
  const struct mpj_call call = {.sendbuf = &mine,
                                .recvbuf = &out,
                                .sendtype = type_of(MPJ_INT),
                                .recvtype = type_of(MPJ_INT)};
  NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
  await_all(&f->left);
  if (comm->rank == 1) {
    struct mpj_arrival_message m = proper();
    m.operation = f->message.operation;
    m.algorithm = f->message.algorithm;
    m.bit = f->message.bit;
    m.root = f->message.root;
    m.radix = f->message.radix;
    m.segments = f->message.segments;
    while (!f->early && !atomic_load(&f->begun))
      sched_yield();
    NEED(mpj_net_short(comm->net, 0, MPJ_AM_COLLECTIVE, &m, MPJ_ARRIVAL_HEADER + sizeof(int)) == 0);
    atomic_store(&f->sent, 1);
    while (f->instead && atomic_load(&f->ended) < RANKS - 1)
      sched_yield();
    if (f->instead) mpj_schedule_free(s);
    if (f->instead) return MPJ_Finalize() == MPJ_ERR_REQUEST; /* it may hear what it has done */
  }
  while (comm->rank == 0 && f->early && !atomic_load(&f->sent))
    sched_yield();
  if (comm->rank == 0 && f->early) NEED(mpj_net_poll(comm->net));
  NEED(mpj_engine_start(comm, s, &call, &slot) == MPJ_SUCCESS);
  if (comm->rank == 0) atomic_store(&f->begun, 1);
  const int status = mpj_engine_complete(comm, slot);
  atomic_fetch_add(&f->ended, 1);
  NEED(status == MPJ_ERR_COMM);
  NEED(comm->broken.code == MPJ_ERR_COMM && strlen(MPJ_Error_detail()) > 10);
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_COMM);
  mpj_schedule_free(s);
  return 0;
}

static void expect_forged(struct mpj_arrival_message message)
{
  for (int way = 0; way < 4; way++) {
    struct forgery f = {.message = message, .early = way % 2, .instead = way / 2};
    play(RANKS, forged_rank, &f);
  }
}

static void expect_stranger(unsigned operation, unsigned algorithm, unsigned bit, int root)
{
  expect_forged((struct mpj_arrival_message){.operation = operation & 0x1fu,
                                             .algorithm = (uint8_t)algorithm,
                                             .bit = bit & MPJ_ARRIVALS_MOST,
                                             .root = root});
}

START_TEST(message_of_another_operation_ends_this_one_on_all_ranks)
{
  expect_stranger(MPJ_OPERATION_SCATTER, 99, FROM_OTHERS + 1, ROOT);
  expect_stranger(0, 99, FROM_OTHERS + 1, ROOT);
  expect_stranger(31, 99, FROM_OTHERS + 1, ROOT);
}
END_TEST

START_TEST(message_of_another_algorithm_or_root_ends_the_operation_on_all_ranks)
{
  expect_stranger(MPJ_OPERATION_GATHER, 98, FROM_OTHERS + 1, ROOT);
  expect_stranger(MPJ_OPERATION_GATHER, 99, FROM_OTHERS + 1, ROOT + 1);
  expect_stranger(MPJ_OPERATION_GATHER, 99, FROM_OTHERS + 1, -1);
}
END_TEST

START_TEST(message_of_another_variant_ends_the_operation_on_all_ranks)
{
  struct mpj_arrival_message m = {
      .operation = MPJ_OPERATION_GATHER, .algorithm = 99, .bit = FROM_OTHERS + 1, .root = ROOT};
  m.radix = 2;
  expect_forged(m);
  m.radix = 0;
  m.segments = 2;
  expect_forged(m);
}
END_TEST

START_TEST(message_for_a_place_that_is_not_its_senders_ends_the_operation_on_all_ranks)
{
  expect_stranger(MPJ_OPERATION_GATHER, 99, 0, ROOT);   /* the own call's */
  expect_stranger(MPJ_OPERATION_GATHER, 99, 200, ROOT); /* nobody's */
  expect_stranger(MPJ_OPERATION_GATHER, 99, MPJ_ARRIVALS_MOST, ROOT);
  expect_stranger(MPJ_OPERATION_GATHER, 99, FROM_OTHERS + 2, ROOT); /* rank 2's */
}
END_TEST

/* Rank 1's message comes to rank 0 twice. Where the first of them is enough to
 * end the operation, the second ends the next one. */
struct doubled {
  bool ordered; /* both are there before rank 0 looks; else the one forged may come at any time */
  _Atomic int left, sent;
};

static int doubled_rank(void *arg)
{
  struct doubled *d = arg;
  struct mpj_comm *comm = world();
  int mine = comm->rank, out = -1, status;
  struct mpj_schedule *s = schedule_by(there_and_back, ROOT);
  NEED(s);
  const struct mpj_call call = {.sendbuf = &mine,
                                .recvbuf = &out,
                                .sendtype = type_of(MPJ_INT),
                                .recvtype = type_of(MPJ_INT)};
  NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
  await_all(&d->left);
  if (comm->rank == 1) {
    const struct mpj_arrival_message m = proper();
    for (int i = 0; i < (d->ordered ? 2 : 1); i++)
      NEED(!mpj_net_short(comm->net, 0, MPJ_AM_COLLECTIVE, &m, MPJ_ARRIVAL_HEADER + sizeof(int)));
    atomic_store(&d->sent, 1);
  }
  while (comm->rank == 0 && d->ordered && !atomic_load(&d->sent))
    sched_yield();
  if (comm->rank == 0 && d->ordered) NEED(mpj_net_poll(comm->net));
  status = run_schedule(comm, s, &call);
  if (!d->ordered && status == MPJ_SUCCESS) status = run_schedule(comm, s, &call);
  NEED(status == MPJ_ERR_COMM && comm->broken.code == MPJ_ERR_COMM);
  mpj_schedule_free(s);
  return 0;
}

/* Rank 1's message comes twice to rank 0, which is in the operation and waits for rank 2, too. */
static int doubled_meanwhile_rank(void *arg)
{
  _Atomic int *stage = arg;
  struct mpj_comm *comm = world();
  int mine = comm->rank, out = -1, status;
  struct mpj_schedule *s = schedule_by(there_and_back, ROOT);
  struct mpj_slot *slot = NULL;
  NEED(s);
  const struct mpj_call call = {.sendbuf = &mine,
                                .recvbuf = &out,
                                .sendtype = type_of(MPJ_INT),
                                .recvtype = type_of(MPJ_INT)};
  if (comm->rank == 0) {
    NEED(mpj_engine_start(comm, s, &call, &slot) == MPJ_SUCCESS);
    mpj_engine_advance(comm, slot);
    atomic_store(stage, 1);
    while (atomic_load(stage) < 2)
      sched_yield();
    while (mpj_net_poll(comm->net)) {
    }
    NEED(slot->abandoned);
    atomic_store(stage, 3);
    status = mpj_engine_complete(comm, slot);
  } else {
    if (comm->rank == 1) {
      const struct mpj_arrival_message m = proper();
      while (atomic_load(stage) < 1)
        sched_yield();
      for (int i = 0; i < 2; i++)
        NEED(!mpj_net_short(comm->net, 0, MPJ_AM_COLLECTIVE, &m, MPJ_ARRIVAL_HEADER + sizeof(int)));
      atomic_store(stage, 2);
    }
    while (atomic_load(stage) < 3) /* rank 2's message would be another that is not there */
      sched_yield();
    status = run_schedule(comm, s, &call);
  }
  NEED(status == MPJ_ERR_COMM);
  mpj_schedule_free(s);
  return 0;
}

START_TEST(message_that_comes_twice_to_a_rank_in_the_operation_ends_it_on_all_ranks)
{
  _Atomic int stage = 0;
  play(RANKS, doubled_meanwhile_rank, &stage);
}
END_TEST

START_TEST(message_that_comes_twice_ends_an_operation_on_all_ranks)
{
  for (int ordered = 0; ordered < 2; ordered++) {
    struct doubled d = {.ordered = ordered};
    play(RANKS, doubled_rank, &d);
  }
}
END_TEST

/* A signal where a message, or nothing, is awaited. */
struct signalled {
  unsigned bit;
  _Atomic int left;
};

static int signalled_rank(void *arg)
{
  struct signalled *g = arg;
  struct mpj_comm *comm = world();
  struct mpj_schedule_builder *b;
  struct mpj_schedule *s;
  const struct mpj_call call = {0};
  NEED(mpj_schedule_begin(MPJ_OPERATION_BARRIER, 99, -1, 0, &b) == MPJ_SUCCESS);
  for (int k = 1; k < comm->size; k++) {
    const int peer = (comm->rank + k) % comm->size;
    mpj_schedule_signal(b, peer, mpj_distance_bit(comm->rank, peer, comm->size), 0, NULL);
    mpj_schedule_await(b, peer, mpj_distance_bit(peer, comm->rank, comm->size), 0, NULL);
  }
  NEED(mpj_schedule_finish(b, &s) == MPJ_SUCCESS);
  NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
  await_all(&g->left);
  if (comm->rank == 1) { /* who may end its own operation before it hears of it */
    NEED(!mpj_control_signal(comm->windows, 0, comm->control, comm->started % MPJ_WINDOW, g->bit));
    NEED(!mpj_control_signal(comm->windows, 2, comm->control, comm->started % MPJ_WINDOW, g->bit));
  }
  const int status = run_schedule(comm, s, &call);
  if (comm->rank != 1) NEED(status == MPJ_ERR_COMM);
  NEED(status == MPJ_ERR_COMM || run_schedule(comm, s, &call) == MPJ_ERR_COMM);
  mpj_schedule_free(s);
  return 0;
}

START_TEST(signal_that_nobody_awaits_ends_the_operation_on_all_ranks)
{
  const unsigned bits[] = {3, 63};
  for (size_t i = 0; i < 2; i++) {
    struct signalled g = {.bit = bits[i]};
    play(RANKS, signalled_rank, &g);
  }
}
END_TEST

/* Messages that are dropped with a warning; the operation goes on. */
static int noisy_rank(void *arg)
{
  (void)arg;
  struct mpj_comm *comm = world();
  int mine = comm->rank, out = -1;
  struct mpj_schedule *s = schedule_by(there_and_back, ROOT);
  NEED(s);
  const struct mpj_call call = {.sendbuf = &mine,
                                .recvbuf = &out,
                                .sendtype = type_of(MPJ_INT),
                                .recvtype = type_of(MPJ_INT)};
  if (comm->rank == 1) {
    const unsigned whole = MPJ_ARRIVAL_HEADER + sizeof(int);
    struct mpj_arrival_message m[9];
    unsigned bytes[9];
    for (int i = 0; i < 9; i++) {
      m[i] = proper();
      bytes[i] = whole;
    }
    m[0].comm = 12345;
    m[1].comm = 2;                  /* nobody can send to a rank's own communicator */
    m[2].kind = MPJ_ARRIVAL_CIRCLE; /* without a difference */
    m[3].kind = MPJ_ARRIVAL_EAGER;  /* without a payload */
    m[4].kind = MPJ_ARRIVAL_ADVERT; /* without a handle */
    m[5].bytes = 5;
    m[6].sequence += MPJ_WINDOW;
    m[7].kind = MPJ_ARRIVAL_POISON;
    m[7].digest = UINT64_MAX;
    bytes[8] = MPJ_ARRIVAL_HEADER - 1;
    for (int i = 0; i < 9; i++)
      NEED(!mpj_net_short(comm->net, 0, MPJ_AM_COLLECTIVE, &m[i], bytes[i]));
    struct mpj_cursor payload; /* of another length than the message says */
    const struct mpj_view view = mpj_type_view(type_of(MPJ_INT));
    m[3].bytes = sizeof(int) + 1;
    NEED(!mpj_cursor_begin(&payload, &view, &mine));
    NEED(!mpj_net_eager(comm->net, 0, MPJ_AM_COLLECTIVE, &m[3], MPJ_ARRIVAL_HEADER, &payload,
                        sizeof mine, NULL, NULL));
    mpj_cursor_end(&payload);
  }
  for (int round = 0; round < 3; round++)
    NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS && (comm->rank == 0 || out == -1));
  mpj_schedule_free(s);
  return 0;
}

START_TEST(messages_that_make_no_sense_are_dropped_with_a_warning_each)
{
  struct warnings w;
  char text[4000];
  warnings_begin(&w);
  const int line = MPJ_Run_threads(RANKS, noisy_rank, NULL);
  warnings_end(&w, text, sizeof text);
  ck_assert_msg(line == 0, "line %d: %s", line, text);
  int warnings = 0;
  for (const char *at = text; (at = strstr(at, "dropped")); at++)
    warnings++;
  ck_assert_msg(warnings == 10, "%s", text);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/engine_strangers", message_of_another_operation_ends_this_one_on_all_ranks,
                   message_of_another_algorithm_or_root_ends_the_operation_on_all_ranks,
                   message_of_another_variant_ends_the_operation_on_all_ranks,
                   message_for_a_place_that_is_not_its_senders_ends_the_operation_on_all_ranks,
                   message_that_comes_twice_ends_an_operation_on_all_ranks,
                   message_that_comes_twice_to_a_rank_in_the_operation_ends_it_on_all_ranks,
                   signal_that_nobody_awaits_ends_the_operation_on_all_ranks,
                   messages_that_make_no_sense_are_dropped_with_a_warning_each);
}
