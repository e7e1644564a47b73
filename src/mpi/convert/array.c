/* This file makes MPI types of arrays that MPI's own array constructors do not take:
 * sizes beyond an int, general block lengths. Each dimension's share is a list of runs of
 * indices; the type is nested from the fastest dimension outwards. */
#include <limits.h>

#include "mpi/convert/array.h"

int mpi_runs_one(MPJ_Count start, MPJ_Count length, struct mpi_runs *runs)
{
  *runs = (struct mpi_runs){.n = 1};
  runs->starts = mpi_array(1, sizeof *runs->starts);
  runs->lengths = mpi_array(1, sizeof *runs->lengths);
  if (!runs->starts || !runs->lengths) return MPJ_ERR_NO_MEM;
  runs->starts[0] = start;
  runs->lengths[0] = length;
  return MPJ_SUCCESS;
}

int mpi_runs_cyclic(MPJ_Count size, MPJ_Count block, MPJ_Count coord, MPJ_Count nprocs,
                    struct mpi_runs *runs)
{
  const MPJ_Count first = coord * block, step = block * nprocs;
  const MPJ_Count n = first < size ? (size - first + step - 1) / step : 0;
  *runs = (struct mpi_runs){.n = n};
  runs->starts = mpi_array(n, sizeof *runs->starts);
  runs->lengths = mpi_array(n, sizeof *runs->lengths);
  if (!runs->starts || !runs->lengths) return MPJ_ERR_NO_MEM;
  for (MPJ_Count i = 0; i < n; i++) {
    const MPJ_Count start = first + i * step;
    runs->starts[i] = start;
    runs->lengths[i] = size - start < block ? size - start : block;
  }
  return MPJ_SUCCESS;
}

void mpi_runs_free(struct mpi_runs *runs)
{
  free(runs->starts);
  free(runs->lengths);
  *runs = (struct mpi_runs){0};
}

/* The runs of one dimension over `inner`, whose extent is one step of it. */
static int one_dimension(const struct mpi_runs *runs, MPJ_Aint step, MPI_Datatype inner,
                         MPI_Datatype *made)
{
  MPJ_Aint *displs = mpi_array(runs->n, sizeof *displs);
  if (!displs) return MPJ_ERR_NO_MEM;
  for (MPJ_Count i = 0; i < runs->n; i++)
    displs[i] = runs->starts[i] * step;
  const int status = mpi_wide_hindexed(runs->n, runs->lengths, displs, inner, made);
  free(displs);
  return status;
}

int mpi_array_of_runs(int ndims, const MPJ_Count sizes[], const struct mpi_runs runs[], int order,
                      MPI_Datatype old, MPI_Datatype *made)
{
  MPJ_Aint lb, step;
  int status = mpi_bounds(old, &lb, &step);
  MPI_Datatype inner = old;
  for (int k = 0; !status && k < ndims; k++) {
    const int d = order == MPJ_ORDER_C ? ndims - 1 - k : k;
    MPI_Datatype outer;
    status = one_dimension(&runs[d], step, inner, &outer);
    if (inner != old) mpi_drop(&inner);
    if (status) break;
    inner = outer;
    step *= sizes[d];
    status = mpi_rebound(&inner, lb, step);
  }
  if (status && inner != old) mpi_drop(&inner);
  if (!status) *made = inner;
  return status;
}

static struct mpi_runs *new_runs(int ndims)
{
  struct mpi_runs *runs = mpi_array(ndims, sizeof *runs);
  for (int d = 0; runs && d < ndims; d++)
    runs[d] = (struct mpi_runs){0};
  return runs;
}

static bool all_fit(MPJ_Count n, const MPJ_Count numbers[])
{
  MPJ_Count i = 0;
  while (i < n && numbers[i] <= INT_MAX)
    i++;
  return i == n;
}

static int order_of(MPJ_Count order)
{
  return order == MPJ_ORDER_FORTRAN ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
}

static void narrow(int n, const MPJ_Count from[], int to[])
{
  for (int i = 0; i < n; i++)
    to[i] = (int)from[i];
}

/* counts: ndims, sizes[], subsizes[], starts[], order. */
int mpi_make_subarray(const MPJ_Count counts[], MPI_Datatype old, MPI_Datatype *made)
{
  enum { DIMS = 64 };
  const int n = (int)counts[0];
  if (n <= DIMS && all_fit(3 * n, counts + 1)) {
    int box[3][DIMS];
    for (int i = 0; i < 3; i++)
      narrow(n, counts + 1 + i * n, box[i]);
    return mpi_check(PMPI_Type_create_subarray(n, box[0], box[1], box[2],
                                               order_of(counts[1 + 3 * n]), old, made),
                     "MPI_Type_create_subarray");
  }
  struct mpi_runs *runs = new_runs(n);
  int status = runs ? MPJ_SUCCESS : MPJ_ERR_NO_MEM;
  for (int d = 0; !status && d < n; d++)
    status = mpi_runs_one(counts[1 + 2 * n + d], counts[1 + n + d], &runs[d]);
  if (!status) status = mpi_array_of_runs(n, counts + 1, runs, (int)counts[1 + 3 * n], old, made);
  for (int d = 0; runs && d < n; d++)
    mpi_runs_free(&runs[d]);
  free(runs);
  return status;
}

