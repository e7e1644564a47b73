/* This file calls MPI's constructors for counts of any size: as they are where they fit
 * an int, else with MPI-4's large counts, else nested. */
#include <limits.h>

#include "mpi/convert/interop.h"

static bool fits(MPJ_Count n)
{
  return n >= INT_MIN && n <= INT_MAX;
}

int mpi_rebound(MPI_Datatype *mpi, MPJ_Aint lb, MPJ_Aint extent)
{
  MPJ_Aint l, e;
  MPI_Datatype resized;
  int status = mpi_bounds(*mpi, &l, &e);
  if (status || (l == lb && e == extent)) return status;
  status =
      mpi_check(PMPI_Type_create_resized(*mpi, lb, extent, &resized), "MPI_Type_create_resized");
  if (status) return status;
  mpi_drop(mpi);
  *mpi = resized;
  return MPJ_SUCCESS;
}

/* What one MPI call takes: q types `whole` of WIDE copies each `step` bytes apart, and one
 * with the rest, as a struct. Frees the two. */
#if MPI_VERSION < 4
enum { WIDE = 1 << 30 };

static int join(MPJ_Count q, MPJ_Aint step, MPI_Datatype whole, MPI_Datatype rest,
                MPI_Datatype *made)
{
  MPI_Datatype all;
  int status = fits(q) ? mpi_check(PMPI_Type_create_hvector((int)q, 1, step, whole, &all),
                                   "MPI_Type_create_hvector")
                       : mpi_report(MPJ_ERR_OVERFLOW, "a count of %lld times 2^30 is too large",
                                    (long long)q);
  if (!status) {
    status =
        mpi_check(PMPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, (MPI_Aint)q * step},
                                          (MPI_Datatype[]){all, rest}, made),
                  "MPI_Type_create_struct");
    PMPI_Type_free(&all);
  }
  mpi_drop(&whole);
  mpi_drop(&rest);
  return status;
}
#endif

static int contiguous_int(int count, MPI_Datatype old, MPI_Datatype *made)
{
  return mpi_check(PMPI_Type_contiguous(count, old, made), "MPI_Type_contiguous");
}

int mpi_wide_contiguous(MPJ_Count count, MPI_Datatype old, MPI_Datatype *made)
{
  if (fits(count)) return contiguous_int((int)count, old, made);
#if MPI_VERSION >= 4
  return mpi_check(PMPI_Type_contiguous_c(count, old, made), "MPI_Type_contiguous_c");
#else
  MPI_Datatype whole, rest;
  MPJ_Aint lb, extent;
  int status = mpi_bounds(old, &lb, &extent);
  if (!status) status = contiguous_int(WIDE, old, &whole);
  if (status) return status;
  status = contiguous_int((int)(count % WIDE), old, &rest);
  if (status) mpi_drop(&whole);
  return status ? status : join(count / WIDE, WIDE * extent, whole, rest, made);
#endif
}

static int hvector_int(int count, int blocklen, MPJ_Aint stride, MPI_Datatype old,
                       MPI_Datatype *made)
{
  return mpi_check(PMPI_Type_create_hvector(count, blocklen, stride, old, made),
                   "MPI_Type_create_hvector");
}

#if MPI_VERSION < 4
static int hvector_nested(MPJ_Count count, MPJ_Count blocklen, MPJ_Aint stride, MPI_Datatype old,
                          MPI_Datatype *made)
{
  MPI_Datatype block, whole, rest;
  int status = mpi_wide_contiguous(blocklen, old, &block);
  if (status) return status;
  if (fits(count))
    status = hvector_int((int)count, 1, stride, block, made);
  else {
    status = hvector_int(WIDE, 1, stride, block, &whole);
    if (!status) {
      status = hvector_int((int)(count % WIDE), 1, stride, block, &rest);
      if (status) mpi_drop(&whole);
    }
    if (!status) status = join(count / WIDE, WIDE * stride, whole, rest, made);
  }
  mpi_drop(&block);
  return status;
}
#endif

int mpi_wide_hvector(MPJ_Count count, MPJ_Count blocklen, MPJ_Aint stride, MPI_Datatype old,
                     MPI_Datatype *made)
{
  if (fits(count) && fits(blocklen))
    return hvector_int((int)count, (int)blocklen, stride, old, made);
#if MPI_VERSION >= 4
  return mpi_check(PMPI_Type_create_hvector_c(count, blocklen, stride, old, made),
                   "MPI_Type_create_hvector_c");
#else
  return hvector_nested(count, blocklen, stride, old, made);
#endif
}

