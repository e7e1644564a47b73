/* This file tests what schedules make the engine do: copies, reductions through
 * temporaries, votes and alternatives, pipelines, meetings. */
#include "coll/engine_play.h"
#include "coll/plan/flow.h"
#include "coll/plan/schedule_steps.h"
#include "coll/plan/shared.h"

/* in + inout, for the basic types that are used here. */
static void add(void *ctx, const void *in, void *inout, MPJ_Count n, int basic)
{
  if (basic == mpj_basic_of_handle(MPJ_INT)) {
    for (MPJ_Count i = 0; i < n; i++)
      ((int *)inout)[i] += ((const int *)in)[i];
  } else if (basic == mpj_basic_of_handle(MPJ_DOUBLE)) {
    for (MPJ_Count i = 0; i < n; i++)
      ((double *)inout)[i] += ((const double *)in)[i];
  } else {
    *(int *)ctx = basic; /* an element that nobody has */
  }
}

/* A copy on this rank through two temporaries. */
static void copy_through_temporaries(struct mpj_flow *f, int root)
{
  struct mpj_schedule_builder *b = f->b;
  (void)root;
  const struct mpj_operand one = mpj_schedule_temporary(b, whole_send);
  const struct mpj_operand two = mpj_schedule_temporary(b, whole_recv);
  const int first = mpj_schedule_copy(b, whole_send, one, 0, NULL);
  const int second = mpj_schedule_copy(b, one, two, 1, &first);
  mpj_schedule_copy(b, two, whole_recv, 1, &second);
}

enum { INTS = 3000 };

static int copy_rank(void *arg)
{
  (void)arg;
  int from[INTS], to[2 * INTS];
  MPJ_Datatype dense, strided, other;
  NEED(!MPJ_Type_contiguous(INTS, MPJ_INT, &dense) &&
       !MPJ_Type_vector(INTS, 1, 2, MPJ_INT, &strided));
  NEED(!MPJ_Type_contiguous(INTS, MPJ_FLOAT, &other));
  struct mpj_schedule *s = schedule_by(copy_through_temporaries, -1);
  NEED(s);
  memset(to, 0, sizeof to);
  for (int i = 0; i < INTS; i++)
    from[i] = i + 1;
  struct mpj_call call = {
      .sendbuf = from, .recvbuf = to, .sendtype = type_of(dense), .recvtype = type_of(strided)};
  for (int round = 0; round < 40; round++) /* more often than there are slots */
    NEED(run_schedule(world(), s, &call) == MPJ_SUCCESS);
  for (int i = 0; i < INTS; i++)
    NEED(to[2 * i] == i + 1 && to[2 * i + 1] == 0);
  to[0] = 77;
  call.recvtype = type_of(other); /* equal bytes, another signature */
  NEED(run_schedule(world(), s, &call) == MPJ_ERR_SIGNATURE && to[0] == 77);
  call.recvtype = type_of(dense);
  NEED(run_schedule(world(), s, &call) == MPJ_SUCCESS && to[0] == 1);
  mpj_schedule_free(s);
  return MPJ_Type_free(&dense) || MPJ_Type_free(&strided) || MPJ_Type_free(&other);
}

START_TEST(copy_goes_through_temporaries_and_compares_signatures)
{
  play(1, copy_rank, NULL);
  play(3, copy_rank, NULL);
}
END_TEST

/* Sum over a binary tree with root 0: each rank adds what its children send to a
 * temporary (the root: to recvbuf), which its parent gets. */
static void reduce_by_tree(struct mpj_flow *f, int root)
{
  const struct mpj_comm *comm = f->comm;
  struct mpj_schedule_builder *b = f->b;
  (void)root;
  const int me = comm->rank, p = comm->size;
  const struct mpj_operand sum = me == 0 ? whole_recv : mpj_schedule_temporary(b, whole_send);
  int last = mpj_schedule_copy(b, whole_send, sum, 0, NULL);
  for (int child = 2 * me + 1; child <= 2 * me + 2 && child < p; child++) {
    const struct mpj_operand in = mpj_schedule_temporary(b, whole_send);
    const int got = mpj_schedule_recv(b, child, mpj_distance_bit(child, me, p), in, 0, NULL);
    last = mpj_schedule_reduce(b, in, sum, 2, (const int[]){got, last});
  }
  if (me > 0)
    mpj_schedule_send(b, (me - 1) / 2, mpj_distance_bit(me, (me - 1) / 2, p), sum, 1, &last);
}

/* An int and a double: packed, the double is not aligned. */
struct pair {
  int i;
  double d;
};

static int make_pairs(MPJ_Count n, MPJ_Datatype *pairs)
{
  const MPJ_Count lens[] = {1, 1};
  const MPJ_Aint displs[] = {offsetof(struct pair, i), offsetof(struct pair, d)};
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_DOUBLE};
  MPJ_Datatype one, sized;
  NEED(!MPJ_Type_create_struct(2, lens, displs, types, &one));
  NEED(!MPJ_Type_create_resized(one, 0, sizeof(struct pair), &sized));
  NEED(!MPJ_Type_contiguous(n, sized, pairs));
  return MPJ_Type_free(&one) || MPJ_Type_free(&sized);
}

