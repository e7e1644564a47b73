/* This file tests what ranks post for all: who comes late finds it, room for it comes
 * back and is waited for, and what cannot be posted is sent. */
#include "base/config/config.h"
#include "coll/control/own_windows.h"
#include "coll/engine_play.h"
#include "coll/plan/schedule_steps.h"
#include "coll/plan/shared.h"
#include "coll/run/engine.h"
#include "coll/select/algorithms.h"

enum { RANKS = 3, INTS_MAX = 20000 };

struct posting {
  MPJ_Count ints;      /* of each operation */
  int posts;           /* how many of the first operations find room while nobody reads */
  bool listed;         /* the root's next operation is, and does not wait for room */
  _Atomic int release; /* the others may begin */
  _Atomic int met;
};

static void fill(int *data, MPJ_Count n, int operation)
{
  for (MPJ_Count i = 0; i < n; i++)
    data[i] = operation * 100000 + (int)i;
}

static bool was_posted(const struct mpj_comm *comm, int operation)
{
  const struct mpj_post *post =
      mpj_control_post_at(comm->windows, comm->control, (unsigned)operation % MPJ_WINDOW);
  return atomic_load(&post->turn) == (uint64_t)operation + 1;
}

static void wait_until_read(struct mpj_comm *comm, int operations)
{
  unsigned idle = 0;
  for (int rank = 0; rank < RANKS; rank++)
    while (rank != comm->rank && mpj_comm_done_at(comm, rank) < (uint64_t)operations)
      mpj_net_idle(comm->net, &idle);
}

/* The root posts as often as there is room, while nobody looks, and once there is room again. */
static int post_alone(struct mpj_comm *comm, struct mpj_schedule *s, struct mpj_call *call,
                      struct posting *p)
{
  struct mpj_slot *slot;
  int operation = 0;
  for (; operation < p->posts; operation++) {
    fill(call->recvbuf, p->ints, operation);
    NEED(run_schedule(comm, s, call) == MPJ_SUCCESS);
    NEED(was_posted(comm, operation));
  }
  fill(call->recvbuf, p->ints, operation);
  NEED(mpj_engine_start(comm, s, call, &slot) == MPJ_SUCCESS);
  if (p->listed) mpj_slot_list(comm, slot, false);
  mpj_engine_advance(comm, slot);
  NEED(!slot->posted && !mpj_engine_is_finished(slot));
  atomic_store(&p->release, 1);
  wait_until_read(comm, operation);
  mpj_engine_advance(comm, slot);
  NEED(slot->posted == !p->listed);
  return mpj_engine_complete(comm, slot) == MPJ_SUCCESS ? 0 : __LINE__;
}

static int take_late(struct mpj_comm *comm, struct mpj_schedule *s, struct mpj_call *call,
                     struct posting *p)
{
  static _Thread_local int expected[INTS_MAX];
  unsigned idle = 0;
  while (!atomic_load(&p->release))
    mpj_net_idle(comm->net, &idle);
  for (int operation = 0; operation <= p->posts; operation++) {
    NEED(run_schedule(comm, s, call) == MPJ_SUCCESS);
    fill(expected, p->ints, operation);
    NEED(memcmp(call->recvbuf, expected, (size_t)p->ints * sizeof(int)) == 0);
  }
  return 0;
}

static int posting_rank(void *arg)
{
  static _Thread_local int data[INTS_MAX];
  struct posting *p = arg;
  struct mpj_comm *comm = world();
  MPJ_Datatype type;
  NEED(!MPJ_Type_contiguous(p->ints, MPJ_INT, &type));
  struct mpj_schedule *s = schedule_by(mpj_bcast_release, 0);
  NEED(s);
  struct mpj_call call = {.recvbuf = data, .recvtype = type_of(type)};
  const int line = comm->rank == 0 ? post_alone(comm, s, &call, p) : take_late(comm, s, &call, p);
  NEED(line == 0);
  rendezvous(comm, &p->met); /* all have ended what was posted */
  const int next = p->posts + 1;
  NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
  if (comm->rank == 0) NEED(was_posted(comm, next));
  mpj_schedule_free(s);
  return MPJ_Type_free(&type);
}

/* As long as the window lasts, in the message or on the board. */
START_TEST(a_window_of_posts_waits_for_who_comes_late)
{
  play(RANKS, posting_rank, &(struct posting){.ints = 6, .posts = MPJ_WINDOW});
  play(RANKS, posting_rank, &(struct posting){.ints = 1000, .posts = MPJ_WINDOW});
}
END_TEST

START_TEST(what_the_board_has_no_room_for_waits_or_is_sent)
{
  const long board = mpj_config()->eager_tokens * mpj_config()->eager_bytes;
  const MPJ_Count ints = board / 3 / (MPJ_Count)sizeof(int) / 16 * 16;
  play(RANKS, posting_rank, &(struct posting){.ints = ints, .posts = 3});
  play(RANKS, posting_rank, &(struct posting){.ints = ints, .posts = 3, .listed = true});
}
END_TEST

