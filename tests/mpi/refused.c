/* What MPI_Cancel and MPI_Request_free do to requests of collectives, which are neither to be
 * cancelled nor, but for persistent ones that are not active, to be freed: an error that
 * MPI_COMM_WORLD's handler hears, and the request lives on. Open MPI frees complete nonblocking
 * ones. (MPICH 4.0.2 alone ends at the persistent ones.) And MPI_IN_PLACE for what a Scatter brings to
 * a rank that is not the root, in which MPICH would wait for the root, whose call is served. Two
 * ranks. */
#include <mpi.h>
#include <stdio.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

enum kind { NONBLOCKING, PERSISTENT };
enum state { INACTIVE, ACTIVE, COMPLETE };
enum action { CANCEL, FREE };
static const char *const kinds[] = {"nonblocking", "persistent"},
                         *const states[] = {"inactive", "active", "complete"},
                         *const actions[] = {"cancel", "free"};

static int rank, heard; /* what the error handlers of the duplicate and of MPI_COMM_WORLD heard */
static MPI_Comm dup;

static void hear_dup(MPI_Comm *comm, int *code, ...)
{
  (void)code;
  heard += *comm == dup ? 1 : 100;
}

static void hear_world(MPI_Comm *comm, int *code, ...)
{
  (void)code;
  heard += *comm == MPI_COMM_WORLD ? 10 : 100;
}

static void check(enum kind kind, enum state state, enum action action, int right)
{
  if (!right) printf("wrong: %s, %s, %s\n", kinds[kind], states[state], actions[action]);
}

static int may(enum kind kind, enum state state, enum action action)
{
#ifdef OPEN_MPI
  if (kind == NONBLOCKING && state == COMPLETE) return action == FREE;
#endif
  return kind == PERSISTENT && state != ACTIVE && action == FREE;
}

static void make(enum kind kind, int *from, int *to, MPI_Request *request)
{
  if (kind == NONBLOCKING)
    MPI_Iallreduce(from, to, 1, MPI_INT, MPI_SUM, dup, request);
  else
    MPI_Allreduce_init(from, to, 1, MPI_INT, MPI_SUM, dup, MPI_INFO_NULL, request);
}

/* Rank 1 is in it before rank 0's action, or after. */
static void other(enum kind kind, enum state state)
{
  int from = 2, to = 0;
  MPI_Request request;
  make(kind, &from, &to, &request);
  if (state == COMPLETE && kind == PERSISTENT) MPI_Start(&request);
  MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (state == ACTIVE && kind == PERSISTENT) MPI_Start(&request);
  if (state != INACTIVE) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (state != INACTIVE && to != 3) printf("wrong: rank 1 has %d\n", to);
  if (kind == PERSISTENT) MPI_Request_free(&request);
}

static void one(enum kind kind, enum state state, enum action action)
{
  int from = 1, to = 0, done = 0, class = MPI_SUCCESS;
  MPI_Request request;
  MPI_Status status;
  if (kind == NONBLOCKING && state == ACTIVE && rank == 1)
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1 && kind == NONBLOCKING && state == ACTIVE) {
    from = 2;
    make(kind, &from, &to, &request);
    MPI_Wait(&request, &status);
    return;
  }
  if (rank == 1) {
    other(kind, state);
    return;
  }
  make(kind, &from, &to, &request);
  if (kind == PERSISTENT && state != INACTIVE) MPI_Start(&request);
  while (state == COMPLETE && !done)
    MPI_Request_get_status(request, &done, &status);
  heard = 0;
  const int code = action == CANCEL ? MPI_Cancel(&request) : MPI_Request_free(&request);
  if (code) MPI_Error_class(code, &class);
  check(kind, state, action,
        code != MPI_SUCCESS ? request != MPI_REQUEST_NULL && class == MPI_ERR_REQUEST && heard == 10
                            : request == MPI_REQUEST_NULL && heard == 0);
  check(kind, state, action, (code == MPI_SUCCESS) == may(kind, state, action));
  MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (request == MPI_REQUEST_NULL) return;
  if (state !=
      INACTIVE) { /* MPICH 4.0.2 waits for ever for an inactive one that it refused to cancel */
    int cancelled = 0;
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    check(kind, state, action, to == 3 && !cancelled);
  }
  if (kind == PERSISTENT) MPI_Request_free(&request);
}

static void scatter_in_place(void)
{
  int from[2] = {1, 2}, to = 0, class = MPI_SUCCESS;
  heard = 0;
  const int code = MPI_Scatter(from, 1, MPI_INT, rank == 0 ? &to : MPI_IN_PLACE, 1, MPI_INT, 0, dup);
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  if (class != (rank == 0 ? MPI_SUCCESS : MPI_ERR_ARG) || heard != rank || to != (rank == 0))
    printf("wrong: Scatter in place: class %d, heard %d, %d\n", class, heard, to);
}

int main(int argc, char **argv)
{
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_errhandler(hear_world, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_create_errhandler(hear_dup, &handler);
  MPI_Comm_set_errhandler(dup, handler);
  for (enum kind kind = NONBLOCKING; kind <= PERSISTENT; kind++)
    for (enum state state = INACTIVE; state <= COMPLETE; state++)
      for (enum action action = CANCEL; action <= FREE; action++) {
        MPI_Barrier(dup);
        if (kind == PERSISTENT || state != INACTIVE) one(kind, state, action);
      }
  MPI_Barrier(dup);
  scatter_in_place();
  printf("all right\n");
  MPI_Finalize();
  return 0;
}
