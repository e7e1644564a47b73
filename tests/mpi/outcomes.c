/* This program has nonblocking and persistent collectives fail on rank 1, under the interposer, and
 * completes them in every way: each returns the failure, whose statuses say which request it is
 * of, and the communicator's error handler hears of it once. */
#include <mpi.h>
#include <stdio.h>

#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

enum {
  WAIT,
  WAIT_IGNORING,
  TEST,
  WAITANY,
  TESTANY,
  WAITALL,
  WAITALL_IGNORING,
  TESTALL,
  WAITSOME,
  TESTSOME,
  WAYS
};

static const char *const names[WAYS] = {
    "Wait",    "Wait, ignoring",    "Test",    "Waitany",  "Testany",
    "Waitall", "Waitall, ignoring", "Testall", "Waitsome", "Testsome"};
static int rank, heard, wrong;
static MPI_Comm comm;

static void hear(MPI_Comm *c, int *code, ...)
{
  (void)c, (void)code;
  heard++;
}

static int class_of(int code)
{
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}

static void check(int right, const char *what, int way, int persistent)
{
  if (right) return;
  wrong = 1;
  printf("wrong: %s: %s of a %s one on rank %d\n", what, names[way],
         persistent ? "persistent" : "nonblocking", rank);
}

/* What the call returned for the failing one alone. */
static int complete_one(int way, MPI_Request *requests)
{
  int code = MPI_SUCCESS, done = 0, index = 0;
  MPI_Status status;
  switch (way) {
  case WAIT:
    return MPI_Wait(&requests[1], &status);
  case WAIT_IGNORING:
    return MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  case TEST:
    while (!done)
      code = MPI_Test(&requests[1], &done, &status);
    return code;
  case WAITANY:
    return MPI_Waitany(1, requests + 1, &index, &status);
  default:
    while (!done)
      code = MPI_Testany(1, requests + 1, &index, &done, &status);
    return code;
  }
}

/* The same of all of them; errors[i] is what the status of request i says. */
static int complete_all(int way, int n, MPI_Request *requests, int errors[])
{
  MPI_Status statuses[3];
  int code = MPI_SUCCESS, any = MPI_SUCCESS, done = 0, indices[3];
  for (int i = 0; i < n; i++)
    statuses[i].MPI_ERROR = -1;
  if (way == WAITALL || way == WAITALL_IGNORING)
    code = MPI_Waitall(n, requests, way == WAITALL ? statuses : MPI_STATUSES_IGNORE);
  for (; way == TESTALL && !done;)
    code = MPI_Testall(n, requests, &done, statuses);
  for (int i = 0; i < n; i++)
    errors[i] = statuses[i].MPI_ERROR;
  for (int found = 0; (way == WAITSOME || way == TESTSOME) && found < n; found += done) {
    code = way == WAITSOME ? MPI_Waitsome(n, requests, &done, indices, statuses)
                           : MPI_Testsome(n, requests, &done, indices, statuses);
    if (code != MPI_SUCCESS) any = code;
    if (done == MPI_UNDEFINED) return -1; /* one was lost */
    for (int i = 0; i < done; i++)
      errors[indices[i]] = code ? statuses[i].MPI_ERROR : MPI_SUCCESS;
  }
  return code ? code : any;
}

static void play(int way, int persistent, int handles)
{
  int data[8] = {0}, word = 0, got = 0, errors[3] = {MPI_SUCCESS, MPI_SUCCESS, MPI_SUCCESS}, code;
  const int count = rank == 0 ? 8 : 4, fails = rank == 1;
  MPI_Request requests[3], kept;
  heard = 0;
  MPI_Irecv(&got, 1, MPI_INT, rank, 0, comm, &requests[0]);
  MPI_Send(&word, 1, MPI_INT, rank, 0, comm);
  if (persistent) {
    MPI_Bcast_init(data, count, MPI_INT, 0, comm, MPI_INFO_NULL, &requests[1]);
    MPI_Start(&requests[1]);
  } else
    MPI_Ibcast(data, count, MPI_INT, 0, comm, &requests[1]);
  kept = requests[1];
  MPI_Ibarrier(comm, &requests[2]);
  if (way < WAITALL) {
    code = complete_one(way, requests);
    check(class_of(code) == (fails ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "the code", way, persistent);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  } else {
    code = complete_all(way, 3, requests, errors);
    check(code == (fails ? MPI_ERR_IN_STATUS : MPI_SUCCESS), "the code", way, persistent);
#ifndef OMPI_MAJOR_VERSION /* which sets them always */
    if (!fails && way < WAITSOME && way != WAITALL_IGNORING)
      check(errors[0] == -1 && errors[1] == -1 && errors[2] == -1, "statuses that are set", way,
            persistent);
#endif
    if (fails && way != WAITALL_IGNORING)
      check(class_of(errors[1]) == MPI_ERR_TRUNCATE && errors[0] == MPI_SUCCESS &&
                errors[2] == MPI_SUCCESS,
            "the statuses", way, persistent);
  }
  check(heard == (handles && fails), "the handler", way, persistent);
  if (persistent) MPI_Request_free(&kept);
}

int main(int argc, char **argv)
{
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_errhandler(hear, &handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* that of MPI_COMM_WORLD ends the job */
  MPI_Barrier(comm);
  for (int handles = 0; handles < 2; handles++) {
    MPI_Comm_set_errhandler(comm, handles ? handler : MPI_ERRORS_RETURN);
    for (int way = 0; way < WAYS; way++)
      for (int persistent = 0; persistent < 2; persistent++)
        play(way, persistent, handles);
  }
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  if (!wrong) printf("rank %d is right\n", rank);
  MPI_Finalize();
  return 0;
}
