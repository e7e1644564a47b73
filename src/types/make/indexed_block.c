/* This file makes indexed types whose blocks are of one length. */
#include <inttypes.h>

#include "base/entry.h"
#include "base/status.h"
#include "types/make/build.h"
#include "types/make/indexed.h"

/* The arguments of both constructors. */
static int check(MPJ_Count count, MPJ_Count blocklen, const void *displs)
{
  if (blocklen < 0)
    return mpj_error(MPJ_ERR_ARG, "blocklen is %" PRId64 ", must not be negative", blocklen);
  return count == 0 ? MPJ_SUCCESS : mpj_need(displs, "displs");
}

int MPJ_Type_create_indexed_block(MPJ_Count count, MPJ_Count blocklen, const MPJ_Count displs[],
                                  MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec old;
  int status = mpj_build_begin(count, oldtype, newtype, &old);
  if (!status) status = check(count, blocklen, displs);
  if (status) return status;
  struct mpj_series lens = mpj_series_constant(count, blocklen);
  return mpj_create_indexed(MPJ_COMBINER_INDEXED_BLOCK, &lens, displs, mpj_spec_extent(&old), &old,
                            NULL, newtype);
}

int MPJ_Type_create_hindexed_block(MPJ_Count count, MPJ_Count blocklen, const MPJ_Aint displs[],
                                   MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec old;
  int status = mpj_build_begin(count, oldtype, newtype, &old);
  if (!status) status = check(count, blocklen, displs);
  if (status) return status;
  struct mpj_series lens = mpj_series_constant(count, blocklen);
  return mpj_create_indexed(MPJ_COMBINER_HINDEXED_BLOCK, &lens, displs, 1, &old, NULL, newtype);
}
