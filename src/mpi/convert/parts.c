/* This file converts the argument lists of MPI's v and w collectives to datatypes with
 * a part a process, and back. */
#include <limits.h>

#include "mpi/convert/interop.h"

static int check(int nparts, const void *counts, const void *type)
{
  if (nparts < 0) return mpi_report(MPJ_ERR_ARG, "nparts is %d, must not be negative", nparts);
  if (!type) return mpi_report(MPJ_ERR_ARG, "type is NULL");
  if (nparts > 0 && !counts) return mpi_report(MPJ_ERR_ARG, "counts is NULL");
  return MPJ_SUCCESS;
}

static int finish(int status, MPJ_Datatype made, MPJ_Datatype *type)
{
  if (status) return status;
  status = MPJ_Type_commit(&made);
  if (status)
    MPJ_Type_free(&made);
  else
    *type = made;
  return status;
}

/* Whether numbers[i] = numbers[0] + i * step for all. */
static bool is_progression(int n, const MPJ_Count numbers[], MPJ_Count step)
{
  for (int i = 1; i < n; i++)
    if (numbers[i] - numbers[i - 1] != step) return false;
  return true;
}

static int v_parts(int nparts, const MPJ_Count counts[], const MPJ_Count displs[], MPJ_Datatype old,
                   MPJ_Datatype *made)
{
  if (!displs) return MPJ_Type_create_segment(nparts, counts, old, made);
  if (nparts > 1 && displs[0] == 0 && is_progression(nparts, counts, 0) &&
      is_progression(nparts, displs, displs[1]))
    return MPJ_Type_vector(nparts, counts[0], displs[1], old, made);
  return MPJ_Type_indexed(nparts, counts, displs, old, made);
}

static int from_v(int nparts, const MPJ_Count counts[], const MPJ_Count displs[], MPI_Datatype mpi,
                  MPJ_Datatype *type)
{
  MPJ_Datatype old, made = MPJ_DATATYPE_NULL;
  int status = MPJ_Type_from_mpi(mpi, &old);
  if (status) return status;
  status = v_parts(nparts, counts, displs, old, &made);
  mpi_release(&old);
  return finish(status, made, type);
}

static int from_w(int nparts, const MPJ_Count counts[], const MPJ_Aint displs[],
                  const MPI_Datatype types[], MPJ_Datatype *type)
{
  MPJ_Datatype made = MPJ_DATATYPE_NULL, *olds = mpi_array(nparts, sizeof *olds);
  int n = 0, first = -1, status = olds ? MPJ_SUCCESS : MPJ_ERR_NO_MEM;
  bool alike = true;
  while (!status && n < nparts) {
    /* MPI looks at no datatype that has no elements. */
    olds[n] = MPJ_BYTE;
    if (counts[n] > 0) {
      if (first < 0) first = n;
      alike = alike && types[n] == types[first];
      status = MPJ_Type_from_mpi(types[n], &olds[n]);
    }
    if (!status) n++;
  }
  if (!status)
    status = alike && first >= 0
                 ? MPJ_Type_create_hindexed(nparts, counts, displs, olds[first], &made)
                 : MPJ_Type_create_struct(nparts, counts, displs, olds, &made);
  while (n > 0)
    mpi_release(&olds[--n]);
  free(olds);
  return finish(status, made, type);
}

static MPJ_Count *widened(int n, const int numbers[])
{
  MPJ_Count *wide = mpi_array(n, sizeof *wide);
  for (int i = 0; wide && i < n; i++)
    wide[i] = numbers[i];
  return wide;
}

int MPJ_Type_from_mpi_parts(int nparts, const int counts[], const int displs[], MPI_Datatype mpi,
                            MPJ_Datatype *type)
{
  MPJ_ENTRY;
  int status = check(nparts, counts, type);
  if (status) return status;
  MPJ_Count *c = widened(nparts, counts), *d = displs ? widened(nparts, displs) : NULL;
  status = c && (d || !displs) ? from_v(nparts, c, d, mpi, type) : MPJ_ERR_NO_MEM;
  free(c);
  free(d);
  return status;
}

static MPJ_Count *copied(int n, const MPI_Count numbers[])
{
  MPJ_Count *copy = mpi_array(n, sizeof *copy);
  for (int i = 0; copy && i < n; i++)
    copy[i] = numbers[i];
  return copy;
}

