/* This file tests requests whose operations run in order: each operation is begun so when it is
 * repeated, goes on so in tests and waits, and ends so, whatever else ends then. */
#include "coll/in_order_play.h"

enum { RANKS_MOST = 7 };

/* Each operation, again and again */

enum operation {
  BARRIER,
  BCAST,
  GATHER,
  SCATTER,
  ALLGATHER,
  ALLTOALL,
  ALLREDUCE,
  SCAN,
  OPERATIONS
};

struct data {
  int in[RANKS_MOST], out[RANKS_MOST];
};

static int begin(enum operation operation, bool persistent, struct data *d, MPJ_Datatype each,
                 MPJ_Request *r)
{
  int *in = d->in, *out = d->out;
  const MPJ_Comm comm = MPJ_COMM_WORLD;
  const MPJ_Datatype one = MPJ_INT;
  switch (operation) {
  case BARRIER:
    return persistent ? MPJ_Barrier_init(comm, r) : MPJ_Ibarrier(comm, r);
  case BCAST:
    return persistent ? MPJ_Bcast_init(in, one, 0, comm, r) : MPJ_Ibcast(in, one, 0, comm, r);
  case GATHER:
    return persistent ? MPJ_Gather_init(in, one, out, each, 0, comm, r)
                      : MPJ_Igather(in, one, out, each, 0, comm, r);
  case SCATTER:
    return persistent ? MPJ_Scatter_init(in, each, out, one, 0, comm, r)
                      : MPJ_Iscatter(in, each, out, one, 0, comm, r);
  case ALLGATHER:
    return persistent ? MPJ_Allgather_init(in, one, out, each, comm, r)
                      : MPJ_Iallgather(in, one, out, each, comm, r);
  case ALLTOALL:
    return persistent ? MPJ_Alltoall_init(in, each, out, each, comm, r)
                      : MPJ_Ialltoall(in, each, out, each, comm, r);
  case ALLREDUCE:
    return persistent ? MPJ_Allreduce_init(in, one, out, one, MPJ_SUM, comm, r)
                      : MPJ_Iallreduce(in, one, out, one, MPJ_SUM, comm, r);
  default:
    return persistent ? MPJ_Scan_init(in, one, out, one, MPJ_SUM, comm, r)
                      : MPJ_Iscan(in, one, out, one, MPJ_SUM, comm, r);
  }
}

static void fill(struct data *d, int time)
{
  for (int i = 0; i < RANKS_MOST; i++)
    d->in[i] = value(world()->rank, time) * (i + 1);
  memset(d->out, 0, sizeof d->out);
}

static bool is_right(enum operation operation, const struct data *d, int time)
{
  const int me = world()->rank, p = world()->size;
  bool right = true;
  if (operation == BCAST) return d->in[0] == value(0, time);
  if (operation == SCATTER) return d->out[0] == value(0, time) * (me + 1);
  if (operation == ALLREDUCE) return d->out[0] == sum(p, time);
  if (operation == SCAN) return d->out[0] == sum(me + 1, time);
  for (int i = 0; i < p && (operation == ALLGATHER || operation == ALLTOALL ||
                            (operation == GATHER && me == 0));
       i++)
    right &= d->out[i] == value(i, time) * (operation == ALLTOALL ? me + 1 : 1);
  return right;
}

static int make_each(MPJ_Datatype *each)
{
  return MPJ_Type_contiguous(world()->size, MPJ_INT, each) || MPJ_Type_commit(each);
}

static int run_operation(enum operation k, bool persistent, MPJ_Datatype each, unsigned *seed)
{
  struct data d;
  MPJ_Request r = MPJ_REQUEST_NULL;
  int quick = 0;
  if (persistent) NEED(!begin(k, true, &d, each, &r));
  for (int time = 0; time < TIMES; time++) {
    fill(&d, time);
    NEED(!(persistent ? MPJ_Start(&r) : begin(k, false, &d, each, &r)));
    quick += is_quick(r);
    dawdle(seed);
    NEED(!finish(&r, time % 3 == 0));
    NEED(is_right(k, &d, time));
    dawdle(seed);
  }
  NEED(quick > TIMES / 2);
  if (persistent) NEED(!MPJ_Request_free(&r));
  NEED(r == MPJ_REQUEST_NULL);
  return MPJ_Barrier(MPJ_COMM_WORLD); /* nobody leaves before: nothing is quick from then on */
}

