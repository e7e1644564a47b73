/* A rank forks while a collective is under way, and the child calls MPI as if it were the rank:
 * every call of a collective is an error there, by the error handler that the communicator has; one
 * that is fatal ends the child with a sentence, at once. Neither that nor its MPI_Finalize does
 * anything to the job. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FATAL, RETURNS, FINALIZES, UNSEEN, NONBLOCKING, COMPLETES, WAYS };

static int rank;
static MPI_Comm returning, fresh; /* the latter has seen no collective */
static MPI_Request under_way;

static int is_refused(int code)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code) MPI_Error_string(code, text, &length);
  return strstr(text, "this process was forked by rank") != NULL;
}

/* In the child. Returns its exit code. */
static int misbehave(int way)
{
  int one = 1, sum = 0, code;
  MPI_Request request;
  switch (way) {
  case FATAL:
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return 10;
  case RETURNS:
    return is_refused(MPI_Bcast(&one, 1, MPI_INT, 0, returning)) ? 0 : 11;
  case FINALIZES:
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 12;
  case UNSEEN:
    return is_refused(MPI_Barrier(fresh)) ? 0 : 13;
  case NONBLOCKING:
    return is_refused(MPI_Ibarrier(returning, &request)) ? 0 : 14;
  default:
    code = MPI_Wait(&under_way, MPI_STATUS_IGNORE); /* it may be complete already */
    return code == MPI_SUCCESS || is_refused(code) ? 0 : 15;
  }
}

static void fork_one(int way)
{
  int status = 0, waited = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20); /* a child that hangs is found, and not left */
    exit(misbehave(way));
  }
  waited = waitpid(child, &status, 0) == child;
  if (!waited || !WIFEXITED(status) || WEXITSTATUS(status) != (way == FATAL ? 1 : 0))
    printf("wrong: child %d of rank %d ended with %x\n", way, rank, (unsigned)status);
}

int main(int argc, char **argv)
{
  int sum = 0, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &returning);
  MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
  MPI_Comm_dup(returning, &fresh);
  MPI_Barrier(returning);
  for (int round = 0; round < 5; round++)
    for (int way = 0; way < WAYS; way++) {
      MPI_Ibarrier(returning, &under_way);
      fork_one(way);
      MPI_Wait(&under_way, MPI_STATUS_IGNORE);
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      if (sum != size * (size - 1) / 2) printf("wrong: rank %d has the sum %d\n", rank, sum);
    }
  MPI_Barrier(fresh);
  printf("all right\n");
  MPI_Finalize();
  return 0;
}
