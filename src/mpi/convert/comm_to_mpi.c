/* This file makes the MPI communicator of one of ours. */
#include "mpi/convert/comm.h"

/* --- making one --- */

/* Each member's rank in MPI_COMM_WORLD. */
static int exchange(MPJ_Comm comm, int n, int ranks[])
{
  int mine;
  MPJ_Datatype all;
  int status = MPJ_Type_contiguous(n, MPJ_INT, &all);
  if (status) return status;
  PMPI_Comm_rank(MPI_COMM_WORLD, &mine);
  status = MPJ_Type_commit(&all);
  if (!status) status = MPJ_Allgather(&mine, MPJ_INT, ranks, all, comm);
  MPJ_Type_free(&all);
  return status;
}

/* The members are processes of one MPI_COMM_WORLD, each its own. */
static int check_ranks(int n, const int ranks[])
{
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < n; i++) {
    bool twice = ranks[i] >= size;
    for (int j = 0; j < i && !twice; j++)
      twice = ranks[j] == ranks[i];
    if (twice)
      return mpi_report(MPJ_ERR_UNSUPPORTED,
                        "rank %d of comm is no process of its own in the MPI_COMM_WORLD of %d "
                        "processes that the others are in",
                        i, size);
  }
  return MPJ_SUCCESS;
}

/* By members alone, and no collective on MPI_COMM_WORLD: the program may have its own under way. */
static int create(int n, const int ranks[], MPI_Comm *made)
{
  MPI_Group world, group;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int status = mpi_check(PMPI_Group_incl(world, n, ranks, &group), "MPI_Group_incl");
  if (!status) {
    status =
        mpi_check(PMPI_Comm_create_group(MPI_COMM_WORLD, group, 0, made), "MPI_Comm_create_group");
    PMPI_Group_free(&group);
  }
  PMPI_Group_free(&world);
  return status;
}

static int make(MPJ_Comm comm, MPI_Comm *made)
{
  int n = 0, all = 0;
  MPJ_Comm_size(comm, &n);
  int *const ranks = mpi_array(n, sizeof *ranks);
  const int mine = ranks != NULL;
  int status = MPJ_Allreduce(&mine, MPJ_INT, &all, MPJ_INT, MPJ_MIN, comm);
  if (!status && !all) status = mpi_report(MPJ_ERR_NO_MEM, "no memory on a rank of comm");
  if (!status) status = exchange(comm, n, ranks);
  if (!status) status = check_ranks(n, ranks);
  if (!status) status = create(n, ranks, made);
  free(ranks);
  return status;
}

static int make_and_keep(MPJ_Comm comm, MPI_Comm *made)
{
  int status = make(comm, made);
  if (status) return status;
  status = mpi_comm_link(comm, *made, true);
  if (!status) status = mpi_comm_keep(*made, comm);
  return status;
}

int MPJ_Comm_to_mpi(MPJ_Comm comm, MPI_Comm *mpi)
{
  MPJ_ENTRY;
  int size;
  if (!mpi) return mpi_report(MPJ_ERR_ARG, "mpi is NULL");
  int status = mpi_usable();
  if (!status) status = MPJ_Comm_size(comm, &size);
  if (!status) status = MPJ_Init_from_mpi(); /* MPJ runs: what MPI's end and waits need of it */
  if (status) return status;
  MPI_Comm made = MPI_COMM_NULL;
  if (comm == MPJ_COMM_SELF)
    made = MPI_COMM_SELF;
  else if (mpi_comm_is_world(comm))
    made = MPI_COMM_WORLD;
  else if (!mpi_comm_linked(comm, &made))
    status = make_and_keep(comm, &made);
  if (!status) *mpi = made;
  return status;
}
