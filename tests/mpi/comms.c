/* This program makes MPJ communicators of MPI's, of every way to make one, and compares
 * what their collectives give with what MPI's do. It is a job of any MPI launcher.
 *
 *   comms mpi|mpj|started [many]   who is finalised first, or MPJ has been started by
 *                                  MPJ_Init; and 1,000 communicators made and freed
 *
 * Exit status 0: all is well. */
#include <mpj/mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

#define NEED(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "line %d: not so: %s (%s)\n", __LINE__, #condition, MPJ_Error_detail());     \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

enum { P_MAX = 16, N = 1000, LATE = 200 };

static int rank_in(MPI_Comm mpi)
{
  int rank;
  MPI_Comm_rank(mpi, &rank);
  return rank;
}

static int size_of(MPI_Comm mpi)
{
  int size;
  MPI_Comm_size(mpi, &size);
  return size;
}

/* Collectives that say who is who, and one of a type that MPI has made. */
static void compare_exchanges(MPI_Comm mpi, MPJ_Comm comm)
{
  int p = size_of(mpi), mine[P_MAX], got[P_MAX], expected[P_MAX];
  MPJ_Datatype row;
  NEED(!MPJ_Type_contiguous(p, MPJ_INT, &row) && !MPJ_Type_commit(&row));
  for (int i = 0; i < p; i++)
    mine[i] = 100 * rank_in(MPI_COMM_WORLD) + i;
  MPI_Alltoall(mine, 1, MPI_INT, expected, 1, MPI_INT, mpi);
  NEED(!MPJ_Alltoall(mine, row, got, row, comm));
  NEED(memcmp(got, expected, (size_t)p * sizeof(int)) == 0);
  MPI_Scan(&mine[p - 1], &expected[0], 1, MPI_INT, MPI_SUM, mpi);
  NEED(!MPJ_Scan(&mine[p - 1], MPJ_INT, &got[0], MPJ_INT, MPJ_SUM, comm) && got[0] == expected[0]);
  MPJ_Type_free(&row);
}

static void compare_bcast(MPI_Comm mpi, MPJ_Comm comm)
{
  static int got[2 * N], expected[2 * N];
  const int root = size_of(mpi) - 1, start = rank_in(MPI_COMM_WORLD);
  MPI_Datatype every_other;
  MPJ_Datatype type;
  for (int i = 0; i < 2 * N; i++)
    got[i] = expected[i] = start + i;
  MPI_Type_vector(N, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Bcast(expected, 1, every_other, root, mpi);
  NEED(!MPJ_Type_from_mpi(every_other, &type) && !MPJ_Bcast(got, type, root, comm));
  NEED(memcmp(got, expected, sizeof got) == 0);
  MPJ_Type_free(&type);
  MPI_Type_free(&every_other);
}

/* The communicator's, which is the same whenever one asks. */
static void compare(MPI_Comm mpi)
{
  MPJ_Comm comm, again;
  int rank = -1, size = -1;
  NEED(!MPJ_Comm_from_mpi(mpi, &comm) && !MPJ_Comm_from_mpi(mpi, &again) && comm == again);
  NEED(!MPJ_Comm_rank(comm, &rank) && rank == rank_in(mpi));
  NEED(!MPJ_Comm_size(comm, &size) && size == size_of(mpi));
  compare_exchanges(mpi, comm);
  compare_bcast(mpi, comm);
}

static void compare_and_free(MPI_Comm mpi)
{
  if (mpi == MPI_COMM_NULL) return;
  compare(mpi);
  MPI_Comm_free(&mpi);
}

static void compare_made(void)
{
  const int p = size_of(MPI_COMM_WORLD), me = rank_in(MPI_COMM_WORLD);
  const int dims[2] = {p % 2 ? p : p / 2, p % 2 ? 1 : 2}, periods[2] = {1, 0}, keep[2] = {0, 1};
  MPI_Comm made, row;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  compare_and_free(made);
  MPI_Comm_split(MPI_COMM_WORLD, me % 3, -me, &made);
  compare_and_free(made);
  MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 1, 0, &made);
  compare_and_free(made);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
  compare_and_free(made);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &made);
  MPI_Cart_sub(made, keep, &row);
  compare_and_free(row);
  compare_and_free(made);
}

