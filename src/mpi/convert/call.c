/* This file reads how a datatype was made. */
#include "mpi/convert/interop.h"

static int read_contents(MPJ_Datatype type, struct mpi_call *call)
{
  call->counts = mpi_array(call->ncounts, sizeof *call->counts);
  call->addresses = mpi_array(call->naddresses, sizeof *call->addresses);
  call->types = mpi_array(call->ntypes, sizeof *call->types);
  if (!call->counts || !call->addresses || !call->types) return MPJ_ERR_NO_MEM;
  for (MPJ_Count i = 0; i < call->ntypes; i++)
    call->types[i] = MPJ_DATATYPE_NULL;
  return MPJ_Type_get_contents(type, call->ncounts, call->naddresses, call->ntypes, call->counts,
                               call->addresses, call->types);
}

int mpi_call_read(MPJ_Datatype type, struct mpi_call *call)
{
  *call = (struct mpi_call){0};
  int status = MPJ_Type_get_envelope(type, &call->ncounts, &call->naddresses, &call->ntypes,
                                     &call->combiner);
  if (status) return status;
  status = read_contents(type, call);
  if (status) mpi_call_free(call);
  return status;
}

void mpi_release(MPJ_Datatype *type)
{
  MPJ_Count ncounts, naddresses, ntypes;
  int combiner;
  if (!*type || MPJ_Type_get_envelope(*type, &ncounts, &naddresses, &ntypes, &combiner)) return;
  if (combiner != MPJ_COMBINER_NAMED) MPJ_Type_free(type);
  *type = MPJ_DATATYPE_NULL;
}

void mpi_call_free(struct mpi_call *call)
{
  for (MPJ_Count i = 0; call->types && i < call->ntypes; i++)
    mpi_release(&call->types[i]);
  free(call->counts);
  free(call->addresses);
  free(call->types);
  *call = (struct mpi_call){0};
}
