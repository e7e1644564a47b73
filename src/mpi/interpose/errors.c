/* This file says in MPI's error codes what MPJ's statuses mean. */
#include "mpi/interpose/errors.h"

#include <mpj/mpj.h>

int mpi_error_class(int status)
{
  switch (status) {
  case MPJ_ERR_TYPE:
  case MPJ_ERR_PARTS:
    return MPI_ERR_TYPE;
  case MPJ_ERR_ROOT:
    return MPI_ERR_ROOT;
  case MPJ_ERR_COMM:
    return MPI_ERR_COMM;
  case MPJ_ERR_OP:
    return MPI_ERR_OP;
  case MPJ_ERR_SIGNATURE:
  case MPJ_ERR_TRUNCATE:
    return MPI_ERR_TRUNCATE;
  case MPJ_ERR_NO_MEM:
    return MPI_ERR_NO_MEM;
  case MPJ_ERR_REQUEST:
    return MPI_ERR_REQUEST;
  case MPJ_ERR_ARG:
    return MPI_ERR_ARG;
  default:
    return MPI_ERR_OTHER;
  }
}

int mpi_error_of(int status, MPI_Comm comm)
{
  if (status == MPJ_SUCCESS) return MPI_SUCCESS;
  const int code = mpi_error_class(status);
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}
