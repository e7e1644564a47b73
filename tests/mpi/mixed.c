/* This program has served requests and the MPI library's own in one array: nonblocking and
 * persistent collectives, messages, persistent messages; completed in every way, cancelled, freed;
 * and many of both. Then several threads do it at once, each on communicators of its own. For runs under the
 * interposer: MPICH 4.0.2 alone overlooks complete persistent requests in such arrays. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Bcast_init MPIX_Bcast_init
#endif

enum { REQUESTS = 7, WAYS = 8, ROUNDS = 3, THREADS = 3, LONG = 1 << 17, MANY = 150 };
enum { SUM, RECEIVE, BARRIER, SEND, KEPT_SUM, KEPT_RECEIVE, KEPT_BCAST };

struct play {
  MPI_Comm comm, other;
  int rank, size;
  int *out, *in; /* LONG ints, to the next rank and from the one before */
  MPI_Request requests[REQUESTS];
  int sum, mine, kept_sum, kept_mine, kept_in, kept_bcast;
};

static void check(int right, const char *what)
{
  if (right) return;
  fprintf(stderr, "wrong: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* --- completion in every way --- */

static int wait_some(MPI_Request r[])
{
  int n = 0, indices[REQUESTS];
  MPI_Status statuses[REQUESTS];
  MPI_Waitsome(REQUESTS, r, &n, indices, statuses);
  return n == MPI_UNDEFINED ? REQUESTS : n;
}

static int test_some(MPI_Request r[])
{
  int n = 0, indices[REQUESTS];
  MPI_Status statuses[REQUESTS];
  MPI_Testsome(REQUESTS, r, &n, indices, statuses);
  return n == MPI_UNDEFINED ? REQUESTS : n;
}

static int any(MPI_Request r[], int waits)
{
  int index = 0, done = 1;
  MPI_Status status;
  if (waits)
    MPI_Waitany(REQUESTS, r, &index, &status);
  else
    MPI_Testany(REQUESTS, r, &index, &done, &status);
  return !done ? 0 : index == MPI_UNDEFINED ? REQUESTS : 1;
}

static void complete(int way, MPI_Request r[])
{
  int done = 0;
  MPI_Status statuses[REQUESTS];
  if (way == 0) MPI_Waitall(REQUESTS, r, statuses);
  for (int i = 0; i < REQUESTS && way == 1; i++)
    MPI_Wait(&r[REQUESTS - 1 - i], MPI_STATUS_IGNORE);
  for (int left = REQUESTS; left > 0 && way == 2;)
    left -= wait_some(r);
  for (int left = REQUESTS; left > 0 && way == 3;)
    left -= test_some(r);
  for (int left = REQUESTS; left > 0 && way == 4;)
    left -= any(r, 1);
  for (int left = REQUESTS; left > 0 && way == 5;)
    left -= any(r, 0);
  while (way == 6 && !done)
    MPI_Testall(REQUESTS, r, &done, statuses);
  for (int i = 0; i < REQUESTS && way == 7; i++) {
    for (done = 0; !done;)
      MPI_Request_get_status(r[i], &done, MPI_STATUS_IGNORE);
    for (done = 0; !done;)
      MPI_Test(&r[i], &done, MPI_STATUS_IGNORE);
  }
}

/* --- one array --- */

static void begin(struct play *p)
{
  const int before = (p->rank + p->size - 1) % p->size;
  MPI_Allreduce_init(&p->kept_mine, &p->kept_sum, 1, MPI_INT, MPI_SUM, p->other, MPI_INFO_NULL,
                     &p->requests[KEPT_SUM]);
  MPI_Recv_init(&p->kept_in, 1, MPI_INT, before, 2, p->comm, &p->requests[KEPT_RECEIVE]);
  MPI_Bcast_init(&p->kept_bcast, 1, MPI_INT, p->size - 1, p->comm, MPI_INFO_NULL,
                 &p->requests[KEPT_BCAST]);
}

static void round_of(struct play *p, int round, int way)
{
  const int next = (p->rank + 1) % p->size, before = (p->rank + p->size - 1) % p->size;
  const int all = p->size * (p->size - 1) / 2;
  p->mine = p->rank + round;
  p->kept_mine = p->rank * round;
  p->kept_bcast = p->rank == p->size - 1 ? 1000 + round : -1;
  p->sum = p->kept_sum = p->kept_in = -1;
  for (int i = 0; i < LONG; i++)
    p->out[i] = p->rank * 7 + i + round, p->in[i] = -1;
  MPI_Irecv(p->in, LONG, MPI_INT, before, 1, p->comm, &p->requests[RECEIVE]);
  MPI_Iallreduce(&p->mine, &p->sum, 1, MPI_INT, MPI_SUM, p->comm, &p->requests[SUM]);
  MPI_Startall(3, &p->requests[KEPT_SUM]);
  MPI_Isend(p->out, LONG, MPI_INT, next, 1, p->comm, &p->requests[SEND]);
  MPI_Ibarrier(p->other, &p->requests[BARRIER]);
  MPI_Send(&round, 1, MPI_INT, next, 2, p->comm);
  complete(way, p->requests);
  check(p->sum == all + p->size * round, "a nonblocking sum");
  check(p->kept_sum == all * round, "a persistent sum");
  check(p->kept_bcast == 1000 + round, "a persistent broadcast");
  check(p->kept_in == round, "a persistent message");
  for (int i = 0; i < LONG; i++)
    check(p->in[i] == before * 7 + i + round, "a message");
  for (int i = 0; i < KEPT_SUM; i++)
    check(p->requests[i] == MPI_REQUEST_NULL, "a request that has ended is still there");
  for (int i = KEPT_SUM; i < REQUESTS; i++)
    check(p->requests[i] != MPI_REQUEST_NULL, "a persistent request is gone");
}

static void end(struct play *p)
{
  for (int i = KEPT_SUM; i < REQUESTS; i++) {
    MPI_Request_free(&p->requests[i]);
    check(p->requests[i] == MPI_REQUEST_NULL, "a freed request");
  }
}

/* --- requests that are given up --- */

/* A receive that is cancelled beside a served operation; a send that is freed. */
static void given_up(struct play *p)
{
  MPI_Request r[2], sent;
  MPI_Status statuses[2];
  int x = -1, mine = 1, sum = 0, cancelled = 0, word = p->rank, got = -1;
  const int next = (p->rank + 1) % p->size, before = (p->rank + p->size - 1) % p->size;
  MPI_Irecv(&x, 1, MPI_INT, before, 99, p->comm, &r[0]);
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, p->comm, &r[1]);
  MPI_Cancel(&r[0]);
  MPI_Waitall(2, r, statuses);
  MPI_Test_cancelled(&statuses[0], &cancelled);
  check(cancelled && x == -1, "a receive that was cancelled");
  MPI_Test_cancelled(&statuses[1], &cancelled);
  check(!cancelled && sum == p->size, "a sum beside it");
  MPI_Isend(&word, 1, MPI_INT, next, 4, p->comm, &sent);
  MPI_Request_free(&sent);
  MPI_Recv(&got, 1, MPI_INT, before, 4, p->comm, MPI_STATUS_IGNORE);
  check(got == before, "a message whose request was freed");
  MPI_Barrier(p->comm);
}

/* One look; the place of what has been found is noted. Returns whether there is none left. */
static int look(MPI_Request r[], int ended[])
{
  int index = -1, done = 0;
  MPI_Testany(MANY, r, &index, &done, MPI_STATUS_IGNORE);
  if (!done || index == MPI_UNDEFINED) return done;
  check(index >= 0 && index < MANY && r[index] == MPI_REQUEST_NULL, "the one that was found");
  ended[index]++;
  return 0;
}

/* Sums, receives whose messages come in the other order, and holes. The last receive's message is
 * sent when all else has been found, and it has been looked for. */
static void many(struct play *p)
{
  enum { LAST = MANY - 3 };
  const int next = (p->rank + 1) % p->size, before = (p->rank + p->size - 1) % p->size;
  MPI_Request r[MANY];
  int mine[MANY], got[MANY], ended[MANY] = {0}, left = 0;
  for (int i = 0; i < MANY; i++) {
    mine[i] = i, got[i] = -1, r[i] = MPI_REQUEST_NULL;
    if (i % 3 == 0) MPI_Irecv(&got[i], 1, MPI_INT, before, 100 + i, p->comm, &r[i]);
    if (i % 3 == 1) MPI_Iallreduce(&mine[i], &got[i], 1, MPI_INT, MPI_SUM, p->comm, &r[i]);
  }
  for (int i = LAST - 3; i >= 0; i -= 3)
    MPI_Send(&mine[i], 1, MPI_INT, next, 100 + i, p->comm);
  do {
    check(!look(r, ended), "none is left of many that are under way");
    left = 0;
    for (int i = 0; i < MANY; i++)
      left += r[i] != MPI_REQUEST_NULL;
  } while (left > 1);
  check(!look(r, ended) && r[LAST] != MPI_REQUEST_NULL, "none is left but has not been sent");
  MPI_Barrier(p->comm);
  MPI_Send(&mine[LAST], 1, MPI_INT, next, 100 + LAST, p->comm);
  while (!look(r, ended))
    ;
  for (int i = 0; i < MANY; i++) {
    check(ended[i] == (i % 3 != 2), "how often one of many was found");
    check(got[i] == (i % 3 == 0 ? i : i % 3 == 1 ? p->size * i : -1), "what one of many brought");
  }
}

/* MPI's calls that wait for others, while these wait for a served operation of this rank's. */
static void others_wait(struct play *p)
{
  MPI_Request request;
  int x = p->rank == 0 ? 5 : -1, got = -1;
  const int last = p->size - 1;
  MPI_Ibcast(&x, 1, MPI_INT, 0, p->comm, &request);
  if (p->rank == 0 && p->size > 1) {
    MPI_Recv(&got, 1, MPI_INT, last, 6, p->comm, MPI_STATUS_IGNORE);
    check(got == 5, "what the last rank had got");
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(x == 5, "a broadcast");
  if (p->rank == last && last > 0) MPI_Send(&x, 1, MPI_INT, 0, 6, p->comm);
}

static void *run(void *arg)
{
  struct play *p = arg;
  MPI_Comm_rank(p->comm, &p->rank);
  MPI_Comm_size(p->comm, &p->size);
  p->out = malloc(LONG * sizeof(int));
  p->in = malloc(LONG * sizeof(int));
  begin(p);
  for (int way = 0; way < WAYS; way++)
    for (int round = 0; round < ROUNDS; round++)
      round_of(p, round + way, way);
  end(p);
  given_up(p);
  many(p);
  others_wait(p);
  free(p->out);
  free(p->in);
  return NULL;
}

/* The communicators are served from here on: of several threads that are the first to use new ones,
 * the interposer serves one, and what others do then is the MPI library's. */
static void make(struct play *p)
{
  MPI_Comm_dup(MPI_COMM_WORLD, &p->comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &p->other);
  for (int i = 0; i < 5; i++) {
    MPI_Barrier(p->comm);
    MPI_Barrier(p->other);
  }
}

int main(int argc, char **argv)
{
  static struct play plays[THREADS];
  pthread_t threads[THREADS];
  int rank, level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < THREADS; i++)
    make(&plays[i]);
  run(&plays[0]);
  if (rank == 0) printf("one thread: all right\n");
  if (level == MPI_THREAD_MULTIPLE) {
    for (int i = 0; i < THREADS; i++)
      pthread_create(&threads[i], NULL, run, &plays[i]);
    for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
    if (rank == 0) printf("%d threads: all right\n", THREADS);
  }
  for (int i = 0; i < THREADS; i++) {
    MPI_Comm_free(&plays[i].comm);
    MPI_Comm_free(&plays[i].other);
  }
  MPI_Finalize();
  return 0;
}