/* In an Allgather nobody is two operations ahead of anybody. */
static int posting_often(void *arg)
{
  enum { INTS = 1000, OFTEN = 100 };
  static _Thread_local int mine[INTS], all[RANKS * INTS];
  struct mpj_comm *comm = world();
  MPJ_Datatype type, parts;
  (void)arg;
  NEED(!MPJ_Type_contiguous(INTS, MPJ_INT, &type) && !MPJ_Type_contiguous(RANKS, type, &parts));
  struct mpj_schedule *s = schedule_by(mpj_allgather_release, -1);
  NEED(s);
  const struct mpj_call call = {
      .sendbuf = mine, .sendtype = type_of(type), .recvbuf = all, .recvtype = type_of(parts)};
  for (int operation = 0; operation < OFTEN; operation++) {
    fill(mine, INTS, operation + comm->rank);
    NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
    for (int rank = 0; rank < RANKS; rank++) {
      fill(mine, INTS, operation + rank);
      NEED(memcmp(all + rank * INTS, mine, sizeof mine) == 0);
    }
  }
  NEED(comm->context->published.touched > 0 && comm->context->published.touched <= 4 * sizeof mine);
  mpj_schedule_free(s);
  NEED(!MPJ_Type_free(&parts));
  return MPJ_Type_free(&type);
}

START_TEST(posts_that_have_been_read_leave_their_places_to_the_next)
{
  play(RANKS, posting_often, NULL);
}
END_TEST

/* Rank 0 is in an operation with a root, the others are in one without. */
static int crossed_rank(void *arg)
{
  struct mpj_comm *comm = world();
  const int rank = comm->rank;
  int mine = rank, all[RANKS];
  MPJ_Datatype parts;
  (void)arg;
  NEED(!MPJ_Type_contiguous(RANKS, MPJ_INT, &parts));
  struct mpj_schedule *s =
      comm->rank == 0 ? schedule_by(mpj_bcast_release, 0) : schedule_by(mpj_allgather_release, -1);
  NEED(s);
  const struct mpj_call one = {.recvbuf = &mine, .recvtype = type_of(MPJ_INT)};
  const struct mpj_call each = {
      .sendbuf = &mine, .sendtype = type_of(MPJ_INT), .recvbuf = all, .recvtype = type_of(parts)};
  const int status = run_schedule(comm, s, comm->rank == 0 ? &one : &each);
  NEED(status == (comm->rank == 0 ? MPJ_SUCCESS : MPJ_ERR_COMM));
  mpj_schedule_free(s);
  NEED(!MPJ_Type_free(&parts));
  NEED(MPJ_Finalize() == (rank == 0 ? MPJ_ERR_COMM : MPJ_SUCCESS)); /* it hears at its end */
  return 0;
}

START_TEST(a_post_of_another_operation_is_an_error)
{
  play(RANKS, crossed_rank, NULL);
}
END_TEST

/* Two ranks have nothing to gain by posts. */
static int pair_rank(void *arg)
{
  int data = 7;
  (void)arg;
  struct mpj_schedule *s = schedule_by(mpj_bcast_flat, 0);
  NEED(s);
  const struct mpj_call call = {.recvbuf = &data, .recvtype = type_of(MPJ_INT)};
  NEED(run_schedule(world(), s, &call) == MPJ_SUCCESS);
  NEED(!was_posted(world(), 0) && s->nposted == 0);
  mpj_schedule_free(s);
  return 0;
}

/* As many bytes as are waited for, of another type. */
static int unlike_rank(void *arg)
{
  struct mpj_comm *comm = world();
  const int rank = comm->rank;
  float data[4] = {0};
  MPJ_Datatype type;
  (void)arg;
  NEED(!MPJ_Type_contiguous(4, rank == 0 ? MPJ_INT : MPJ_FLOAT, &type));
  struct mpj_schedule *s = schedule_by(mpj_bcast_release, 0);
  NEED(s);
  const struct mpj_call call = {.recvbuf = data, .recvtype = type_of(type)};
  NEED(run_schedule(comm, s, &call) == (rank == 0 ? MPJ_SUCCESS : MPJ_ERR_SIGNATURE));
  mpj_schedule_free(s);
  return MPJ_Type_free(&type);
}

START_TEST(a_post_of_other_types_is_an_error)
{
  play(RANKS, unlike_rank, NULL);
}
END_TEST

START_TEST(two_ranks_send)
{
  play(2, pair_rank, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/posts", a_window_of_posts_waits_for_who_comes_late,
                   what_the_board_has_no_room_for_waits_or_is_sent,
                   posts_that_have_been_read_leave_their_places_to_the_next,
                   a_post_of_another_operation_is_an_error, a_post_of_other_types_is_an_error,
                   two_ranks_send);
}
