/* This file lets MPJ end with MPI. */
#include <stdio.h>

#include "mpi/convert/interop.h"

static bool ends; /* with MPI */

/* MPI_Finalize begins by deleting MPI_COMM_SELF's attributes. */
static int end_with_mpi(MPI_Comm self, int keyval, void *value, void *extra_state)
{
  int over = 0;
  (void)self, (void)keyval, (void)value, (void)extra_state;
  MPJ_Finalized(&over);
  if (!over) mpi_progress_end();
  if (!over && ends && MPJ_Finalize() != MPJ_SUCCESS)
    fprintf(stderr, "mpj: MPI_Finalize: %s\n", MPJ_Error_detail());
  return MPI_SUCCESS;
}

int mpi_watch_for_the_end(bool ends_it)
{
  static bool watched;
  int keyval;
  ends |= ends_it;
  if (watched) return MPJ_SUCCESS;
  int status =
      mpi_check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_mpi, &keyval, NULL),
                "MPI_Comm_create_keyval");
  if (status) return status;
  status = mpi_check(PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL), "MPI_Comm_set_attr");
  PMPI_Comm_free_keyval(&keyval); /* goes on for the attribute */
  watched = !status;
  return status;
}
