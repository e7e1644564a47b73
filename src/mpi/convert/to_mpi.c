/* This file makes an MPI datatype of a datatype. */
#include <limits.h>

#include "mpi/convert/array.h"
#include "mpi/convert/blocks.h"

static bool fits(MPJ_Count n)
{
  return n >= INT_MIN && n <= INT_MAX;
}

/* Strides and displacements in extents stay so where they fit, as MPI's queries show them. */
static int make_vector(const MPJ_Count c[], MPI_Datatype old, MPI_Datatype *made)
{
  MPJ_Aint lb, extent;
  if (fits(c[0]) && fits(c[1]) && fits(c[2]))
    return mpi_check(PMPI_Type_vector((int)c[0], (int)c[1], (int)c[2], old, made),
                     "MPI_Type_vector");
  const int status = mpi_bounds(old, &lb, &extent);
  return status ? status : mpi_wide_hvector(c[0], c[1], c[2] * extent, old, made);
}

/* Any list of blocks of one type, or of several. */
static int make_blocks(const struct mpi_blocks *b, const MPI_Datatype olds[], MPI_Datatype *made)
{
  if (!b->child) return mpi_wide_hindexed(b->n, b->lengths, b->displs, olds[0], made);
  MPI_Datatype *types = mpi_array(b->n, sizeof *types);
  if (!types) return MPJ_ERR_NO_MEM;
  for (MPJ_Count i = 0; i < b->n; i++)
    types[i] = olds[b->child[i]];
  const int status = mpi_wide_struct(b->n, b->lengths, b->displs, types, made);
  free(types);
  return status;
}

static int make_of_blocks(const struct mpi_call *call, const MPI_Datatype olds[],
                          MPI_Datatype *made)
{
  struct mpi_blocks blocks;
  int status = mpi_blocks_of(call, &blocks);
  if (!status) status = make_blocks(&blocks, olds, made);
  mpi_blocks_free(&blocks);
  return status;
}

static int make_derived(const struct mpi_call *call, const MPI_Datatype olds[], MPI_Datatype *made)
{
  const MPJ_Count *c = call->counts;
  switch (call->combiner) {
  case MPJ_COMBINER_RESIZED:
    return mpi_check(
        PMPI_Type_create_resized(olds[0], call->addresses[0], call->addresses[1], made),
        "MPI_Type_create_resized");
  case MPJ_COMBINER_CONTIGUOUS:
    return mpi_wide_contiguous(c[0], olds[0], made);
  case MPJ_COMBINER_VECTOR:
    return make_vector(c, olds[0], made);
  case MPJ_COMBINER_HVECTOR:
    return mpi_wide_hvector(c[0], c[1], call->addresses[0], olds[0], made);
  case MPJ_COMBINER_SUBARRAY:
    return mpi_make_subarray(c, olds[0], made);
  case MPJ_COMBINER_DARRAY:
    return mpi_make_darray(c, olds[0], made);
  default:
    return make_of_blocks(call, olds, made);
  }
}

static int make_children(const struct mpi_call *call, MPI_Datatype olds[], MPI_Datatype *made)
{
  MPJ_Count n = 0;
  int status = MPJ_SUCCESS;
  while (!status && n < call->ntypes) {
    status = mpi_make(call->types[n], &olds[n]);
    if (!status) n++;
  }
  if (!status) status = make_derived(call, olds, made);
  while (n > 0)
    mpi_drop(&olds[--n]);
  return status;
}

static int make_of_children(const struct mpi_call *call, MPI_Datatype *made)
{
  MPI_Datatype *olds = mpi_array(call->ntypes, sizeof *olds);
  if (!olds) return MPJ_ERR_NO_MEM;
  const int status = make_children(call, olds, made);
  free(olds);
  return status;
}

/* A basic type without a named one of its own is its bytes. */
static int make_basic(MPJ_Datatype type, MPI_Datatype *made)
{
  MPJ_Count bytes;
  *made = mpi_named_of_basic(type);
  if (*made != MPI_DATATYPE_NULL) return MPJ_SUCCESS;
  const int status = MPJ_Type_size(type, &bytes);
  return status ? status : mpi_wide_contiguous(bytes, MPI_BYTE, made);
}

/* The data, with any bounds. */
static int make_data(MPJ_Datatype type, MPI_Datatype *made)
{
  struct mpi_call call;
  MPJ_Count elements;
  int status = MPJ_Type_get_element_count(type, &elements);
  if (status) return status;
  if (elements == 0) return mpi_wide_contiguous(0, MPI_BYTE, made);
  status = mpi_call_read(type, &call);
  if (status) return status;
  if (call.combiner == MPJ_COMBINER_NAMED)
    status = make_basic(type, made);
  else if (call.combiner == MPJ_COMBINER_DUP) /* MPICH 4.0 packs nothing of a byte's dup's dup */
    status = mpi_make(call.types[0], made);
  else if (call.combiner == MPJ_COMBINER_SLICE)
    status = mpi_slice(call.types[0], call.counts[0], call.counts[1], made);
  else if (call.combiner == MPJ_COMBINER_DISTRIBUTION)
    status = mpi_slice(type, 0, elements, made);
  else
    status = make_of_children(&call, made);
  mpi_call_free(&call);
  return status;
}

int mpi_make(MPJ_Datatype type, MPI_Datatype *made)
{
  MPJ_Aint lb, extent;
  int status = MPJ_Type_get_extent(type, &lb, &extent);
  if (!status) status = make_data(type, made);
  if (status) return status;
  status = mpi_rebound(made, lb, extent);
  if (status) mpi_drop(made);
  return status;
}

int MPJ_Type_to_mpi(MPJ_Datatype type, MPI_Datatype *mpi)
{
  MPI_Datatype made;
  if (!mpi) return mpi_report(MPJ_ERR_ARG, "mpi is NULL");
  int status = mpi_usable();
  if (!status) status = mpi_make(type, &made);
  if (status) return status;
  status = mpi_check(PMPI_Type_commit(&made), "MPI_Type_commit");
  if (status)
    mpi_drop(&made);
  else
    *mpi = made;
  return status;
}
