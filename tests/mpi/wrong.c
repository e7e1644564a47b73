/* This program makes calls that are wrong, and prints the error class that each gives on every
 * rank: under the interposer it is the one that the MPI library gives.
 *
 *   wrong             with MPI_ERRORS_RETURN
 *   wrong fatal       with MPI_ERRORS_ARE_FATAL: the first wrong call ends the job */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#define INIT(Name) MPIX_##Name
#else
#define INIT(Name) MPI_##Name
#endif

enum { N = 64 };

static int rank, size;
static int send[N], recv[N], counts[N], negative[N], displs[N];
static MPI_Datatype types[N], nulls[N], raw[N], uncommitted;
static MPI_Comm comm;

/* Print the classes that the ranks got, together. */
static void show(const char *what, int code)
{
  int class = MPI_SUCCESS, classes[N];
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  PMPI_Gather(&class, 1, MPI_INT, classes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%-40s", what);
  for (int i = 0; i < size; i++)
    printf(" %d", classes[i]);
  printf("\n");
}

#define SHOW(call) show(#call, call)

/* As it is called and as a request, which a wrong call does not make. */
#define SHOW_BOTH(Name, ...)                                                                       \
  do {                                                                                             \
    MPI_Request request = MPI_REQUEST_NULL;                                                        \
    show(#Name " of " #__VA_ARGS__, MPI_##Name(__VA_ARGS__));                                      \
    show("I" #Name, MPI_I##Name(__VA_ARGS__, &request));                                           \
    show(#Name "_init", INIT(Name##_init)(__VA_ARGS__, MPI_INFO_NULL, &request));                  \
  } while (0)
/* Collectives in lower case: MPI_Iname. */
#define MPI_IBcast MPI_Ibcast
#define MPI_IGather MPI_Igather
#define MPI_IGatherv MPI_Igatherv
#define MPI_IScatter MPI_Iscatter
#define MPI_IScatterv MPI_Iscatterv
#define MPI_IAllgather MPI_Iallgather
#define MPI_IAllgatherv MPI_Iallgatherv
#define MPI_IAlltoall MPI_Ialltoall
#define MPI_IAlltoallv MPI_Ialltoallv
#define MPI_IAlltoallw MPI_Ialltoallw
#define MPI_IReduce MPI_Ireduce
#define MPI_IAllreduce MPI_Iallreduce
#define MPI_IReduce_scatter MPI_Ireduce_scatter
#define MPI_IReduce_scatter_block MPI_Ireduce_scatter_block
#define MPI_IScan MPI_Iscan
#define MPI_IExscan MPI_Iexscan

static void wrong_counts(void)
{
  SHOW_BOTH(Bcast, send, -1, MPI_INT, 0, comm);
  SHOW_BOTH(Gather, send, -1, MPI_INT, recv, -1, MPI_INT, 0, comm);
  SHOW_BOTH(Gatherv, send, -1, MPI_INT, recv, negative, displs, MPI_INT, 0, comm);
  SHOW_BOTH(Scatter, send, -1, MPI_INT, recv, -1, MPI_INT, 0, comm);
  SHOW_BOTH(Scatterv, send, negative, displs, MPI_INT, recv, -1, MPI_INT, 0, comm);
  SHOW_BOTH(Allgather, send, -1, MPI_INT, recv, -1, MPI_INT, comm);
  SHOW_BOTH(Allgatherv, send, -1, MPI_INT, recv, negative, displs, MPI_INT, comm);
  SHOW_BOTH(Alltoall, send, -1, MPI_INT, recv, -1, MPI_INT, comm);
  SHOW_BOTH(Alltoallv, send, negative, displs, MPI_INT, recv, negative, displs, MPI_INT, comm);
  SHOW_BOTH(Alltoallw, send, negative, displs, types, recv, negative, displs, types, comm);
#ifdef OMPI_MAJOR_VERSION /* MPICH 4.0.2 crashes */
  SHOW_BOTH(Reduce, send, recv, -1, MPI_INT, MPI_SUM, 0, comm);
  SHOW_BOTH(Allreduce, send, recv, -1, MPI_INT, MPI_SUM, comm);
  SHOW_BOTH(Reduce_scatter, send, recv, negative, MPI_INT, MPI_SUM, comm);
  SHOW_BOTH(Reduce_scatter_block, send, recv, -1, MPI_INT, MPI_SUM, comm);
  SHOW_BOTH(Scan, send, recv, -1, MPI_INT, MPI_SUM, comm);
  SHOW_BOTH(Exscan, send, recv, -1, MPI_INT, MPI_SUM, comm);
#endif
}

static void wrong_roots(void)
{
  SHOW_BOTH(Bcast, send, 1, MPI_INT, size, comm);
  SHOW_BOTH(Bcast, send, 1, MPI_INT, -5, comm);
  SHOW_BOTH(Gather, send, 1, MPI_INT, recv, 1, MPI_INT, size, comm);
  SHOW_BOTH(Gatherv, send, 1, MPI_INT, recv, counts, displs, MPI_INT, -5, comm);
  SHOW_BOTH(Scatter, send, 1, MPI_INT, recv, 1, MPI_INT, size, comm);
  SHOW_BOTH(Scatterv, send, counts, displs, MPI_INT, recv, 1, MPI_INT, -5, comm);
  SHOW_BOTH(Reduce, send, recv, 1, MPI_INT, MPI_SUM, size, comm);
}

static void wrong_types(MPI_Datatype type, const MPI_Datatype list[])
{
  SHOW_BOTH(Bcast, send, 1, type, 0, comm);
  SHOW_BOTH(Gather, send, 1, type, recv, 1, type, 0, comm);
  SHOW_BOTH(Scatter, send, 1, type, recv, 1, type, 0, comm);
  SHOW_BOTH(Allgather, send, 1, type, recv, 1, type, comm);
  SHOW_BOTH(Allgatherv, send, 1, type, recv, counts, displs, type, comm);
  SHOW_BOTH(Alltoall, send, 1, type, recv, 1, type, comm);
  SHOW_BOTH(Alltoallv, send, counts, displs, type, recv, counts, displs, type, comm);
  SHOW_BOTH(Alltoallw, send, counts, displs, list, recv, counts, displs, list, comm);
  SHOW_BOTH(Allreduce, send, recv, 1, type, MPI_SUM, comm);
  SHOW_BOTH(Scan, send, recv, 1, type, MPI_SUM, comm);
}

static void wrong_ops(void)
{
  SHOW_BOTH(Reduce, send, recv, 1, MPI_INT, MPI_OP_NULL, 0, comm);
  SHOW_BOTH(Allreduce, send, recv, 1, MPI_INT, MPI_OP_NULL, comm);
  SHOW_BOTH(Allreduce, send, recv, 1, MPI_DOUBLE, MPI_BXOR, comm);
  SHOW_BOTH(Allreduce, send, recv, 1, MPI_INT, MPI_MAXLOC, comm);
  SHOW_BOTH(Allreduce, send, recv, 1, types[1], MPI_SUM, comm);
  SHOW_BOTH(Reduce_scatter_block, send, recv, 1, MPI_INT, MPI_OP_NULL, comm);
}

static void wrong_comms(void)
{
  SHOW(MPI_Barrier(MPI_COMM_NULL));
  SHOW(MPI_Bcast(send, 1, MPI_INT, 0, MPI_COMM_NULL));
  SHOW(MPI_Allreduce(send, recv, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL));
  SHOW(MPI_Alltoallv(send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, MPI_COMM_NULL));
}

/* While a served request is under way: where to say how many is not given. */
static int waitsome_of_nothing(void)
{
  int indices[1];
  MPI_Status statuses[1];
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  const int code = MPI_Waitsome(1, &request, NULL, indices, statuses);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return code;
}

static void wrong_buffers(void)
{
  SHOW_BOTH(Allreduce, send, send, 1, MPI_INT, MPI_SUM, comm);
  SHOW(waitsome_of_nothing());
#ifdef OMPI_MAJOR_VERSION /* each goes on to read where the other sees that nothing is */
  SHOW_BOTH(Bcast, MPI_IN_PLACE, 1, MPI_INT, 0, comm);
  /* Only the root may have its data in place (MPICH 4.0.2 crashes); it hears nothing of it. */
  SHOW(rank == 0 ? MPI_SUCCESS : MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, recv, 1, MPI_INT, 0, comm));
  SHOW(rank == 0 ? MPI_SUCCESS : MPI_Scatter(send, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, comm));
  /* MPICH 4.0.2 crashes. */
  SHOW_BOTH(Allgatherv, send, 1, MPI_INT, recv, counts, NULL, MPI_INT, comm);
  SHOW_BOTH(Alltoallv, send, counts, NULL, MPI_INT, recv, counts, displs, MPI_INT, comm);
  SHOW_BOTH(Alltoallw, send, counts, displs, types, recv, counts, NULL, types, comm);
#else
  SHOW(MPI_Ibarrier(comm, NULL)); /* Open MPI crashes */
  SHOW(MPI_Iallreduce(send, recv, 1, MPI_INT, MPI_SUM, comm, NULL));
  SHOW(MPI_Bcast_init(send, 1, MPI_INT, 0, comm, MPI_INFO_NULL, NULL));
  SHOW_BOTH(Allgather, send, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm);
  SHOW_BOTH(Bcast, NULL, 1, MPI_INT, 0, comm);
  SHOW_BOTH(Allreduce, NULL, recv, 1, MPI_INT, MPI_SUM, comm);
  SHOW_BOTH(Allgather, send, 1, MPI_INT, NULL, 1, MPI_INT, comm);
  SHOW_BOTH(Alltoall, NULL, 1, MPI_INT, recv, 1, MPI_INT, comm);
#endif
}

/* Ranks that expect less than they get; then all is as it was. */
static void truncated(void)
{
  SHOW(MPI_Bcast(send, rank == 0 ? 8 : 4, MPI_INT, 0, comm));
  SHOW(MPI_Gather(send, rank == 0 ? 1 : 2, MPI_INT, recv, 1, MPI_INT, 0, comm));
  MPI_Request request;
#ifdef OMPI_MAJOR_VERSION /* MPICH 4.0.2 says MPI_ERR_OTHER */
  show("Ibcast", MPI_Ibcast(send, rank == 0 ? 8 : 4, MPI_INT, 0, comm, &request));
  SHOW(MPI_Wait(&request, MPI_STATUS_IGNORE));
#endif
  show("Ibcast", MPI_Ibcast(send, rank == 0 ? 8 : 4, MPI_INT, 0, comm, &request));
  MPI_Status status = {.MPI_ERROR = MPI_SUCCESS}; /* set where Waitall says so */
  show("Waitall", MPI_Waitall(1, &request, &status));
  /* The class is told by outcomes.c: MPICH 4.0.2 says MPI_ERR_OTHER here, too. */
  show("its status", status.MPI_ERROR == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_OTHER);
  SHOW(MPI_Allreduce(send, recv, 4, MPI_INT, MPI_SUM, comm));
}

int main(int argc, char **argv)
{
  const int fatal = argc > 1 && strcmp(argv[1], "fatal") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Type_contiguous(1, MPI_INT, &uncommitted);
  for (int i = 0; i < N; i++) {
    counts[i] = 1;
    negative[i] = -1;
    MPI_Type_contiguous(1, MPI_INT, &types[i]);
    MPI_Type_commit(&types[i]);
    nulls[i] = MPI_DATATYPE_NULL;
    raw[i] = uncommitted;
  }
  if (fatal) {
    printf("rank %d: before\n", rank);
    fflush(stdout);
    MPI_Bcast(send, -1, MPI_INT, 0, comm);
    printf("rank %d: after\n", rank);
  } else {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    wrong_counts();
    wrong_roots();
    wrong_types(MPI_DATATYPE_NULL, nulls);
    wrong_types(uncommitted, raw);
    wrong_ops();
    wrong_comms();
    wrong_buffers();
    truncated();
  }
  MPI_Finalize();
  return 0;
}
