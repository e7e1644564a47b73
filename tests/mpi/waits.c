/* This program waits in calls of MPI's that the interposer leaves to it, while other ranks wait for
 * this one's part in a nonblocking collective before they make the same call. It prints on rank 0
 * what is the same with the interposer and without.
 *
 *   waits [served] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONG = 90000, SHORT = 6, CALLS = 5, ROUNDS = 2 };

static int rank, size;
static int *in, *out;

static void check(int right, const char *what)
{
  if (right) return;
  fprintf(stderr, "wrong: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The first and the last rank exchange a word, the others nothing. */
static void replace(void)
{
  int x = rank;
  const int peer = rank == 0 ? size - 1 : 0;
  if (rank > 0 && rank < size - 1) return;
  MPI_Sendrecv_replace(&x, 1, MPI_INT, peer, 1, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(x == peer, "a word that was exchanged");
}

static void window(void)
{
  int x = 0;
  MPI_Win win;
  MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void neighbours(void)
{
  MPI_Comm ring;
  int mine = rank, got[2];
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &ring);
  MPI_Neighbor_allgather(&mine, 1, MPI_INT, got, 1, MPI_INT, ring);
  check(got[0] == (rank + size - 1) % size && got[1] == (rank + 1) % size, "neighbours");
  MPI_Comm_free(&ring);
}

static void call(int which)
{
  MPI_Comm comm;
  switch (which) {
  case 0:
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
    break;
  case 1:
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_free(&comm);
    break;
  case 2:
    replace();
    break;
  case 3:
    window();
    break;
  default:
    neighbours();
  }
}

/* Rank 0 makes the call first, the others when they have what rank 0 owes them. */
static void wait_in(int which, int n)
{
  MPI_Request request;
  for (int i = 0; i < n; i++)
    in[i] = i + rank;
  MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  if (rank == 0) call(which);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank != 0) call(which);
  for (int i = 0; i < n; i++)
    check(out[i] == i * size + size * (size - 1) / 2, "a sum");
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  in = malloc(LONG * sizeof *in);
  out = malloc(LONG * sizeof *out);
  for (int which = 0; which < CALLS; which++)
    for (int round = 0; round < ROUNDS; round++) {
      wait_in(which, SHORT);
      wait_in(which, LONG);
    }
  if (rank == 0) printf("all right\n");
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