static int repeating_rank(void *arg)
{
  unsigned seed = (unsigned)world()->rank;
  MPJ_Datatype each;
  (void)arg;
  NEED(!make_each(&each));
  for (enum operation k = BARRIER; k < OPERATIONS; k++)
    for (int persistent = 0; persistent < 2; persistent++) {
      const int line = run_operation(k, persistent, each, &seed);
      if (line) return 100000 * ((int)k + 1) + line;
    }
  return MPJ_Type_free(&each);
}

START_TEST(what_is_repeated_is_quick_and_comes_out_right)
{
  for (int p = 2; p <= RANKS_MOST; p += p < 3 ? 1 : 4)
    play(p, repeating_rank, NULL);
}
END_TEST

/* The end of those that are under way */

/* A test that finds nothing leaves the request quick, but not for ever. */
static int testing_rank(void *arg)
{
  _Atomic int *go = arg;
  struct party a;
  int done = 0, tests = 0;
  NEED(!open_party(&a));
  while (world()->rank == 1 && !atomic_load(go))
    ;
  NEED(!start(&a));
  NEED(is_quick(a.request));
  while (world()->rank == 0 && is_in_order(a.request) && tests++ < 1 << 20)
    NEED(!MPJ_Test(&a.request, &done) && !done);
  if (world()->rank == 0) NEED(a.request->state == MPJ_REQUEST_ACTIVE && tests > 1);
  if (world()->rank == 0) atomic_store(go, 1);
  NEED(!end(&a, false));
  return close_party(&a);
}

START_TEST(tests_hand_over_in_the_end)
{
  _Atomic int go = 0;
  play(2, testing_rank, &go);
}
END_TEST