int MPJ_Type_from_mpi_parts_c(int nparts, const MPI_Count counts[], const MPI_Aint displs[],
                              MPI_Datatype mpi, MPJ_Datatype *type)
{
  MPJ_ENTRY;
  int status = check(nparts, counts, type);
  if (status) return status;
  MPJ_Count *c = copied(nparts, counts);
  MPJ_Count *d = displs ? mpi_array(nparts, sizeof *d) : NULL;
  for (int i = 0; d && i < nparts; i++)
    d[i] = displs[i];
  status = c && (d || !displs) ? from_v(nparts, c, d, mpi, type) : MPJ_ERR_NO_MEM;
  free(c);
  free(d);
  return status;
}

int MPJ_Type_from_mpi_parts_w_c(int nparts, const MPI_Count counts[], const MPI_Aint displs[],
                                const MPI_Datatype types[], MPJ_Datatype *type)
{
  MPJ_ENTRY;
  int status = check(nparts, counts, type);
  if (status) return status;
  if (nparts > 0 && (!displs || !types))
    return mpi_report(MPJ_ERR_ARG, "%s is NULL", displs ? "types" : "displs");
  MPJ_Count *c = copied(nparts, counts);
  status = c ? from_w(nparts, c, displs, types, type) : MPJ_ERR_NO_MEM;
  free(c);
  return status;
}

int MPJ_Type_from_mpi_parts_w(int nparts, const int counts[], const int displs[],
                              const MPI_Datatype types[], MPJ_Datatype *type)
{
  MPJ_ENTRY;
  int status = check(nparts, counts, type);
  if (status) return status;
  if (nparts > 0 && (!displs || !types))
    return mpi_report(MPJ_ERR_ARG, "%s is NULL", displs ? "types" : "displs");
  MPJ_Count *c = widened(nparts, counts);
  MPJ_Aint *d = mpi_array(nparts, sizeof *d);
  for (int i = 0; d && i < nparts; i++)
    d[i] = displs[i];
  status = c && d ? from_w(nparts, c, d, types, type) : MPJ_ERR_NO_MEM;
  free(c);
  free(d);
  return status;
}

/* Part i as an MPI type; a displacement beyond an int becomes part of it. */
static int part_to_mpi(MPJ_Datatype type, int i, int *count, int *displ, MPI_Datatype *mpi)
{
  MPJ_Datatype part;
  MPJ_Aint at;
  MPJ_Count bytes = 0;
  int status = MPJ_Type_part(type, i, &at, &part);
  if (status) return status;
  status = MPJ_Type_size(part, &bytes);
  if (!status) status = mpi_make(part, mpi);
  mpi_release(&part);
  if (status) return status;
  if (at < INT_MIN || at > INT_MAX) {
    MPI_Datatype moved;
    status = mpi_wide_hindexed(1, (MPJ_Count[]){1}, (MPJ_Aint[]){at}, *mpi, &moved);
    mpi_drop(mpi);
    if (status) return status;
    *mpi = moved;
    at = 0;
  }
  *count = bytes > 0;
  *displ = (int)at;
  return mpi_check(PMPI_Type_commit(mpi), "MPI_Type_commit");
}

int MPJ_Type_to_mpi_parts(MPJ_Datatype type, int nparts, int counts[], int displs[],
                          MPI_Datatype types[])
{
  MPJ_ENTRY;
  MPJ_Count n;
  int status = mpi_usable();
  if (!status) status = MPJ_Type_parts(type, &n);
  if (status) return status;
  if (n != nparts)
    return mpi_report(MPJ_ERR_PARTS, "type has %lld parts, nparts is %d", (long long)n, nparts);
  if (nparts > 0 && (!counts || !displs || !types))
    return mpi_report(MPJ_ERR_ARG, "%s is NULL", !counts ? "counts" : !displs ? "displs" : "types");
  for (int i = 0; i < nparts; i++)
    types[i] = MPI_DATATYPE_NULL;
  for (int i = 0; !status && i < nparts; i++)
    status = part_to_mpi(type, i, &counts[i], &displs[i], &types[i]);
  if (status) MPJ_Type_free_mpi_parts(nparts, types);
  return status;
}

int MPJ_Type_free_mpi_parts(int nparts, MPI_Datatype types[])
{
  MPJ_ENTRY;
  if (nparts > 0 && !types) return mpi_report(MPJ_ERR_ARG, "types is NULL");
  for (int i = 0; i < nparts; i++)
    mpi_drop(&types[i]);
  return MPJ_SUCCESS;
}
