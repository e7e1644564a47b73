/* This program repeats MPI's v and w collectives with the same lists, which change now and then in
 * their place, on types and communicators that are freed and made again, so that handles come
 * back with another meaning. Every call is made twice, by MPI_... and by PMPI_...; under the
 * interposer these are MPJ and the MPI library.
 *
 * Exit status 0: all are equal. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 240, MOST = 16, INTS = 4096, PART = INTS / MOST };

static int p, me;
static int sendcounts[MOST], recvcounts[MOST], displs[MOST], bytes_displs[MOST];
static int from[INTS], by_mpj[INTS], by_mpi[INTS];
static MPI_Datatype type, types[MOST];
static MPI_Comm comm = MPI_COMM_NULL;
static int reversed; /* comm has its ranks the other way round */

/* Rank i sends rank j (i + j + turn) % 3 elements of 2 ints. */
static void fill_lists(int turn)
{
  for (int i = 0; i < p; i++) {
    sendcounts[i] = (me + i + turn) % 3;
    recvcounts[i] = (i + me + turn) % 3;
    displs[i] = i * PART / 32;
    bytes_displs[i] = i * PART * (int)sizeof(int);
  }
}

/* Two ints, so many apart, in an element of 8 ints. */
static void make_type(int turn)
{
  MPI_Datatype two;
  if (turn > 0) MPI_Type_free(&type);
  MPI_Type_vector(2, 1, 1 + turn % 5, MPI_INT, &two);
  MPI_Type_create_resized(two, 0, 8 * sizeof(int), &type);
  MPI_Type_free(&two);
  MPI_Type_commit(&type);
  for (int i = 0; i < p; i++)
    types[i] = type;
}

static void make_comm(int turn)
{
  if (turn > 0) MPI_Comm_free(&comm);
  reversed = turn % 2;
  if (!reversed)
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  else
    MPI_Comm_split(MPI_COMM_WORLD, 0, p - me, &comm);
}

static void compare(const char *call, int round)
{
  if (memcmp(by_mpj, by_mpi, sizeof by_mpj) == 0) return;
  fprintf(stderr, "rank %d: %s in round %d brought something else\n", me, call, round);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void clear(void)
{
  memset(by_mpj, 0x55, sizeof by_mpj);
  memset(by_mpi, 0x55, sizeof by_mpi);
}

/* CALL(MPI_, buffer) and CALL(PMPI_, buffer) bring the same. */
#define BOTH(CALL, name, round)                                                                    \
  clear();                                                                                         \
  CALL(MPI_, by_mpj);                                                                              \
  CALL(PMPI_, by_mpi);                                                                             \
  compare(name, round)

#define ALLTOALLV(prefix, to)                                                                      \
  prefix##Alltoallv(from, sendcounts, displs, type, to, recvcounts, displs, type, comm)
#define ALLTOALLW(prefix, to)                                                                      \
  prefix##Alltoallw(from, sendcounts, bytes_displs, types, to, recvcounts, bytes_displs, types,    \
                    comm)
#define ALLGATHERV(prefix, to)                                                                     \
  prefix##Allgatherv(from, all[rank], type, to, all, displs, type, comm)
#define ALLREDUCE(prefix, to) prefix##Allreduce(from, to, 1 + round % 4, MPI_INT, MPI_SUM, comm)

static void play(int round)
{
  int rank, all[MOST];
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < p; i++)
    all[i] = 1 + (i + round / 3) % 3;
  for (int i = 0; i < INTS; i++)
    from[i] = (round * 131 + me) * INTS + i;
  if (!reversed) { /* the lists are those of MPI_COMM_WORLD's ranks */
    BOTH(ALLTOALLV, "MPI_Alltoallv", round);
    BOTH(ALLTOALLW, "MPI_Alltoallw", round);
  }
  BOTH(ALLGATHERV, "MPI_Allgatherv", round);
  BOTH(ALLREDUCE, "MPI_Allreduce", round);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (p > MOST) return 1;
  for (int round = 0; round < ROUNDS; round++) {
    if (round % 3 == 0) fill_lists(round / 3);
    if (round % 5 == 0) make_type(round / 5);
    if (round % 20 == 0) make_comm(round / 20);
    play(round);
  }
  MPI_Comm_free(&comm);
  MPI_Type_free(&type);
  if (me == 0) printf("%d rounds are equal\n", ROUNDS);
  MPI_Finalize();
  return 0;
}
