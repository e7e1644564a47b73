/* This program uses communicators that no other communicator came before: made of a session's
 * group, without MPI_Init, and beside it. It prints on rank 0 what is the same with the interposer
 * and without.
 *
 *   sessions alone|beside [served] */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int use(MPI_Comm comm)
{
  int rank, size, sum = 0, word = -1, right;
  MPI_Request request;
  MPI_Comm half;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  right = sum == size * (size - 1) / 2;
  MPI_Comm_split(comm, rank % 2, 0, &half);
  word = rank;
  MPI_Bcast(&word, 1, MPI_INT, 0, half);
  right = right && word == rank % 2;
  MPI_Comm_free(&half);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, comm);
  right = right && sum == size - 1;
  MPI_Barrier(comm);
  if (rank == 0) printf("%d ranks: %s\n", size, right ? "all right" : "wrong");
  return right;
}

int main(int argc, char **argv)
{
  const int beside = argc > 1 && strcmp(argv[1], "beside") == 0;
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  if (beside) MPI_Init(&argc, &argv);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "mpj", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  const int right = use(comm) && use(beside ? MPI_COMM_WORLD : comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  if (beside) MPI_Finalize();
  return !right;
}