/* The first n of all, in reverse: only they know of it. */
static void compare_groups(void)
{
  const int p = size_of(MPI_COMM_WORLD), me = rank_in(MPI_COMM_WORLD);
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int n = 1; n <= p; n++) {
    int ranks[P_MAX];
    MPI_Comm made;
    for (int i = 0; i < n; i++)
      ranks[i] = n - 1 - i;
    if (me >= n) continue;
    MPI_Group_incl(world, n, ranks, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, n, &made);
    compare_and_free(made);
    MPI_Group_free(&group);
  }
  MPI_Group_free(&world);
}

static void make_many(int n)
{
  for (int i = 0; i < n; i++) {
    MPI_Comm made;
    MPJ_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    NEED(!MPJ_Comm_from_mpi(made, &comm) && !MPJ_Barrier(comm));
    MPI_Comm_free(&made);
  }
}

static void look_for_growth(void)
{
  make_many(20);
  const long before = mpj_memory_outstanding();
  make_many(1000);
  const long after = mpj_memory_outstanding();
  if (after > before + LATE) fprintf(stderr, "%ld allocations became %ld\n", before, after);
  NEED(after <= before + LATE); /* a few have not been left by all yet */
}

/* A message that MPI can only deliver while its receiver, who waits in MPJ, looks at it. */
static void wait_for_each_other(void)
{
  static int sent[N], got[N];
  const int me = rank_in(MPI_COMM_WORLD);
  MPI_Request request;
  if (size_of(MPI_COMM_WORLD) < 2) return;
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < N; i++)
      sent[i] = round + i;
    if (me == 1) MPI_Irecv(got, N, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
    if (me == 0) MPI_Ssend(sent, N, MPI_INT, 1, 7, MPI_COMM_WORLD);
    NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
    if (me != 1) continue;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    NEED(memcmp(sent, got, sizeof got) == 0);
  }
}

/* Who comes last to a barrier, and leaves it for a call of MPI's, leaves nobody behind. */
static void come_last(void)
{
  const int p = size_of(MPI_COMM_WORLD), me = rank_in(MPI_COMM_WORLD);
  const struct timespec late = {.tv_nsec = 10000000};
  for (int last = 0; last < p; last++) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == last) nanosleep(&late, NULL);
    NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* The error names the function that was called, not one that this one calls. */
static bool names(const char *function)
{
  return strncmp(MPJ_Error_detail(), function, strlen(function)) == 0;
}

static void look_for_errors(void)
{
  MPJ_Comm comm = MPJ_COMM_NULL;
  MPI_Comm half, between;
  NEED(MPJ_Comm_to_mpi(MPJ_COMM_NULL, &half) == MPJ_ERR_COMM && names("MPJ_Comm_to_mpi"));
  const int p = size_of(MPI_COMM_WORLD), me = rank_in(MPI_COMM_WORLD);
  NEED(MPJ_Comm_from_mpi(MPI_COMM_WORLD, NULL) == MPJ_ERR_ARG);
  NEED(MPJ_Comm_from_mpi(MPI_COMM_NULL, &comm) == MPJ_ERR_COMM && names("MPJ_Comm_from_mpi"));
  if (p < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 0, &between);
  NEED(MPJ_Comm_from_mpi(between, &comm) == MPJ_ERR_COMM && comm == MPJ_COMM_NULL);
  NEED(strstr(MPJ_Error_detail(), "intercommunicator"));
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

/* What is kept goes with MPJ, whoever frees the MPI communicator afterwards. */
static void finish(const char *first)
{
  MPI_Comm left;
  MPJ_Comm comm;
  int flag = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &left);
  NEED(!MPJ_Comm_from_mpi(left, &comm) && !MPJ_Barrier(comm));
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(first, "mpi") != 0) {
    NEED(!MPJ_Finalize());
    NEED(MPJ_Barrier(comm) == MPJ_ERR_COMM && MPJ_Comm_from_mpi(left, &comm) == MPJ_SUCCESS);
    MPI_Comm_free(&left);
    MPI_Comm_dup(MPI_COMM_WORLD, &left);
    NEED(MPJ_Comm_from_mpi(left, &comm) == MPJ_ERR_COMM);
    MPI_Comm_free(&left);
  }
  MPI_Finalize(); /* with a communicator that is not freed, where it is the first */
  NEED(!MPJ_Finalized(&flag) && flag);
  NEED(MPJ_Comm_from_mpi(MPI_COMM_SELF, &comm) == MPJ_ERR_INTERNAL);
}

