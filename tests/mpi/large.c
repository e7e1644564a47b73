/* This program makes every collective in the forms with large counts (MPI_Bcast_c and so on; MPICH
 * has them), blocking, nonblocking and persistent, with types that constructors with large counts
 * made, and compares what comes with the MPI library's own collective with int counts. It prints
 * "all right" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 16, BYTES = 1 << 15, BLOCKING = 0, NONBLOCKING, PERSISTENT, FORMS };

static int rank, size, form;
static MPI_Comm comm;
static char *send, *ours, *theirs, *unused;
/* Rank i gets i + 1 elements from each, one extent apart; in bytes for w. */
static int counts[RANKS], displs[RANKS], mine[RANKS], spread[RANKS], bytes[RANKS], apart[RANKS];
static MPI_Count counts_c[RANKS], mine_c[RANKS];
static MPI_Aint displs_c[RANKS], spread_c[RANKS], bytes_c[RANKS], apart_c[RANKS];
static MPI_Datatype element, types[RANKS];

static void check(const char *name)
{
  int equal = memcmp(ours, theirs, BYTES) == 0;
  if (!equal) fprintf(stderr, "rank %d of %d: %s, form %d, differs\n", rank, size, name, form);
  if (!equal) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill(void)
{
  for (int i = 0; i < BYTES; i++) {
    send[i] = (char)(i * 7 + rank * 31 + i / 256);
    ours[i] = theirs[i] = (char)(i * 3 + rank);
  }
}

static void finish(int persistent, MPI_Request *request)
{
  if (persistent) MPI_Start(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  if (persistent) MPI_Request_free(request);
}

#define LIST(...) __VA_ARGS__
/* MPI_Name_c of `large` arguments, into ours, by the form; PMPI_Name of `small` ones, into theirs.
 */
#define SAME(Name, IName, LARGE, SMALL)                                                            \
  do {                                                                                             \
    MPI_Request request = MPI_REQUEST_NULL;                                                        \
    fill();                                                                                        \
    if (form == BLOCKING)                                                                          \
      MPI_##Name##_c(LARGE);                                                                       \
    else if (form == NONBLOCKING)                                                                  \
      MPI_##IName##_c(LARGE, &request);                                                            \
    else                                                                                           \
      MPI_##Name##_init_c(LARGE, MPI_INFO_NULL, &request);                                         \
    if (form != BLOCKING) finish(form == PERSISTENT, &request);                                    \
    PMPI_##Name(SMALL);                                                                            \
    check(#Name "_c");                                                                             \
  } while (0)

static void data(int root)
{
  const int n = 3;
  SAME(Bcast, Ibcast, LIST(ours, n, element, root, comm), LIST(theirs, n, element, root, comm));
  SAME(Gather, Igather, LIST(send, n, element, ours, n, element, root, comm),
       LIST(send, n, element, theirs, n, element, root, comm));
  SAME(Scatter, Iscatter, LIST(send, n, element, ours, n, element, root, comm),
       LIST(send, n, element, theirs, n, element, root, comm));
  SAME(Allgather, Iallgather, LIST(send, n, element, ours, n, element, comm),
       LIST(send, n, element, theirs, n, element, comm));
  SAME(Alltoall, Ialltoall, LIST(send, n, element, ours, n, element, comm),
       LIST(send, n, element, theirs, n, element, comm));
  SAME(Gatherv, Igatherv,
       LIST(send, counts_c[rank], element, ours, counts_c, displs_c, element, root, comm),
       LIST(send, counts[rank], element, theirs, counts, displs, element, root, comm));
  SAME(Scatterv, Iscatterv,
       LIST(send, counts_c, displs_c, element, ours, counts_c[rank], element, root, comm),
       LIST(send, counts, displs, element, theirs, counts[rank], element, root, comm));
  SAME(Allgatherv, Iallgatherv,
       LIST(send, counts_c[rank], element, ours, counts_c, displs_c, element, comm),
       LIST(send, counts[rank], element, theirs, counts, displs, element, comm));
  SAME(Alltoallv, Ialltoallv,
       LIST(send, counts_c, displs_c, element, ours, mine_c, spread_c, element, comm),
       LIST(send, counts, displs, element, theirs, mine, spread, element, comm));
  SAME(Alltoallw, Ialltoallw,
       LIST(send, counts_c, bytes_c, types, ours, mine_c, apart_c, types, comm),
       LIST(send, counts, bytes, types, theirs, mine, apart, types, comm));
}

static void reductions(int root)
{
  const int n = 50;
  SAME(Reduce, Ireduce, LIST(send, ours, n, MPI_INT, MPI_BXOR, root, comm),
       LIST(send, theirs, n, MPI_INT, MPI_BXOR, root, comm));
  SAME(Allreduce, Iallreduce, LIST(send, ours, n, MPI_INT, MPI_SUM, comm),
       LIST(send, theirs, n, MPI_INT, MPI_SUM, comm));
  SAME(Scan, Iscan, LIST(send, ours, n, MPI_UNSIGNED, MPI_PROD, comm),
       LIST(send, theirs, n, MPI_UNSIGNED, MPI_PROD, comm));
  SAME(Exscan, Iexscan, LIST(send, rank > 0 ? ours : unused, n, MPI_LONG, MPI_MAX, comm),
       LIST(send, rank > 0 ? theirs : unused, n, MPI_LONG, MPI_MAX, comm)); /* the first has none */
  SAME(Reduce_scatter, Ireduce_scatter, LIST(send, ours, counts_c, MPI_INT, MPI_MIN, comm),
       LIST(send, theirs, counts, MPI_INT, MPI_MIN, comm));
  SAME(Reduce_scatter_block, Ireduce_scatter_block, LIST(send, ours, n, MPI_INT, MPI_BOR, comm),
       LIST(send, theirs, n, MPI_INT, MPI_BOR, comm));
}

/* Two ints, a gap, a double, by constructors with large counts; and others of as many bytes. */
static void make_types(void)
{
  MPI_Datatype ints, parts[2];
  PMPI_Type_vector_c(2, 1, 3, MPI_INT, &ints);
  parts[0] = ints;
  parts[1] = MPI_DOUBLE;
  PMPI_Type_create_struct_c(2, (MPI_Count[]){1, 1}, (MPI_Count[]){0, 24}, parts, &types[0]);
  PMPI_Type_create_resized_c(types[0], 0, 40, &element);
  MPI_Type_commit(&element);
  MPI_Type_free(&ints);
  MPI_Type_free(&types[0]);
  for (int i = 0; i < size; i++) {
    if (i % 2)
      PMPI_Type_dup(element, &types[i]);
    else
      PMPI_Type_indexed_c(1, (MPI_Count[]){1}, (MPI_Count[]){0}, element, &types[i]);
    MPI_Type_commit(&types[i]);
  }
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  send = malloc(BYTES), ours = malloc(BYTES), theirs = malloc(BYTES), unused = malloc(BYTES);
  make_types();
  for (int i = 0; i < size; i++) {
    counts[i] = i % 3 + 1, displs[i] = 4 * i, bytes[i] = 160 * i;
    mine[i] = rank % 3 + 1, spread[i] = 5 * i, apart[i] = 200 * i;
    counts_c[i] = counts[i], displs_c[i] = displs[i], bytes_c[i] = bytes[i];
    mine_c[i] = mine[i], spread_c[i] = spread[i], apart_c[i] = apart[i];
  }
  for (form = 0; form < FORMS; form++) {
    data(form % size);
    reductions((form + 1) % size);
  }
  if (rank == 0) printf("all right\n");
  for (int i = 0; i < size; i++)
    MPI_Type_free(&types[i]);
  MPI_Type_free(&element);
  free(send), free(ours), free(theirs), free(unused);
  MPI_Finalize();
  return 0;
}
