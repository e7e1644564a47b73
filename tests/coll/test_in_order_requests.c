/* This file tests requests whose operations are quick ones: they are begun so, go on so in tests
 * and waits, are the engine's as soon as the rank does anything else, and whatever the order in
 * which ranks come to them, each ends. */
#include "coll/calls/request.h"
#include "coll/engine_play.h"

enum { RANKS_MOST = 7, TIMES = 30, LATE_MS = 3 };

static unsigned roll(unsigned *seed)
{
  *seed = *seed * 1103515245 + 12345;
  return *seed >> 16;
}

/* Some time, mostly none. */
static void dawdle(unsigned *seed)
{
  const unsigned dice = roll(seed);
  const double until = MPJ_Wtime() + (dice % 64 == 0 ? LATE_MS * 1e-3 : 1e-6 * (dice % 4));
  while (MPJ_Wtime() < until)
    ;
}

static int value(int rank, int time)
{
  return 1000 * time + rank + 1;
}

static int sum(int p, int time)
{
  int all = 0;
  for (int rank = 0; rank < p; rank++)
    all += value(rank, time);
  return all;
}

static bool is_in_order(MPJ_Request r)
{
  return r->state == MPJ_REQUEST_ACTIVE && !r->slot->listed;
}

/* Begun in order; it may have ended since. */
static bool is_quick(MPJ_Request r)
{
  return r->state == MPJ_REQUEST_DONE || is_in_order(r);
}

static int finish(MPJ_Request *r, bool tests)
{
  int done = 0, status = MPJ_SUCCESS;
  if (!tests) return MPJ_Wait(r);
  while (!done && status == MPJ_SUCCESS)
    status = MPJ_Test(r, &done);
  return status;
}

/* Each operation, again and again */

enum { OPERATIONS = 8 };

struct data {
  int in[RANKS_MOST], out[RANKS_MOST];
};

static int begin(int k, bool persistent, struct data *d, MPJ_Datatype each, MPJ_Request *r)
{
  int *in = d->in, *out = d->out;
  const MPJ_Comm comm = MPJ_COMM_WORLD;
  const MPJ_Datatype one = MPJ_INT;
  switch (2 * k + persistent) {
  case 0:
    return MPJ_Ibarrier(comm, r);
  case 1:
    return MPJ_Barrier_init(comm, r);
  case 2:
    return MPJ_Ibcast(in, one, 0, comm, r);
  case 3:
    return MPJ_Bcast_init(in, one, 0, comm, r);
  case 4:
    return MPJ_Igather(in, one, out, each, 0, comm, r);
  case 5:
    return MPJ_Gather_init(in, one, out, each, 0, comm, r);
  case 6:
    return MPJ_Iscatter(in, each, out, one, 0, comm, r);
  case 7:
    return MPJ_Scatter_init(in, each, out, one, 0, comm, r);
  case 8:
    return MPJ_Iallgather(in, one, out, each, comm, r);
  case 9:
    return MPJ_Allgather_init(in, one, out, each, comm, r);
  case 10:
    return MPJ_Ialltoall(in, each, out, each, comm, r);
  case 11:
    return MPJ_Alltoall_init(in, each, out, each, comm, r);
  case 12:
    return MPJ_Iallreduce(in, one, out, one, MPJ_SUM, comm, r);
  case 13:
    return MPJ_Allreduce_init(in, one, out, one, MPJ_SUM, comm, r);
  case 14:
    return MPJ_Iscan(in, one, out, one, MPJ_SUM, comm, r);
  default:
    return MPJ_Scan_init(in, one, out, one, MPJ_SUM, comm, r);
  }
}

static void fill(struct data *d, int time)
{
  for (int i = 0; i < RANKS_MOST; i++)
    d->in[i] = value(world()->rank, time) * (i + 1);
  memset(d->out, 0, sizeof d->out);
}

static bool is_right(int k, const struct data *d, int time)
{
  const int me = world()->rank, p = world()->size;
  bool right = true;
  if (k == 1) return d->in[0] == value(0, time);
  if (k == 3) return d->out[0] == value(0, time) * (me + 1);
  if (k == 6) return d->out[0] == sum(p, time);
  if (k == 7) return d->out[0] == sum(me + 1, time);
  for (int i = 0; i < p && (k == 4 || k == 5 || (k == 2 && me == 0)); i++)
    right &= d->out[i] == value(i, time) * (k == 5 ? me + 1 : 1);
  return right;
}

static int make_each(MPJ_Datatype *each)
{
  return MPJ_Type_contiguous(world()->size, MPJ_INT, each) || MPJ_Type_commit(each);
}

static int run_operation(int k, bool persistent, MPJ_Datatype each, unsigned *seed)
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
  for (int k = 0; k < OPERATIONS; k++)
    for (int persistent = 0; persistent < 2; persistent++) {
      const int line = run_operation(k, persistent, each, &seed);
      if (line) return 100000 * (k + 1) + line;
    }
  return MPJ_Type_free(&each);
}

START_TEST(what_is_repeated_is_quick_and_comes_out_right)
{
  for (int p = 2; p <= RANKS_MOST; p += p < 3 ? 1 : 4)
    play(p, repeating_rank, NULL);
}
END_TEST

/* Several at a time */

enum { COMMS = 3 };

/* One persistent sum on a communicator of its own, started so often that it is quick. */
struct party {
  MPJ_Comm comm;
  MPJ_Request request;
  int in, out, time;
};

static int start(struct party *a)
{
  a->in = value(world()->rank, ++a->time);
  a->out = 0;
  return MPJ_Start(&a->request);
}

