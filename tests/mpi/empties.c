/* This program makes random Alltoallv, Alltoallw, Gatherv, Scatterv, Allgatherv and Reduce_scatter
 * calls in which some ranks have no data and pass something in its place: one address for both
 * sides, no buffer, MPI_IN_PLACE, no datatype. Such a rank's call must be served like the others',
 * and so must that of a rank whose data is in one buffer and whose lists are equal.
 *
 *   empties SEED N */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 16, MOST = 5000, ROOM = RANKS * MOST };

static int rank, size, wrong;
static unsigned long long all, own; /* random streams: equal on all ranks; this rank's */
static int matrix[RANKS][RANKS];    /* elements from row to column */

static int draw(unsigned long long *stream, int n)
{
  *stream = *stream * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((*stream >> 33) % (unsigned)n);
}

/* Each rank may have no data; `mirrored`: what goes and what comes between two is as much. */
static void draw_matrix(int mirrored)
{
  int empty[RANKS];
  const int most = draw(&all, 8) == 0 ? MOST : 3;
  for (int i = 0; i < size; i++)
    empty[i] = draw(&all, 5) < 2;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++)
      matrix[i][j] = empty[i] || empty[j] ? 0 : draw(&all, most + 1);
  for (int i = 0; mirrored && i < size; i++)
    for (int j = 0; j < i; j++)
      matrix[i][j] = matrix[j][i];
}

static int sum(int n, const int counts[])
{
  int s = 0;
  for (int i = 0; i < n; i++)
    s += counts[i];
  return s;
}

static void place(const int counts[], int displs[])
{
  for (int i = 0, at = 0; i < size; at += counts[i++])
    displs[i] = at;
}

static int value(int from, int to, int i)
{
  return 10000 * from + 100 * to + i;
}

static void check(const char *what, int right)
{
  if (right) return;
  printf("wrong: %s on rank %d of %d\n", what, rank, size);
  wrong = 1;
}

/* What a rank without data passes. */
static void *dummy(void *buf)
{
  void *const dummies[] = {&matrix, &matrix, NULL, buf, buf};
  return dummies[draw(&own, 5)];
}

static void *dummy_to_receive(void *buf)
{
  return draw(&own, 4) == 0 ? MPI_IN_PLACE : dummy(buf);
}

static MPI_Datatype dummy_type(void)
{
  return draw(&own, 4) == 0 ? MPI_DATATYPE_NULL : MPI_INT;
}

/* --- one collective each --- */

struct exchange {
  int scounts[RANKS], sdispls[RANKS], rcounts[RANKS], rdispls[RANKS];
  int sent[ROOM], received[ROOM];
  int w, nonblocking;
};

static void call(struct exchange *e, const void *from, const int rcounts[], const int rdispls[],
                 void *to, MPI_Datatype type)
{
  MPI_Datatype stypes[RANKS], rtypes[RANKS];
  int soffsets[RANKS], roffsets[RANKS];
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < size; i++) {
    stypes[i] = rtypes[i] = type;
    soffsets[i] = e->sdispls[i] * (int)sizeof(int);
    roffsets[i] = rdispls[i] * (int)sizeof(int);
  }
  const MPI_Comm comm = MPI_COMM_WORLD;
  if (e->w && e->nonblocking)
    MPI_Ialltoallw(from, e->scounts, soffsets, stypes, to, rcounts, roffsets, rtypes, comm,
                   &request);
  else if (e->w)
    MPI_Alltoallw(from, e->scounts, soffsets, stypes, to, rcounts, roffsets, rtypes, comm);
  else if (e->nonblocking)
    MPI_Ialltoallv(from, e->scounts, e->sdispls, type, to, rcounts, rdispls, type, comm, &request);
  else
    MPI_Alltoallv(from, e->scounts, e->sdispls, type, to, rcounts, rdispls, type, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void exchange(void)
{
  static struct exchange e;
  const int mirrored = draw(&all, 2);
  draw_matrix(mirrored);
  e.w = draw(&all, 2);
  e.nonblocking = draw(&all, 2);
  for (int i = 0; i < size; i++) {
    e.scounts[i] = matrix[rank][i];
    e.rcounts[i] = matrix[i][rank];
  }
  place(e.scounts, e.sdispls);
  place(e.rcounts, e.rdispls);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < e.scounts[i]; k++)
      e.sent[e.sdispls[i] + k] = value(rank, i, k);
  memset(e.received, -1, sizeof e.received);
  const int empty = sum(size, e.scounts) + sum(size, e.rcounts) == 0;
  int *at = e.received;
  if (empty) {
    const int same = draw(&own, 2); /* one pair of lists for both sides */
    call(&e, dummy(e.sent), same ? e.scounts : e.rcounts, same ? e.sdispls : e.rdispls,
         dummy_to_receive(e.received), dummy_type());
  } else if (mirrored && draw(&own, 2)) {
    at = e.sent; /* equal lists in arrays of their own */
    call(&e, e.sent, e.rcounts, e.rdispls, e.sent, MPI_INT);
  } else
    call(&e, e.sent, e.rcounts, e.rdispls, e.received, MPI_INT);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < e.rcounts[i]; k++)
      check(e.w ? "alltoallw" : "alltoallv", at[e.rdispls[i] + k] == value(i, rank, k));
}

