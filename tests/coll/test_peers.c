/* This file states how ranks that have an exchange of their own become a job, and make
 * communicators: on threads, and as processes that nothing but the test has started. */
#include <sys/wait.h>
#include <unistd.h>

#include "coll/engine_play.h"
#include "coll/peers_board.h"

enum { P = 4 };

static bool detail_has(const char *text)
{
  return strstr(MPJ_Error_detail(), text) != NULL;
}

static bool works(MPJ_Comm comm, int size, int rank)
{
  int one = 1, sum = 0, n = -1, me = -1;
  return !MPJ_Comm_size(comm, &n) && n == size && !MPJ_Comm_rank(comm, &me) && me == rank &&
         !MPJ_Allreduce(&one, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, comm) && sum == size;
}

/* --- communicators of peers, on threads --- */

/* A board for all, in reverse order, and one for each pair of neighbours. */
struct boards {
  struct board *all, *pair[P - 1];
};

static int reversed(void *arg)
{
  const struct boards *boards = arg;
  const int me = world()->rank, ranks[P] = {3, 2, 1, 0};
  struct board_rank mine = {boards->all, P - 1 - me, P, -1};
  const struct MPJ_Peers peers = board_peers(&mine);
  MPJ_Comm comm, named;
  NEED(!MPJ_Comm_create_peers(&peers, NULL, &comm) && works(comm, P, P - 1 - me));
  NEED(!MPJ_Comm_create_peers(&peers, ranks, &named) && works(named, P, P - 1 - me));
  NEED(works(comm, P, P - 1 - me));
  NEED(!MPJ_Comm_free(&comm) && !MPJ_Comm_free(&named));
  return 0;
}