static int freeing_rank(void *arg)
{
  struct party a;
  (void)arg;
  NEED(!open_party(&a));
  for (int time = 0; time < TIMES; time++) {
    MPJ_Request r;
    MPJ_Datatype one;
    int x = world()->rank == 0 ? time : -1;
    NEED(!MPJ_Type_contiguous(1, MPJ_INT, &one) && !MPJ_Type_commit(&one));
    NEED(!MPJ_Ibcast(&x, one, 0, a.comm, &r));
    NEED(!MPJ_Type_free(&one) && !MPJ_Wait(&r) && x == time);
    NEED(!MPJ_Ibarrier(a.comm, &r));
    NEED(!MPJ_Request_free(&r) && r == MPJ_REQUEST_NULL);
    NEED(!MPJ_Barrier(a.comm));
  }
  NEED(!start(&a));
  NEED(!MPJ_Comm_free(&a.comm));
  NEED(!end(&a, false));
  NEED(!MPJ_Request_free(&a.request));
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

START_TEST(types_requests_and_communicators_may_be_freed_at_once)
{
  play(2, freeing_rank, NULL);
  play(3, freeing_rank, NULL);
  ck_assert_uint_eq(mpj_request_live(), 0);
}
END_TEST

static int finalizing_rank(void *arg)
{
  _Atomic int *refused = arg;
  struct party a;
  NEED(!open_party(&a));
  while (world()->rank == 1 && !atomic_load(refused))
    ;
  NEED(!start(&a));
  if (world()->rank == 0) NEED(is_in_order(a.request));
  if (world()->rank == 0) NEED(MPJ_Finalize() == MPJ_ERR_REQUEST);
  atomic_store(refused, 1);
  NEED(!end(&a, false));
  return close_party(&a);
}

START_TEST(finalize_refuses_what_was_begun_quickly)
{
  _Atomic int refused = 0;
  play(2, finalizing_rank, &refused);
}
END_TEST

/* Rank 1 leaves; with an operation begun, or before the others' */
static int leaving_rank(void *arg)
{
  const bool *begun = arg;
  struct party a;
  NEED(!open_party(&a));
  NEED(!MPJ_Barrier(a.comm));
  if (world()->rank == 1) {
    if (*begun) NEED(!start(&a));
    NEED(!MPJ_Request_free(&a.request));
    if (*begun) return 0; /* in the middle of it: it has counted for nobody */
    NEED(MPJ_Finalize() == MPJ_ERR_COMM && strstr(MPJ_Error_detail(), "persistent request"));
    return 0;
  }
  int status = MPJ_SUCCESS;
  for (int time = 0; !status && time < 2; time++) {
    status = MPJ_Start(&a.request);
    if (!status) status = finish(&a.request, time == 0);
  }
  NEED(*begun ? status == MPJ_ERR_PEER || status == MPJ_ERR_REQUEST || status == MPJ_ERR_COMM
              : status == MPJ_ERR_COMM &&
                    strstr(MPJ_Error_detail(), "MPJ_Request_free on rank 1") != NULL);
  return MPJ_Request_free(&a.request);
}

START_TEST(a_rank_that_leaves_is_noticed)
{
  for (int begun = 0; begun < 2; begun++)
    for (int p = 2; p <= 3; p++) {
      const bool early = begun;
      const int line = MPJ_Run_threads(p, leaving_rank, (void *)(uintptr_t)&early);
      ck_assert_msg(line == 0 || (begun && line == MPJ_ERR_COMM), "%d ranks: line %d (%s)", p, line,
                    MPJ_Error_detail());
    }
}
END_TEST

/* After requests that were quick one rank's is another one. The communicator's persistent requests
 * break with it. */
static int misfit_rank(void *arg)
{
  const bool *blocking = arg;
  const bool odd = world()->rank == 1;
  int in = 1, out[RANKS_MOST], status = MPJ_SUCCESS;
  MPJ_Request r, other;
  MPJ_Datatype each;
  NEED(!make_each(&each));
  NEED(!MPJ_Allreduce_init(&in, MPJ_INT, out, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD, &r));
  NEED(!MPJ_Start(&r) && !MPJ_Wait(&r));
  for (int time = 0; time < 5; time++) {
    NEED(!MPJ_Iallreduce(&in, MPJ_INT, out, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD, &other));
    status = MPJ_Wait(&other);
    NEED(!status || (!odd && time == 4)); /* the odd rank may be ahead by now */
  }
  if (odd && *blocking) {
    status = MPJ_Allgather(&in, MPJ_INT, out, each, MPJ_COMM_WORLD);
  } else if (odd) {
    status = MPJ_Iallgather(&in, MPJ_INT, out, each, MPJ_COMM_WORLD, &other);
    if (!status) status = MPJ_Wait(&other);
  } else if (!status) { /* it may have heard already */
    status = MPJ_Iallreduce(&in, MPJ_INT, out, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD, &other);
    if (!status) status = MPJ_Wait(&other);
  }
  while (!status) /* whoever had done its part before hears of it in time */
    status = MPJ_Barrier(MPJ_COMM_WORLD);
  NEED(status == MPJ_ERR_COMM);
  NEED(MPJ_Start(&r) == MPJ_SUCCESS && MPJ_Wait(&r) == status);
  NEED(!MPJ_Type_free(&each));
  return MPJ_Request_free(&r);
}

START_TEST(what_does_not_fit_is_an_error_as_ever)
{
  for (int k = 0; k < 2; k++)
    for (int p = 2; p <= 4; p++) {
      bool blocking = k;
      play(p, misfit_rank, &blocking);
    }
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/in_order_requests", what_is_repeated_is_quick_and_comes_out_right,
                   tests_hand_over_in_the_end,
                   types_requests_and_communicators_may_be_freed_at_once,
                   finalize_refuses_what_was_begun_quickly, a_rank_that_leaves_is_noticed,
                   what_does_not_fit_is_an_error_as_ever);
}