static bool all_fit(MPJ_Count count, const MPJ_Count numbers[])
{
  MPJ_Count i = 0;
  while (i < count && fits(numbers[i]))
    i++;
  return fits(count) && i == count;
}

/* Blocks whose numbers fit: hindexed where types is NULL, else a struct. */
static int blocks_int(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                      MPI_Datatype old, const MPI_Datatype types[], MPI_Datatype *made)
{
  int *lengths = mpi_array(count, sizeof *lengths);
  if (!lengths) return MPJ_ERR_NO_MEM;
  for (MPJ_Count i = 0; i < count; i++)
    lengths[i] = (int)blocklens[i];
  const int status =
      types ? mpi_check(PMPI_Type_create_struct((int)count, lengths, displs, types, made),
                        "MPI_Type_create_struct")
            : mpi_check(PMPI_Type_create_hindexed((int)count, lengths, displs, old, made),
                        "MPI_Type_create_hindexed");
  free(lengths);
  return status;
}

#if MPI_VERSION >= 4
static int blocks_wide(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                       MPI_Datatype old, const MPI_Datatype types[], MPI_Datatype *made)
{
  MPI_Count *lengths = mpi_array(count, sizeof *lengths), *at = mpi_array(count, sizeof *at);
  int status = lengths && at ? MPJ_SUCCESS : MPJ_ERR_NO_MEM;
  for (MPJ_Count i = 0; !status && i < count; i++) {
    lengths[i] = blocklens[i];
    at[i] = displs[i];
  }
  if (!status)
    status = types ? mpi_check(PMPI_Type_create_struct_c(count, lengths, at, types, made),
                               "MPI_Type_create_struct_c")
                   : mpi_check(PMPI_Type_create_hindexed_c(count, lengths, at, old, made),
                               "MPI_Type_create_hindexed_c");
  free(lengths);
  free(at);
  return status;
}
#else
/* Each block a contiguous type of its own, count of them fitting an int. */
static int blocks_nested(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                         MPI_Datatype old, const MPI_Datatype types[], MPI_Datatype *made)
{
  MPI_Datatype *blocks = mpi_array(count, sizeof *blocks);
  MPJ_Count *ones = mpi_array(count, sizeof *ones), n = 0;
  int status = blocks && ones ? MPJ_SUCCESS : MPJ_ERR_NO_MEM;
  while (!status && n < count) {
    ones[n] = 1;
    status = mpi_wide_contiguous(blocklens[n], types ? types[n] : old, &blocks[n]);
    if (!status) n++;
  }
  if (!status) status = blocks_int(count, ones, displs, MPI_DATATYPE_NULL, blocks, made);
  while (n > 0)
    mpi_drop(&blocks[--n]);
  free(blocks);
  free(ones);
  return status;
}

/* More blocks than an int counts: halves. */
static int blocks_wide(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                       MPI_Datatype old, const MPI_Datatype types[], MPI_Datatype *made)
{
  if (fits(count)) return blocks_nested(count, blocklens, displs, old, types, made);
  const MPJ_Count half = count / 2;
  MPI_Datatype two[2];
  int status = blocks_wide(half, blocklens, displs, old, types, &two[0]);
  if (status) return status;
  status = blocks_wide(count - half, blocklens + half, displs + half, old,
                       types ? types + half : NULL, &two[1]);
  if (!status) {
    status = mpi_check(PMPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 0}, two, made),
                       "MPI_Type_create_struct");
    mpi_drop(&two[1]);
  }
  mpi_drop(&two[0]);
  return status;
}
#endif

int mpi_wide_hindexed(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                      MPI_Datatype old, MPI_Datatype *made)
{
  if (all_fit(count, blocklens)) return blocks_int(count, blocklens, displs, old, NULL, made);
  return blocks_wide(count, blocklens, displs, old, NULL, made);
}

int mpi_wide_struct(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                    const MPI_Datatype types[], MPI_Datatype *made)
{
  if (all_fit(count, blocklens))
    return blocks_int(count, blocklens, displs, MPI_DATATYPE_NULL, types, made);
  return blocks_wide(count, blocklens, displs, MPI_DATATYPE_NULL, types, made);
}