/* --- MPI communicators of MPJ's --- */

static int relation(MPI_Comm a, MPI_Comm b)
{
  int result;
  MPI_Comm_compare(a, b, &result);
  return result;
}

/* One that MPJ made alone: the ranks of `comm`, all collectives, the same handle the next time, and
 * it comes back as comm. */
static void compare_back(MPJ_Comm comm)
{
  MPI_Comm mpi = MPI_COMM_NULL, again = MPI_COMM_NULL;
  MPJ_Comm back = MPJ_COMM_NULL;
  int rank, size;
  NEED(!MPJ_Comm_rank(comm, &rank) && !MPJ_Comm_size(comm, &size));
  NEED(!MPJ_Comm_to_mpi(comm, &mpi) && !MPJ_Comm_to_mpi(comm, &again) && mpi == again);
  NEED(rank_in(mpi) == rank && size_of(mpi) == size);
  NEED(!MPJ_Comm_from_mpi(mpi, &back) && back == comm);
  compare_exchanges(mpi, comm);
}

static void compare_to_mpi(const char *how)
{
  MPI_Comm mpi = MPI_COMM_NULL, dup;
  MPJ_Comm comm, halves;
  const int me = rank_in(MPI_COMM_WORLD);
  NEED(!MPJ_Comm_to_mpi(MPJ_COMM_SELF, &mpi) && mpi == MPI_COMM_SELF);
  NEED(!MPJ_Comm_to_mpi(MPJ_COMM_WORLD, &mpi) && size_of(mpi) == size_of(MPI_COMM_WORLD));
  NEED(strcmp(how, "started") == 0 || mpi == MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  NEED(!MPJ_Comm_from_mpi(dup, &comm) && !MPJ_Comm_to_mpi(comm, &mpi) && mpi == dup);
  NEED(!MPJ_Comm_split(comm, me % 2, -me, &halves));
  compare_back(halves);
  NEED(!MPJ_Comm_to_mpi(halves, &mpi) && !MPJ_Comm_free(&halves)); /* and mpi with it */
  MPI_Comm_free(&dup);
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comm));
  for (int i = 0; i < 3; i++) { /* what the program frees is made again */
    compare_back(comm);
    NEED(!MPJ_Comm_to_mpi(comm, &mpi));
    NEED(relation(mpi, MPI_COMM_WORLD) != MPI_IDENT &&
         relation(mpi, MPI_COMM_WORLD) != MPI_UNEQUAL);
    if (i < 2) MPI_Comm_free(&mpi);
  }
  NEED(!MPJ_Barrier(comm) && !MPJ_Comm_free(&comm));
  mpi = MPI_COMM_SELF;
  NEED(MPJ_Comm_to_mpi(MPJ_COMM_NULL, &mpi) == MPJ_ERR_COMM && mpi == MPI_COMM_SELF);
  NEED(MPJ_Comm_to_mpi(MPJ_COMM_WORLD, NULL) == MPJ_ERR_ARG);
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "mpi";
  MPJ_Comm comm;
  NEED(MPJ_Comm_from_mpi(MPI_COMM_WORLD, &comm) == MPJ_ERR_INTERNAL);
  MPI_Init(&argc, &argv);
  if (strcmp(how, "started") == 0) NEED(!MPJ_Init(NULL, NULL));
  compare(MPI_COMM_WORLD);
  compare(MPI_COMM_SELF);
  NEED(!MPJ_Comm_from_mpi(MPI_COMM_WORLD, &comm));
  if (strcmp(how, "started") != 0) NEED(comm == MPJ_COMM_WORLD && !MPJ_Init_from_mpi());
  compare_made();
  compare_groups();
  wait_for_each_other();
  come_last();
  compare_to_mpi(how);
  look_for_errors();
  if (argc > 2) look_for_growth();
  finish(how);
  return 0;
}
