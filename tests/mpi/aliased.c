/* This program calls collectives whose send and receive data begin at one address, which MPI
 * forbids: on all ranks; and on one alone, where the library lets that pass. It prints what each
 * call gives, which is the same with the interposer and without: the library's error, or the result
 * that MPI_IN_PLACE has.
 *
 *   aliased [served] */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 8, N = 3 };

static int rank, size;
static int a[RANKS * N], b[RANKS * N], counts[RANKS], displs[RANKS];

static void fill(void)
{
  for (int i = 0; i < RANKS * N; i++) {
    a[i] = 100 * rank + i;
    b[i] = -1;
  }
}

/* What the ranks got, together: the error's class, or a sum over what is in `a`. */
static void show(const char *what, int code)
{
  long mine = 0, all[RANKS];
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  for (int i = 0; code == MPI_SUCCESS && i < size * N; i++)
    mine = mine * 31 + a[i];
  if (code != MPI_SUCCESS) mine = -class;
  PMPI_Gather(&mine, 1, MPI_LONG, all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; i++)
    printf("%s%ld%s", i == 0 ? what : "", all[i], i == size - 1 ? "\n" : " ");
  fill();
}

/* A call that the root's library may refuse: then the root makes it once more, as it should be,
 * since the others are in it. */
#define ROOTED(Name, ...)                                                                          \
  do {                                                                                             \
    const int code = MPI_##Name;                                                                   \
    if (code != MPI_SUCCESS) AGAIN(__VA_ARGS__);                                                   \
    show(#Name " ", code);                                                                         \
  } while (0)
#define AGAIN(...) MPI_##__VA_ARGS__
#define SHOW(...) show(#__VA_ARGS__ " ", MPI_##__VA_ARGS__)

static void rooted(void)
{
  const MPI_Comm comm = MPI_COMM_WORLD;
  ROOTED(Gather(a, N, MPI_INT, a, N, MPI_INT, 0, comm),
         Gather(a, N, MPI_INT, b, N, MPI_INT, 0, comm));
  ROOTED(Gatherv(a, N, MPI_INT, a, counts, displs, MPI_INT, 0, comm),
         Gatherv(a, N, MPI_INT, b, counts, displs, MPI_INT, 0, comm));
  ROOTED(Scatter(a, N, MPI_INT, a, N, MPI_INT, 0, comm),
         Scatter(a, N, MPI_INT, b, N, MPI_INT, 0, comm));
  ROOTED(Scatterv(a, counts, displs, MPI_INT, a, N, MPI_INT, 0, comm),
         Scatterv(a, counts, displs, MPI_INT, b, N, MPI_INT, 0, comm));
  ROOTED(Reduce(a, a, N, MPI_INT, MPI_SUM, 0, comm), Reduce(a, b, N, MPI_INT, MPI_SUM, 0, comm));
}

static void of_all(void)
{
  const MPI_Comm comm = MPI_COMM_WORLD;
  SHOW(Allgather(a + rank * N, N, MPI_INT, a, N, MPI_INT, comm));
  SHOW(Allgatherv(a + rank * N, N, MPI_INT, a, counts, displs, MPI_INT, comm));
  SHOW(Scan(a, a, N, MPI_INT, MPI_SUM, comm));
#ifndef OMPI_MAJOR_VERSION /* which gives results that are not defined */
  SHOW(Allreduce(a, a, N, MPI_INT, MPI_SUM, comm));
  SHOW(Alltoall(a, N, MPI_INT, a, N, MPI_INT, comm));
  SHOW(Alltoallv(a, counts, displs, MPI_INT, a, counts, displs, MPI_INT, comm));
  SHOW(Reduce_scatter(a, a, counts, MPI_INT, MPI_SUM, comm));
  SHOW(Reduce_scatter_block(a, a, N, MPI_INT, MPI_SUM, comm));
  SHOW(Exscan(a, a, N, MPI_INT, MPI_SUM, comm));
#endif
}

/* The same lists in arrays of their own: the libraries do not see it, and what they send is what is
 * there by then. */
static void of_equal_lists(void)
{
  int same_counts[RANKS], same_displs[RANKS], bytes[RANKS];
  MPI_Datatype types[RANKS], same_types[RANKS];
  memcpy(same_counts, counts, sizeof counts);
  memcpy(same_displs, displs, sizeof displs);
  for (int i = 0; i < size; i++) {
    bytes[i] = displs[i] * (int)sizeof *a;
    types[i] = same_types[i] = MPI_INT;
  }
  int code = MPI_Alltoallv(a, counts, displs, MPI_INT, a, same_counts, same_displs, MPI_INT,
                           MPI_COMM_WORLD);
  fill();
  show("Alltoallv of equal lists ", code);
  code = MPI_Alltoallw(a, counts, bytes, types, a, same_counts, bytes, same_types, MPI_COMM_WORLD);
  fill();
  show("Alltoallw of equal lists ", code);
}

/* The last rank alone: the others are served, so it must be. */
static void of_one(void)
{
#ifdef OMPI_MAJOR_VERSION
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int *const from = rank == size - 1 ? a + rank * N : b;
  memcpy(b, a + rank * N, N * sizeof *a);
  SHOW(Allgather(from, N, MPI_INT, a, N, MPI_INT, comm));
#endif
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < size; i++) {
    counts[i] = N;
    displs[i] = i * N;
  }
  fill();
  rooted();
  of_all();
  of_equal_lists();
  of_one();
  MPI_Finalize();
  return 0;
}
