/* This file makes sparse types: a struct of the parts that are given, among many more that are
 * empty. */
#include "types/sparse/sparse.h"

#include <inttypes.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/make/build.h"

static int check(MPJ_Count nparts, MPJ_Count n, const MPJ_Count parts[])
{
  if (nparts < 0)
    return mpj_error(MPJ_ERR_ARG, "nparts is %" PRId64 ", must not be negative", nparts);
  if (n < 0 || n > nparts)
    return mpj_error(MPJ_ERR_ARG, "n is %" PRId64 ", must be 0 to nparts, %" PRId64, n, nparts);
  int status = n > 0 ? mpj_need(parts, "parts") : MPJ_SUCCESS;
  for (MPJ_Count k = 0; k < n && !status; k++) {
    if (parts[k] < 0 || parts[k] >= nparts)
      status = mpj_error(MPJ_ERR_ARG,
                         "parts[%" PRId64 "] is %" PRId64 ", must be 0 to nparts - 1, %" PRId64, k,
                         parts[k], nparts - 1);
    else if (k > 0 && parts[k] <= parts[k - 1])
      status = mpj_error(MPJ_ERR_ARG,
                         "parts[%" PRId64 "] is %" PRId64 ", must be over the one before, %" PRId64,
                         k, parts[k], parts[k - 1]);
  }
  return status;
}

/* The struct of the parts that are given, as a description that the caller releases. */
static int make_struct(MPJ_Count n, const MPJ_Aint displs[], const MPJ_Datatype types[],
                       struct mpj_type_spec *spec)
{
  MPJ_Datatype whole;
  MPJ_Count *ones = mpj_alloc_array((size_t)n, sizeof *ones);
  if (!ones) return mpj_error(MPJ_ERR_NO_MEM, "%" PRId64 " parts could not be allocated", n);
  for (MPJ_Count k = 0; k < n; k++)
    ones[k] = 1;
  const int status = MPJ_Type_create_struct(n, ones, displs, types, &whole);
  mpj_free(ones);
  if (status) return status;
  const struct mpj_type_spec borrowed = mpj_type_spec_of(whole);
  *spec = mpj_spec_retain(&borrowed);
  return MPJ_Type_free(&whole);
}

int MPJ_Type_create_sparse(MPJ_Count nparts, MPJ_Count n, const MPJ_Count parts[],
                           const MPJ_Aint displs[], const MPJ_Datatype types[],
                           MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec spec;
  int status = mpj_need(newtype, "newtype");
  if (!status) status = check(nparts, n, parts);
  if (!status) status = make_struct(n, displs, types, &spec);
  if (status) return status;
  struct mpj_parts *blocks = spec.parts;
  spec.parts = NULL;
  spec.combiner = MPJ_COMBINER_SPARSE;
  status = mpj_parts_sparse(nparts, parts, blocks, &spec.parts);
  return mpj_build_end(status, &spec, newtype);
}
