/* This program looks once for what is there, right after a barrier: MPI's tests and probes have
 * seen it in the barrier, so the one look finds it, after a served barrier, too. It prints how
 * often not: never, with the interposer and without.
 *
 *   looks [served] */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 50, MANY = 24, WAYS = 9 };

static int rank, missed[WAYS];
static const char *const names[WAYS] = {"Iprobe",     "Improbe",  "Test",
                                        "Testall",    "Testany",  "Testsome",
                                        "get_status", "Win_test", "Iprobe of each"};

/* Rank 0's messages 0 .. n - 1 are there once the barrier is over. */
static void send_all(int n)
{
  for (int i = 0; i < n; i++)
    MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void receive_all(int n)
{
  int x;
  for (int i = 0; i < n; i++)
    MPI_Recv(&x, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void probe(int n)
{
  int found = 0, x;
  MPI_Message message;
  if (rank == 0) {
    send_all(n);
    send_all(n);
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Iprobe(0, n - 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  missed[0] += !found;
  receive_all(n);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Improbe(0, n - 1, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
  missed[1] += !found;
  if (found) MPI_Mrecv(&x, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  receive_all(found ? n - 1 : n);
}

/* Each of the messages is looked for once. */
static void probe_each(int n)
{
  if (rank == 0) {
    send_all(n);
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) {
    int found = 0;
    MPI_Iprobe(0, i, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    missed[8] += !found;
  }
  receive_all(n);
}

/* One of the calls that test requests; whether it finds the last of them done. */
static int test(int way, int n, MPI_Request requests[])
{
  int done = 0, index, indices[MANY];
  MPI_Status statuses[MANY];
  if (way == 2) MPI_Test(&requests[n - 1], &done, MPI_STATUS_IGNORE);
  if (way == 3) MPI_Testall(n, requests, &done, statuses);
  if (way == 4) MPI_Testany(1, &requests[n - 1], &index, &done, MPI_STATUS_IGNORE);
  if (way == 5) MPI_Testsome(n, requests, &done, indices, statuses);
  if (way == 6) MPI_Request_get_status(requests[n - 1], &done, MPI_STATUS_IGNORE);
  return way == 5 ? done == n : done;
}

static void receive(int n)
{
  int x[MANY];
  MPI_Request requests[MANY];
  MPI_Status statuses[MANY];
  for (int way = 2; way < 7; way++) {
    for (int i = 0; rank == 1 && i < n; i++)
      MPI_Irecv(&x[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      send_all(n);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
      missed[way] += !test(way, n, requests);
      MPI_Waitall(n, requests, statuses);
    }
  }
}

static void expose(MPI_Win win, MPI_Group other)
{
  int done = 0;
  if (rank == 0) {
    MPI_Win_start(other, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_complete(win);
    MPI_Barrier(MPI_COMM_WORLD);
    return;
  }
  MPI_Win_post(other, 0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_test(win, &done);
  missed[7] += !done;
  if (!done) MPI_Win_wait(win);
}

int main(int argc, char **argv)
{
  int memory = 0, peer;
  MPI_Win win;
  MPI_Group all, other;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  peer = 1 - rank;
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  for (int i = 0; i < ROUNDS; i++) {
    const int n = i % 2 ? MANY : 1;
    probe(n);
    probe_each(n);
    receive(n);
    expose(win, other);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&other);
  MPI_Win_free(&win);
  for (int way = 0; rank == 1 && way < WAYS; way++)
    printf("%s %d\n", names[way], missed[way]);
  MPI_Finalize();
  return 0;
}