/* Chains of pairs: each rank is in two, one after the other, while other pairs meet. */
static int chained(void *arg)
{
  const struct boards *boards = arg;
  const int me = world()->rank;
  for (int round = 0; round < 400; round++) {
    MPJ_Comm pair[2] = {MPJ_COMM_NULL, MPJ_COMM_NULL};
    for (int i = 0; i < 2; i++) {
      const int first = me - 1 + i; /* with the one before, then with the one after */
      if (first < 0 || first == P - 1) continue;
      struct board_rank mine = {boards->pair[first], me - first, 2, -1};
      const struct MPJ_Peers peers = board_peers(&mine);
      NEED(!MPJ_Comm_create_peers(&peers, NULL, &pair[i]));
    }
    for (int i = 0; i < 2; i++)
      if (pair[i]) NEED(works(pair[i], 2, i == 0) && !MPJ_Comm_free(&pair[i]));
  }
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

/* A mistake of one rank is everybody's error, and the next call is well. */
static int mistaken(void *arg)
{
  const struct boards *boards = arg;
  const int me = world()->rank, other[P] = {0, 1, 3, 2}, twice[P] = {0, 1, 1, 3};
  const int beyond[P] = {0, 1, 2, P};
  struct board_rank mine = {boards->all, me, P, -1};
  struct MPJ_Peers peers = board_peers(&mine);
  MPJ_Comm comm = MPJ_COMM_NULL;
  NEED(MPJ_Comm_create_peers(&peers, NULL, me == 1 ? NULL : &comm) == MPJ_ERR_ARG);
  NEED(detail_has(me == 1 ? "comm is NULL" : "rank 1 failed"));
  NEED(MPJ_Comm_create_peers(&peers, me == 2 ? other : NULL, &comm) == MPJ_ERR_ARG);
  NEED(detail_has(me == 2 ? "world_ranks[2] is 3, but rank 2 came" : "rank 2 failed"));
  NEED(MPJ_Comm_create_peers(&peers, me == 0 ? twice : NULL, &comm) == MPJ_ERR_ARG);
  NEED(detail_has(me == 0 ? "world_ranks[2] is 1, which is there already" : "rank 0 failed"));
  NEED(MPJ_Comm_create_peers(&peers, me == 3 ? beyond : NULL, &comm) == MPJ_ERR_ARG);
  NEED(detail_has(me == 3 ? "world_ranks[3] is 4" : "rank 3 failed"));
  peers.rank = P;
  NEED(MPJ_Comm_create_peers(&peers, NULL, &comm) == MPJ_ERR_ARG && detail_has("peers->rank is 4"));
  peers.rank = me;
  mine.fails_at = 1;
  NEED(MPJ_Comm_create_peers(&peers, NULL, &comm) == MPJ_ERR_PEER && detail_has("returned 42"));
  mine.fails_at = -1;
  NEED(comm == MPJ_COMM_NULL && !MPJ_Comm_create_peers(&peers, NULL, &comm));
  NEED(works(comm, P, me));
  return MPJ_Comm_free(&comm);
}

/* Rank 2 lacks memory at one allocation after the other, until it lacks none. */
static int short_of_memory(void *arg)
{
  const struct boards *boards = arg;
  const int me = world()->rank;
  struct board_rank mine = {boards->all, me, P, -1};
  const struct MPJ_Peers peers = board_peers(&mine);
  MPJ_Comm comm;
  for (long successes = 0;; successes++) {
    if (me == 2) mpj_memory_fail_after(successes);
    const int status = MPJ_Comm_create_peers(&peers, NULL, &comm);
    if (me == 2) mpj_memory_fail_after(-1);
    if (status == MPJ_SUCCESS) break;
    NEED(status == MPJ_ERR_NO_MEM && (me == 2 || detail_has("rank 2 failed")) && successes < 100);
  }
  NEED(works(comm, P, me));
  return MPJ_Comm_free(&comm);
}

static void with_boards(int (*fn)(void *))
{
  struct boards boards = {.all = board_new(P)};
  for (int i = 0; i < P - 1; i++)
    boards.pair[i] = board_new(2);
  play(P, fn, &boards);
  for (int i = 0; i < P - 1; i++)
    board_free(boards.pair[i]);
  board_free(boards.all);
}

START_TEST(peers_make_communicators_in_their_own_order)
{
  with_boards(reversed);
}
END_TEST

START_TEST(pairs_in_a_chain_meet_at_once)
{
  with_boards(chained);
}
END_TEST

START_TEST(a_mistake_of_one_is_told_to_all)
{
  with_boards(mistaken);
}
END_TEST

START_TEST(shortage_of_one_is_told_to_all)
{
  with_boards(short_of_memory);
}
END_TEST

/* --- a job of peers, as processes --- */

/* Fork n processes that run fn(rank, n, board); each returned 0. */
static void fork_job(int n, int (*fn)(int, int, struct board *))
{
  struct board *board = board_new(n);
  pid_t pid[BOARD_RANKS];
  for (int rank = 0; rank < n; rank++)
    if ((pid[rank] = fork()) == 0) _exit(fn(rank, n, board) % 255);
  for (int rank = 0; rank < n; rank++) {
    int how = -1;
    ck_assert_int_eq(waitpid(pid[rank], &how, 0), pid[rank]);
    ck_assert_msg(how == 0, "rank %d of %d: exit %d at line %d (modulo 255)", rank, n, how,
                  WEXITSTATUS(how));
  }
  board_free(board);
}

static int working(int rank, int n, struct board *board)
{
  struct board_rank mine = {board, n - 1 - rank, n, -1};
  const struct MPJ_Peers peers = board_peers(&mine);
  MPJ_Comm comm;
  int flag = 1;
  NEED(!MPJ_Initialized(&flag) && !flag);
  NEED(MPJ_Comm_create_peers(&peers, NULL, &comm) == MPJ_ERR_COMM);
  NEED(!MPJ_Init_peers(&peers) && works(MPJ_COMM_WORLD, n, n - 1 - rank));
  NEED(MPJ_Init_peers(&peers) == MPJ_ERR_INTERNAL && MPJ_Init(NULL, NULL) == MPJ_ERR_INTERNAL);
  NEED(!MPJ_Comm_create_peers(&peers, NULL, &comm) && works(comm, n, n - 1 - rank));
  NEED(!MPJ_Comm_free(&comm));
  return MPJ_Finalize();
}

START_TEST(peers_become_a_job_without_a_launcher)
{
  for (int n = 1; n <= BOARD_RANKS; n++)
    fork_job(n, working);
}
END_TEST

/* Rank 1's part fails first for lack of memory, wherever that is; then all is well. */
static int failing(int rank, int n, struct board *board)
{
  struct board_rank mine = {board, rank, n, -1};
  const struct MPJ_Peers peers = board_peers(&mine);
  for (long successes = 0;; successes++) {
    if (rank == 1) mpj_memory_fail_after(successes);
    const int status = MPJ_Init_peers(&peers);
    if (rank == 1) mpj_memory_fail_after(-1);
    if (status == MPJ_SUCCESS) break;
    int flag = 1;
    NEED(status == MPJ_ERR_NO_MEM && (rank == 1 || detail_has("rank 1 failed")) && successes < 40);
    NEED(!MPJ_Initialized(&flag) && !flag);
    if (successes == 6) { /* as many as meeting takes; later ones are the rank's alone */
      NEED(!MPJ_Init_peers(&peers));
      break;
    }
  }
  NEED(works(MPJ_COMM_WORLD, n, rank));
  return MPJ_Finalize();
}

START_TEST(a_rank_that_cannot_take_part_is_told_to_all)
{
  fork_job(3, failing);
}
END_TEST

static int unlike(int rank, int n, struct board *board)
{
  struct board_rank mine = {board, rank, n, -1};
  const struct MPJ_Peers peers = board_peers(&mine);
  setenv("MPJ_EAGER_TOKENS", rank == 1 ? "5" : "6", 1);
  NEED(MPJ_Init_peers(&peers) == MPJ_ERR_ARG && detail_has("settings"));
  return 0;
}

START_TEST(settings_must_be_equal)
{
  fork_job(3, unlike);
}
END_TEST

/* After the fourth call a rank may find another's segment gone instead. */
static int cut_off(int rank, int n, struct board *board)
{
  for (int calls = 0; calls < 5; calls++) {
    struct board_rank mine = {board, rank, n, calls};
    const struct MPJ_Peers peers = board_peers(&mine);
    const int status = MPJ_Init_peers(&peers);
    NEED(status != MPJ_SUCCESS);
    if (calls < 4) NEED(status == MPJ_ERR_PEER && detail_has("returned 42"));
  }
  return 0;
}

START_TEST(an_exchange_that_fails_is_an_error)
{
  struct MPJ_Peers none = {.rank = 0, .size = 1};
  ck_assert_int_eq(MPJ_Init_peers(NULL), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Init_peers(&none), MPJ_ERR_ARG);
  none = (struct MPJ_Peers){.size = 0, .allgather = board_allgather};
  ck_assert_int_eq(MPJ_Init_peers(&none), MPJ_ERR_ARG);
  fork_job(3, cut_off);
}
END_TEST

/* An exchange in which one rank seems to have said something else at one call. */
struct lie {
  struct board_rank rank; /* first */
  int calls_before, liar;
  int32_t bytes; /* that it is going to publish */
};

static int lying_allgather(void *ctx, const void *mine, void *all, MPJ_Count bytes)
{
  struct lie *lie = ctx;
  const int status = board_allgather(&lie->rank, mine, all, bytes);
  if (lie->calls_before-- == 0)
    memcpy((char *)all + (MPJ_Count)lie->liar * bytes, &lie->bytes, sizeof lie->bytes);
  return status;
}

static int lied_to(int rank, int n, struct board *board)
{
  const int32_t lengths[] = {-1, 1 << 20, 3};
  for (int calls = 0; calls < 4; calls += 2) /* before each of two exchanges */
    for (int i = 0; i < 3; i++) {
      struct lie lie = {{board, rank, n, -1}, calls, 0, lengths[i]};
      const struct MPJ_Peers peers = {
          .rank = rank, .size = n, .ctx = &lie, .allgather = lying_allgather};
      NEED(MPJ_Init_peers(&peers) == MPJ_ERR_FORMAT && detail_has("rank"));
    }
  /* What nobody asks for may have any length, and takes nothing from the others. */
  struct lie lie = {{board, rank, n, -1}, 2, n - 1, 4};
  const struct MPJ_Peers peers = {
      .rank = rank, .size = n, .ctx = &lie, .allgather = lying_allgather};
  NEED(!MPJ_Init_peers(&peers) && works(MPJ_COMM_WORLD, n, rank));
  return MPJ_Finalize();
}

START_TEST(lengths_that_make_no_sense_are_an_error)
{
  fork_job(3, lied_to);
}
END_TEST

int main(void)
{
  return RUN_SUITE("peers", peers_make_communicators_in_their_own_order,
                   pairs_in_a_chain_meet_at_once, a_mistake_of_one_is_told_to_all,
                   shortage_of_one_is_told_to_all, peers_become_a_job_without_a_launcher,
                   a_rank_that_cannot_take_part_is_told_to_all, settings_must_be_equal,
                   an_exchange_that_fails_is_an_error, lengths_that_make_no_sense_are_an_error);
}