static int reduce_rank(void *arg)
{
  const MPJ_Count n = *(const MPJ_Count *)arg;
  struct mpj_comm *comm = world();
  struct pair *mine = mpj_alloc_array((size_t)n, sizeof *mine),
              *sum = mpj_alloc_array((size_t)n, sizeof *sum);
  MPJ_Datatype pairs;
  int stranger = -1;
  NEED(mine && sum && make_pairs(n, &pairs) == 0);
  struct mpj_schedule *s = schedule_by(reduce_by_tree, 0);
  NEED(s);
  const struct mpj_call call = {.sendbuf = mine,
                                .recvbuf = sum,
                                .sendtype = type_of(pairs),
                                .recvtype = type_of(pairs),
                                .combine = add,
                                .combine_ctx = &stranger};
  for (int round = 0; round < 20; round++) {
    for (MPJ_Count i = 0; i < n; i++)
      mine[i] = (struct pair){comm->rank + round, 0.5 * (double)i * comm->rank};
    NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
    const int ranks = comm->size * (comm->size - 1) / 2;
    for (MPJ_Count i = 0; comm->rank == 0 && i < n; i++) {
      NEED(sum[i].i == ranks + comm->size * round);
      NEED(sum[i].d == 0.5 * (double)i * ranks);
    }
  }
  NEED(stranger == -1);
  mpj_schedule_free(s);
  mpj_free(mine);
  mpj_free(sum);
  return MPJ_Type_free(&pairs);
}

START_TEST(tree_of_temporaries_reduces_elements_of_several_types)
{
  MPJ_Count counts[] = {1, 2, 100, 5000}; /* inline, eager, long */
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int p = 1; p <= 7; p += 2)
      play(p, reduce_rank, &counts[i]);
}
END_TEST

enum { PIECES = 20, PIECE_INTS = 1000 };

/* Rank 0 sends its parts down the line; each rank forwards every piece from the
 * temporary that it came to. */
static void pipeline(struct mpj_flow *f, int root)
{
  const struct mpj_comm *comm = f->comm;
  struct mpj_schedule_builder *b = f->b;
  (void)root;
  const int me = comm->rank;
  for (int k = 0; k < PIECES; k++) {
    const unsigned bit = 70 + (unsigned)k * 9; /* bits of several words */
    struct mpj_operand piece = mpj_operand_part(MPJ_BUFFER_SEND, k);
    int got = -1;
    if (me > 0) {
      piece = mpj_schedule_temporary(b, mpj_operand_part(MPJ_BUFFER_RECV, k));
      got = mpj_schedule_recv(b, me - 1, bit, piece, 0, NULL);
      mpj_schedule_copy(b, piece, mpj_operand_part(MPJ_BUFFER_RECV, k), 1, &got);
    }
    if (me < comm->size - 1) mpj_schedule_send(b, me + 1, bit, piece, got >= 0, &got);
  }
}

static int pipeline_rank(void *arg)
{
  (void)arg;
  struct mpj_comm *comm = world();
  int *data = mpj_alloc_array(PIECES * PIECE_INTS * 2, sizeof *data);
  MPJ_Datatype piece, sized, pieces;
  NEED(data && !MPJ_Type_vector(PIECE_INTS, 1, 2, MPJ_INT, &piece));
  NEED(!MPJ_Type_create_resized(piece, 0, PIECE_INTS * 2 * sizeof(int), &sized));
  NEED(!MPJ_Type_contiguous(PIECES, sized, &pieces));
  struct mpj_schedule *s = schedule_by(pipeline, 0);
  NEED(s);
  const struct mpj_call call = {
      .sendbuf = data, .recvbuf = data, .sendtype = type_of(pieces), .recvtype = type_of(pieces)};
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < PIECES * PIECE_INTS; i++)
      data[2 * i] = comm->rank == 0 ? i + round : -1;
    NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
    for (int i = 0; i < PIECES * PIECE_INTS; i++)
      NEED(data[2 * i] == i + round && data[2 * i + 1] == 0);
  }
  mpj_schedule_free(s);
  mpj_free(data);
  return MPJ_Type_free(&piece) || MPJ_Type_free(&sized) || MPJ_Type_free(&pieces);
}

START_TEST(pipeline_forwards_pieces_from_temporaries)
{
  for (int p = 1; p <= 4; p++)
    play(p, pipeline_rank, NULL);
}
END_TEST

/* Rounds of meetings and of signals by bits of the last word. */
static void meet_and_signal(struct mpj_flow *f, int root)
{
  const struct mpj_comm *comm = f->comm;
  struct mpj_schedule_builder *b = f->b;
  const int me = comm->rank, p = comm->size;
  int last = mpj_schedule_meet(b, root, 0, NULL);
  mpj_schedule_signal(b, (me + 1) % p, 250, 1, &last);
  last = mpj_schedule_await(b, (me + p - 1) % p, 250, 0, NULL);
  mpj_schedule_meet(b, root, 1, &last);
}

static int meeting_rank(void *arg)
{
  _Atomic int *entered = arg; /* calls begun by all ranks together */
  struct mpj_comm *comm = world();
  struct mpj_schedule *s = schedule_by(meet_and_signal, 0);
  const struct mpj_call call = {0};
  NEED(s);
  for (int round = 1; round <= 200; round++) {
    atomic_fetch_add(entered, 1);
    NEED(run_schedule(comm, s, &call) == MPJ_SUCCESS);
    NEED(atomic_load(entered) >= round * comm->size);
  }
  mpj_schedule_free(s);
  return 0;
}

START_TEST(nobody_leaves_a_meeting_before_all_have_come)
{
  for (int p = 2; p <= 4; p++) {
    _Atomic int entered = 0;
    play(p, meeting_rank, &entered);
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/engine", copy_goes_through_temporaries_and_compares_signatures,
                   tree_of_temporaries_reduces_elements_of_several_types,
                   pipeline_forwards_pieces_from_temporaries,
                   nobody_leaves_a_meeting_before_all_have_come);
}