/* A darray's numbers by name: size, rank, ndims, gsizes[], distribs[], dargs[], psizes[],
 * order, blocks of the general dimensions. */
struct darray {
  int n;
  const MPJ_Count *gsizes, *distribs, *dargs, *psizes, *blocks;
  MPJ_Count order;
};

static struct darray darray_of(const MPJ_Count counts[])
{
  const MPJ_Count *c = counts + 3;
  const MPJ_Count n = counts[2];
  return (struct darray){.n = (int)n,
                         .gsizes = c,
                         .distribs = c + n,
                         .dargs = c + 2 * n,
                         .psizes = c + 3 * n,
                         .order = c[4 * n],
                         .blocks = c + 4 * n + 1};
}

/* What coordinate `coord` owns of dimension d; *blocks goes on to the next dimension's. */
static int runs_of(const struct darray *a, int d, MPJ_Count coord, const MPJ_Count **blocks,
                   struct mpi_runs *runs)
{
  const MPJ_Count size = a->gsizes[d], p = a->psizes[d], darg = a->dargs[d];
  const bool given = darg != MPJ_DISTRIBUTE_DFLT_DARG;
  if (a->distribs[d] == MPJ_DISTRIBUTE_NONE) return mpi_runs_one(0, size, runs);
  if (a->distribs[d] == MPJ_DISTRIBUTE_CYCLIC)
    return mpi_runs_cyclic(size, given ? darg : 1, coord, p, runs);
  if (a->distribs[d] == MPJ_DISTRIBUTE_BLOCK)
    return mpi_runs_cyclic(size, given ? darg : (size + p - 1) / p, coord, p, runs);
  MPJ_Count start = 0;
  for (MPJ_Count c = 0; c < coord; c++)
    start += (*blocks)[c];
  const MPJ_Count length = (*blocks)[coord];
  *blocks += p;
  return mpi_runs_one(start, length, runs);
}

static int darray_of_runs(const struct darray *a, MPJ_Count rank, MPI_Datatype old,
                          MPI_Datatype *made)
{
  struct mpi_runs *runs = new_runs(a->n);
  const MPJ_Count *blocks = a->blocks;
  MPJ_Count ranks = 1; /* of the dimensions from d on */
  int status = runs ? MPJ_SUCCESS : MPJ_ERR_NO_MEM;
  for (int d = 0; d < a->n; d++)
    ranks *= a->psizes[d];
  for (int d = 0; !status && d < a->n; d++) {
    ranks /= a->psizes[d];
    status = runs_of(a, d, rank / ranks % a->psizes[d], &blocks, &runs[d]);
  }
  if (!status) status = mpi_array_of_runs(a->n, a->gsizes, runs, (int)a->order, old, made);
  for (int d = 0; runs && d < a->n; d++)
    mpi_runs_free(&runs[d]);
  free(runs);
  return status;
}

static int mpi_distrib_of(MPJ_Count distrib)
{
  if (distrib == MPJ_DISTRIBUTE_BLOCK) return MPI_DISTRIBUTE_BLOCK;
  return distrib == MPJ_DISTRIBUTE_CYCLIC ? MPI_DISTRIBUTE_CYCLIC : MPI_DISTRIBUTE_NONE;
}

static bool mpi_has(const struct darray *a, const MPJ_Count counts[])
{
  enum { DIMS = 64 };
  if (a->n > DIMS || !all_fit(2, counts) || !all_fit(a->n, a->gsizes) || !all_fit(a->n, a->dargs))
    return false;
  for (int d = 0; d < a->n; d++)
    if (a->distribs[d] == MPJ_DISTRIBUTE_GENERAL) return false;
  return true;
}

int mpi_make_darray(const MPJ_Count counts[], MPI_Datatype old, MPI_Datatype *made)
{
  enum { DIMS = 64 };
  const struct darray a = darray_of(counts);
  int gsizes[DIMS], distribs[DIMS], dargs[DIMS], psizes[DIMS];
  if (!mpi_has(&a, counts)) return darray_of_runs(&a, counts[1], old, made);
  narrow(a.n, a.gsizes, gsizes);
  narrow(a.n, a.psizes, psizes);
  for (int d = 0; d < a.n; d++) {
    distribs[d] = mpi_distrib_of(a.distribs[d]);
    dargs[d] = a.dargs[d] == MPJ_DISTRIBUTE_DFLT_DARG ? MPI_DISTRIBUTE_DFLT_DARG : (int)a.dargs[d];
  }
  return mpi_check(PMPI_Type_create_darray((int)counts[0], (int)counts[1], a.n, gsizes, distribs,
                                           dargs, psizes, order_of(a.order), old, made),
                   "MPI_Type_create_darray");
}
