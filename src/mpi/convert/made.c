/* This file reads how an MPI type was made, into one form for int and for large
 * counts. */
#include <string.h>

#include "mpi/convert/interop.h"

/* What MPI's own queries return. */
struct raw {
  MPI_Count nints, naddresses, nlarge, ntypes;
  int combiner;
  int *ints;
  MPI_Aint *addresses;
  MPI_Count *large;
};

static void raw_free(struct raw *r)
{
  free(r->ints);
  free(r->addresses);
  free(r->large);
}

#if MPI_VERSION >= 4
static int raw_envelope(MPI_Datatype mpi, struct raw *r)
{
  return mpi_check(PMPI_Type_get_envelope_c(mpi, &r->nints, &r->naddresses, &r->nlarge, &r->ntypes,
                                            &r->combiner),
                   "MPI_Type_get_envelope_c");
}

static int raw_contents(MPI_Datatype mpi, const struct raw *r, MPI_Datatype types[])
{
  return mpi_check(PMPI_Type_get_contents_c(mpi, r->nints, r->naddresses, r->nlarge, r->ntypes,
                                            r->ints, r->addresses, r->large, types),
                   "MPI_Type_get_contents_c");
}

int mpi_bounds(MPI_Datatype mpi, MPJ_Aint *lb, MPJ_Aint *extent)
{
  MPI_Count l, e;
  const int status = mpi_check(PMPI_Type_get_extent_c(mpi, &l, &e), "MPI_Type_get_extent_c");
  if (status) return status;
  *lb = (MPJ_Aint)l;
  *extent = (MPJ_Aint)e;
  return MPJ_SUCCESS;
}
#else
static int raw_envelope(MPI_Datatype mpi, struct raw *r)
{
  int nints, naddresses, ntypes;
  const int status =
      mpi_check(PMPI_Type_get_envelope(mpi, &nints, &naddresses, &ntypes, &r->combiner),
                "MPI_Type_get_envelope");
  if (status) return status;
  r->nints = nints;
  r->naddresses = naddresses;
  r->nlarge = 0;
  r->ntypes = ntypes;
  return MPJ_SUCCESS;
}

static int raw_contents(MPI_Datatype mpi, const struct raw *r, MPI_Datatype types[])
{
  return mpi_check(PMPI_Type_get_contents(mpi, (int)r->nints, (int)r->naddresses, (int)r->ntypes,
                                          r->ints, r->addresses, types),
                   "MPI_Type_get_contents");
}

int mpi_bounds(MPI_Datatype mpi, MPJ_Aint *lb, MPJ_Aint *extent)
{
  MPI_Aint l, e;
  const int status = mpi_check(PMPI_Type_get_extent(mpi, &l, &e), "MPI_Type_get_extent");
  if (status) return status;
  *lb = l;
  *extent = e;
  return MPJ_SUCCESS;
}
#endif

/* How many of a large-count type's numbers are displacements or bounds: the last ones
 * (MPI 4.1, 5.1.13). */
static MPI_Count addresses_among(const struct raw *r)
{
  if (r->nlarge == 0) return 0;
  switch (r->combiner) {
  case MPI_COMBINER_HVECTOR:
    return 1;
  case MPI_COMBINER_HINDEXED:
  case MPI_COMBINER_STRUCT:
    return (r->nlarge - 1) / 2;
  case MPI_COMBINER_HINDEXED_BLOCK:
    return r->nlarge - 2;
  case MPI_COMBINER_RESIZED:
    return 2;
  default:
    return 0;
  }
}

/* After how many of the ints the large counts come: arrays give ndims (and size
 * and rank) before their shape as ints. */
static MPI_Count ints_before(const struct raw *r)
{
  if (r->combiner == MPI_COMBINER_SUBARRAY) return 1;
  if (r->combiner == MPI_COMBINER_DARRAY) return 3;
  return 0;
}

/* One list of counts and one of addresses out of three. */
static void merge(const struct raw *r, struct mpi_made *made)
{
  const MPI_Count before = r->nlarge > 0 ? ints_before(r) : r->nints;
  const MPI_Count numbers = r->nlarge - addresses_among(r);
  MPJ_Count n = 0;
  for (MPI_Count i = 0; i < before; i++)
    made->counts[n++] = r->ints[i];
  for (MPI_Count i = 0; i < numbers; i++)
    made->counts[n++] = r->large[i];
  for (MPI_Count i = before; i < r->nints; i++)
    made->counts[n++] = r->ints[i];
  made->ncounts = n;
  n = 0;
  for (MPI_Count i = 0; i < r->naddresses; i++)
    made->addresses[n++] = r->addresses[i];
  for (MPI_Count i = numbers; i < r->nlarge; i++)
    made->addresses[n++] = (MPJ_Aint)r->large[i];
  made->naddresses = n;
}

static int read_contents(MPI_Datatype mpi, struct raw *r, struct mpi_made *made)
{
  r->ints = mpi_array(r->nints, sizeof *r->ints);
  r->addresses = mpi_array(r->naddresses, sizeof *r->addresses);
  r->large = mpi_array(r->nlarge, sizeof *r->large);
  made->counts = mpi_array(r->nints + r->nlarge, sizeof *made->counts);
  made->addresses = mpi_array(r->naddresses + r->nlarge, sizeof *made->addresses);
  made->types = mpi_array(r->ntypes, sizeof *made->types);
  if (!r->ints || !r->addresses || !r->large || !made->counts || !made->addresses || !made->types)
    return MPJ_ERR_NO_MEM;
  const int status = raw_contents(mpi, r, made->types);
  if (status) return status;
  made->ntypes = r->ntypes;
  merge(r, made);
  return MPJ_SUCCESS;
}

int mpi_made_read(MPI_Datatype mpi, struct mpi_made *made)
{
  struct raw r = {0};
  *made = (struct mpi_made){0};
  int status = raw_envelope(mpi, &r);
  if (status) return status;
  made->combiner = r.combiner;
  if (r.combiner != MPI_COMBINER_NAMED) status = read_contents(mpi, &r, made);
  raw_free(&r);
  if (status) mpi_made_free(made);
  return status;
}

void mpi_made_free(struct mpi_made *made)
{
  for (MPJ_Count i = 0; i < made->ntypes; i++)
    mpi_drop(&made->types[i]);
  free(made->counts);
  free(made->addresses);
  free(made->types);
  *made = (struct mpi_made){0};
}
