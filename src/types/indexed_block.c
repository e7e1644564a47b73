/* This file makes indexed types whose blocks are of one length. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/build.h"
#include "types/indexed.h"

/* The arguments of both constructors. */
static int check(MPJ_Count count, MPJ_Count blocklen, const void *displs)
{
  if (blocklen < 0)
    return mpj_error(MPJ_ERR_ARG, "blocklen is %" PRId64 ", must not be negative", blocklen);
  return count == 0 ? MPJ_SUCCESS : mpj_build_need(displs, "displs");
}

/* displs in units of `unit` bytes. */
static int create(enum mpj_combiner combiner, MPJ_Count count, MPJ_Count blocklen,
                  const MPJ_Count displs[], MPJ_Aint unit, const struct mpj_type_spec *old,
                  MPJ_Datatype *newtype)
{
  MPJ_Count *lens = mpj_alloc_array((size_t)count, sizeof *lens);
  MPJ_Aint *bytes = mpj_alloc_array((size_t)count, sizeof *bytes);
  int status = MPJ_SUCCESS;
  if (!lens || !bytes)
    status = mpj_error(MPJ_ERR_NO_MEM, "displacements of %" PRId64 " blocks could not be allocated",
                       count);
  for (MPJ_Count i = 0; i < count && !status; i++) {
    lens[i] = blocklen;
    if (!mpj_mul_aint(displs[i], unit, &bytes[i]))
      status = mpj_error(MPJ_ERR_OVERFLOW,
                         "displs[%" PRId64 "] overflows: %" PRId64 " extents of %td bytes", i,
                         displs[i], unit);
  }
  if (!status) status = mpj_create_hindexed(combiner, count, lens, bytes, old, newtype);
  mpj_free(bytes);
  mpj_free(lens);
  return status;
}

int MPJ_Type_create_indexed_block(MPJ_Count count, MPJ_Count blocklen, const MPJ_Count displs[],
                                  MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  struct mpj_type_spec old;
  int status = mpj_build_begin(count, oldtype, newtype, &old);
  if (!status) status = check(count, blocklen, displs);
  if (status) return status;
  return create(MPJ_COMBINER_INDEXED_BLOCK, count, blocklen, displs, mpj_spec_extent(&old), &old,
                newtype);
}

_Static_assert(sizeof(MPJ_Aint) == sizeof(MPJ_Count), "both are 64 bits wide");

int MPJ_Type_create_hindexed_block(MPJ_Count count, MPJ_Count blocklen, const MPJ_Aint displs[],
                                   MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  struct mpj_type_spec old;
  int status = mpj_build_begin(count, oldtype, newtype, &old);
  if (!status) status = check(count, blocklen, displs);
  if (status) return status;
  return create(MPJ_COMBINER_HINDEXED_BLOCK, count, blocklen, displs, 1, &old, newtype);
}