static void gather(void)
{
  static int sent[ROOM], received[ROOM];
  int displs[RANKS], counts[RANKS];
  const int root = draw(&all, size);
  draw_matrix(0);
  for (int i = 0; i < size; i++)
    counts[i] = matrix[i][root];
  place(counts, displs);
  const int n = counts[rank], is_root = rank == root, none = sum(size, counts) == 0;
  for (int k = 0; k < n; k++)
    sent[k] = value(rank, root, k);
  const void *from = n > 0 ? sent : is_root ? dummy(sent) : dummy_to_receive(sent);
  MPI_Gatherv(from, n, n > 0 ? MPI_INT : dummy_type(),
              is_root && none ? dummy_to_receive(received) : received, counts, displs, MPI_INT,
              root, MPI_COMM_WORLD);
  for (int i = 0; is_root && i < size; i++)
    for (int k = 0; k < counts[i]; k++)
      check("gatherv", received[displs[i] + k] == value(i, root, k));
  for (int i = 0; i < size; i++)
    for (int k = 0; k < counts[i]; k++)
      received[displs[i] + k] = value(root, i, k);
  memset(sent, -1, sizeof sent);
  void *to = n > 0 ? sent : is_root ? dummy(sent) : dummy_to_receive(sent);
  MPI_Scatterv(is_root && none ? dummy_to_receive(received) : received, counts, displs, MPI_INT, to,
               n, n > 0 ? MPI_INT : dummy_type(), root, MPI_COMM_WORLD);
  for (int k = 0; k < n; k++)
    check("scatterv", sent[k] == value(root, rank, k));
}

static void gather_at_all(void)
{
  static int sent[ROOM], received[ROOM];
  int displs[RANKS];
  draw_matrix(0);
  const int *const counts = matrix[0], n = counts[rank];
  place(counts, displs);
  const int none = sum(size, counts) == 0;
  for (int k = 0; k < n; k++)
    sent[k] = value(rank, 0, k);
  MPI_Allgatherv(n > 0 ? sent : dummy(received + displs[rank]), n, n > 0 ? MPI_INT : dummy_type(),
                 none ? dummy_to_receive(received) : received, counts, displs, MPI_INT,
                 MPI_COMM_WORLD);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < counts[i]; k++)
      check("allgatherv", received[displs[i] + k] == value(i, 0, k));
}

static void reduce(void)
{
  static int sent[ROOM], received[ROOM];
  int displs[RANKS];
  draw_matrix(0);
  const int *const counts = matrix[0];
  place(counts, displs);
  for (int k = 0; k < sum(size, counts); k++)
    sent[k] = rank + k;
  void *const to = counts[rank] > 0 ? received : draw(&own, 2) ? MPI_IN_PLACE : NULL;
  MPI_Reduce_scatter(sent, to, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int k = 0; k < counts[rank]; k++)
    check("reduce_scatter", received[k] == size * (displs[rank] + k) + size * (size - 1) / 2);
  const int root = draw(&all, size);
  MPI_Reduce(rank == root ? sent : dummy_to_receive(sent),
             rank == root ? dummy(received) : received, 0, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int seed = argc > 1 ? atoi(argv[1]) : 1, n = argc > 2 ? atoi(argv[2]) : 100;
  for (int i = 0; i < n && !wrong; i++) {
    all = (unsigned)(seed + i);
    own = all * 1000 + (unsigned)rank + 1;
    exchange();
    gather();
    gather_at_all();
    reduce();
  }
  MPI_Finalize();
  if (rank == 0 && !wrong) printf("all right\n");
  return wrong;
}