static int end(struct party *a, bool tests)
{
  NEED(!finish(&a->request, tests));
  NEED(a->out == sum(world()->size, a->time));
  return 0;
}

static int open_party(struct party *a)
{
  a->time = 0;
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &a->comm));
  NEED(!MPJ_Allreduce_init(&a->in, MPJ_INT, &a->out, MPJ_INT, MPJ_SUM, a->comm, &a->request));
  for (int time = 0; time < 5; time++)
    NEED(!start(a) && !end(a, false));
  return 0;
}

static int close_party(struct party *a)
{
  NEED(!MPJ_Request_free(&a->request));
  return MPJ_Comm_free(&a->comm);
}

static int open_all(struct party a[COMMS])
{
  for (int i = 0; i < COMMS; i++)
    NEED(!open_party(&a[i]));
  return 0;
}

static int close_all(struct party a[COMMS])
{
  for (int i = 0; i < COMMS; i++)
    NEED(!close_party(&a[i]));
  return 0;
}

/* Whose wait comes first differs from rank to rank, so that none could end if it waited for its
 * own alone. */
static int crossing_rank(void *arg)
{
  struct party a[COMMS];
  const int me = world()->rank;
  (void)arg;
  NEED(!open_all(a));
  for (int time = 0; time < TIMES; time++) {
    NEED(!start(&a[(me + time) % COMMS]));
    NEED(is_quick(a[(me + time) % COMMS].request));
    NEED(!start(&a[(me + time + 1) % COMMS]));
    NEED(!start(&a[(me + time + 2) % COMMS]));
    for (int i = 0; i < COMMS; i++)
      NEED(!end(&a[(COMMS + i - me % COMMS) % COMMS], time % 2 == 0));
  }
  return close_all(a);
}

START_TEST(waits_in_any_order_end)
{
  play(2, crossing_rank, NULL);
  play(3, crossing_rank, NULL);
  play(5, crossing_rank, NULL);
}
END_TEST

/* What one call starts. */
static int together_rank(void *arg)
{
  struct party a[COMMS];
  MPJ_Request all[COMMS];
  (void)arg;
  NEED(!open_all(a));
  for (int time = 0; time < 4 * TIMES; time++) {
    for (int i = 0; i < COMMS; i++) {
      a[i].in = value(world()->rank, ++a[i].time);
      all[i] = a[i].request;
    }
    NEED(!MPJ_Startall(COMMS, all));
    NEED(!MPJ_Waitall(COMMS, all));
    for (int i = 0; i < COMMS; i++)
      NEED(a[i].out == sum(world()->size, a[i].time));
  }
  return close_all(a);
}

START_TEST(what_one_call_starts_ends)
{
  play(2, together_rank, NULL);
  play(3, together_rank, NULL);
}
END_TEST

/* A blocking call between a start and its wait, where others have ended theirs, or wait first. */
static int between_rank(void *arg)
{
  struct party a[COMMS];
  unsigned seed = (unsigned)world()->rank;
  const int me = world()->rank, p = world()->size;
  (void)arg;
  NEED(!open_all(a));
  for (int time = 0; time < TIMES; time++) {
    int all = 0, mine = value(me, time);
    NEED(!start(&a[0]));
    dawdle(&seed);
    if (time % 3 == me % 3) NEED(!end(&a[0], false));
    const MPJ_Comm comm = time % 2 == 0 ? MPJ_COMM_WORLD : a[0].comm;
    NEED(!MPJ_Allreduce(&mine, MPJ_INT, &all, MPJ_INT, MPJ_SUM, comm));
    NEED(all == sum(p, time));
    if (time % 3 != me % 3) NEED(!end(&a[0], time % 2 == 0));
  }
  return close_all(a);
}

START_TEST(blocking_calls_between_end)
{
  play(2, between_rank, NULL);
  play(4, between_rank, NULL);
}
END_TEST

static void shuffle(int order[COMMS], unsigned *seed)
{
  for (int i = 0; i < COMMS; i++) {
    const int k = (int)(roll(seed) % (unsigned)(i + 1));
    order[i] = order[k];
    order[k] = i;
  }
}

/* Starts in any order, tests between, then waits in any order. */
static int random_rank(void *arg)
{
  struct party a[COMMS];
  unsigned seed = 77 + (unsigned)world()->rank;
  int order[COMMS], done;
  (void)arg;
  NEED(!open_all(a));
  for (int time = 0; time < 2 * TIMES; time++) {
    shuffle(order, &seed);
    for (int i = 0; i < COMMS; i++) {
      NEED(!start(&a[order[i]]));
      if (roll(&seed) % 2 == 0)
        NEED(!MPJ_Test(&a[order[roll(&seed) % (unsigned)(i + 1)]].request, &done));
      if (roll(&seed) % 4 == 0) dawdle(&seed);
    }
    shuffle(order, &seed);
    for (int i = 0; i < COMMS; i++)
      NEED(!end(&a[order[i]], roll(&seed) % 2 == 0));
  }
  return close_all(a);
}

START_TEST(any_order_on_several_communicators_ends)
{
  play(2, random_rank, NULL);
  play(3, random_rank, NULL);
  play(6, random_rank, NULL);
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
                   waits_in_any_order_end, what_one_call_starts_ends, blocking_calls_between_end,
                   any_order_on_several_communicators_ends, tests_hand_over_in_the_end,
                   types_requests_and_communicators_may_be_freed_at_once,
                   finalize_refuses_what_was_begun_quickly, a_rank_that_leaves_is_noticed,
                   what_does_not_fit_is_an_error_as_ever);
}
