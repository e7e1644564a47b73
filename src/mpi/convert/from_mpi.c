/* This file makes a datatype of an MPI one: the same constructors called again, with
 * the bounds that MPI says it has. */
#include "mpi/convert/interop.h"

/* A type of a Fortran kind that was chosen by precision or range. */
static int convert_f90(MPI_Datatype mpi, int combiner, MPJ_Datatype *type)
{
  MPJ_Count size;
  const int status = mpi_size(mpi, &size);
  if (status) return status;
  MPJ_Datatype basic = MPJ_DATATYPE_NULL;
  if (combiner == MPI_COMBINER_F90_REAL)
    basic = size == 4 ? MPJ_FLOAT : size == 8 ? MPJ_DOUBLE : MPJ_DATATYPE_NULL;
  else if (combiner == MPI_COMBINER_F90_COMPLEX)
    basic = size == 8 ? MPJ_C_FLOAT_COMPLEX : size == 16 ? MPJ_C_DOUBLE_COMPLEX : MPJ_DATATYPE_NULL;
  else
    basic = size == 1   ? MPJ_INT8
            : size == 2 ? MPJ_INT16
            : size == 4 ? MPJ_INT32
            : size == 8 ? MPJ_INT64
                        : MPJ_DATATYPE_NULL;
  if (basic) {
    *type = basic;
    return MPJ_SUCCESS;
  }
  return MPJ_Type_contiguous(size, MPJ_BYTE, type);
}

static int order_of(MPJ_Count order)
{
  return order == MPI_ORDER_FORTRAN ? MPJ_ORDER_FORTRAN : MPJ_ORDER_C;
}

static int distrib_of(MPJ_Count distrib)
{
  if (distrib == MPI_DISTRIBUTE_BLOCK) return MPJ_DISTRIBUTE_BLOCK;
  return distrib == MPI_DISTRIBUTE_CYCLIC ? MPJ_DISTRIBUTE_CYCLIC : MPJ_DISTRIBUTE_NONE;
}

static int convert_darray(const struct mpi_made *m, MPJ_Datatype old, MPJ_Datatype *type)
{
  const MPJ_Count *c = m->counts;
  const int n = (int)c[2];
  int *distribs = mpi_array(n, sizeof *distribs), *psizes = mpi_array(n, sizeof *psizes);
  MPJ_Count *dargs = mpi_array(n, sizeof *dargs);
  int status = distribs && psizes && dargs ? MPJ_SUCCESS : MPJ_ERR_NO_MEM;
  for (int d = 0; !status && d < n; d++) {
    distribs[d] = distrib_of(c[3 + n + d]);
    dargs[d] =
        c[3 + 2 * n + d] == MPI_DISTRIBUTE_DFLT_DARG ? MPJ_DISTRIBUTE_DFLT_DARG : c[3 + 2 * n + d];
    psizes[d] = (int)c[3 + 3 * n + d];
  }
  if (!status)
    status = MPJ_Type_create_darray((int)c[0], (int)c[1], n, c + 3, distribs, dargs, psizes,
                                    order_of(c[3 + 4 * n]), old, type);
  free(distribs);
  free(psizes);
  free(dargs);
  return status;
}

/* Call the constructor again. */
static int rebuild(const struct mpi_made *m, const MPJ_Datatype olds[], MPJ_Datatype *type)
{
  const MPJ_Count *c = m->counts;
  const MPJ_Aint *a = m->addresses;
  const MPJ_Count n = m->ncounts > 0 ? c[0] : 0;
  switch (m->combiner) {
  case MPI_COMBINER_DUP:
    return MPJ_Type_create_resized(olds[0], 0, 0, type);
  case MPI_COMBINER_CONTIGUOUS:
    return MPJ_Type_contiguous(n, olds[0], type);
  case MPI_COMBINER_VECTOR:
    return MPJ_Type_vector(n, c[1], c[2], olds[0], type);
  case MPI_COMBINER_HVECTOR:
    return MPJ_Type_create_hvector(n, c[1], a[0], olds[0], type);
  case MPI_COMBINER_INDEXED:
    return MPJ_Type_indexed(n, c + 1, c + 1 + n, olds[0], type);
  case MPI_COMBINER_HINDEXED:
    return MPJ_Type_create_hindexed(n, c + 1, a, olds[0], type);
  case MPI_COMBINER_INDEXED_BLOCK:
    return MPJ_Type_create_indexed_block(n, c[1], c + 2, olds[0], type);
  case MPI_COMBINER_HINDEXED_BLOCK:
    return MPJ_Type_create_hindexed_block(n, c[1], a, olds[0], type);
  case MPI_COMBINER_STRUCT:
    return MPJ_Type_create_struct(n, c + 1, a, olds, type);
  case MPI_COMBINER_SUBARRAY:
    return MPJ_Type_create_subarray((int)n, c + 1, c + 1 + n, c + 1 + 2 * n, order_of(c[1 + 3 * n]),
                                    olds[0], type);
  case MPI_COMBINER_DARRAY:
    return convert_darray(m, olds[0], type);
  case MPI_COMBINER_RESIZED:
    return MPJ_Type_create_resized(olds[0], a[0], a[1], type);
  default:
    return mpi_report(MPJ_ERR_UNSUPPORTED, "an MPI datatype of combiner %d cannot be converted",
                      m->combiner);
  }
}

/* MPI rounds the extent of structs up to their alignment, and keeps the bounds that
 * MPI_LB and MPI_UB set: take over what it says. */
static int take_bounds(MPI_Datatype mpi, MPJ_Datatype *type)
{
  MPJ_Aint lb, extent, own_lb, own_extent;
  int status = mpi_bounds(mpi, &lb, &extent);
  if (!status) status = MPJ_Type_get_extent(*type, &own_lb, &own_extent);
  if (status || (lb == own_lb && extent == own_extent)) return status;
  MPJ_Datatype resized;
  status = MPJ_Type_create_resized(*type, lb, extent, &resized);
  if (status) return status;
  MPJ_Type_free(type);
  *type = resized;
  return MPJ_SUCCESS;
}

static int convert_derived(MPI_Datatype mpi, const struct mpi_made *made, const MPJ_Datatype olds[],
                           MPJ_Datatype *type)
{
  int status = rebuild(made, olds, type);
  if (status) return status;
  status = take_bounds(mpi, type);
  if (status) MPJ_Type_free(type);
  return status;
}

/* Named types that the table lacks are those that MPI does not say more of, and MPI-1's
 * MPI_LB and MPI_UB, which have no bytes: the bounds that these set are taken over. */
int mpi_convert(MPI_Datatype mpi, const struct mpi_made *made, const MPJ_Datatype olds[],
                MPJ_Datatype *type)
{
  switch (made->combiner) {
  case MPI_COMBINER_NAMED:
    return mpi_named_bytes(mpi, type);
  case MPI_COMBINER_F90_REAL:
  case MPI_COMBINER_F90_COMPLEX:
  case MPI_COMBINER_F90_INTEGER:
    return convert_f90(mpi, made->combiner, type);
  default:
    return convert_derived(mpi, made, olds, type);
  }
}
