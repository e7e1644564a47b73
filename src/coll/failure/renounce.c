/* This file breaks a communicator that could not be made. */
#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/failure/failure.h"
#include "coll/run/engine.h"

int mpj_comm_renounce(struct mpj_comm *comm)
{
  const struct mpj_cause cause = {.code = MPJ_ERR_COMM, .culprit = comm->rank};
  mpj_error(MPJ_ERR_COMM, "rank %d could not make the communicator", comm->rank);
  mpj_comm_break(comm, &cause);
  return mpj_engine_complete(comm, mpj_engine_start_failed(comm, MPJ_ERR_COMM));
}
