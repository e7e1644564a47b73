/* This file expands types element by element. */
#include "types/reference.h"

#include <stdio.h>
#include <stdlib.h>

#include "types/basic.h"

struct mpj_ref_grid {
  int references, ndims, order;
  MPJ_Count gsizes[8], psizes[8];
  MPJ_Count *owners[8]; /* [gsizes[d]]: the coordinate that owns each index */
  struct mpj_ref *old;
};

void *mpj_ref_allocate(size_t bytes)
{
  void *p = calloc(1, bytes ? bytes : 1);
  if (!p) {
    fprintf(stderr, "reference: no memory for %zu bytes\n", bytes);
    exit(2);
  }
  return p;
}

static struct mpj_ref *new_ref(MPJ_Count capacity, MPJ_Count nparts)
{
  struct mpj_ref *ref = mpj_ref_allocate(sizeof *ref);
  ref->references = 1;
  ref->map = mpj_ref_allocate((size_t)capacity * sizeof *ref->map);
  ref->nparts = nparts;
  ref->parts = mpj_ref_allocate((size_t)nparts * sizeof *ref->parts);
  return ref;
}

struct mpj_ref *mpj_ref_retain(struct mpj_ref *ref)
{
  ref->references++;
  return ref;
}

static void release_grid(struct mpj_ref_grid *grid)
{
  if (!grid || --grid->references > 0) return;
  mpj_ref_release(grid->old);
  for (int d = 0; d < grid->ndims; d++)
    free(grid->owners[d]);
  free(grid);
}

void mpj_ref_release(struct mpj_ref *ref)
{
  if (!ref || --ref->references > 0) return;
  for (MPJ_Count i = 0; ref->parts && i < ref->nparts; i++)
    mpj_ref_release(ref->parts[i].type);
  release_grid(ref->grid);
  free(ref->parts);
  free(ref->map);
  free(ref);
}

static void append(struct mpj_ref *ref, const struct mpj_ref *old, MPJ_Aint displ)
{
  for (MPJ_Count e = 0; e < old->n; e++) {
    ref->map[ref->n] = old->map[e];
    ref->map[ref->n++].displ += displ;
  }
}

struct mpj_ref *mpj_ref_basic(int basic)
{
  struct mpj_ref *ref = new_ref(1, 0);
  free(ref->parts);
  ref->parts = NULL;
  ref->nparts = 1;
  ref->n = 1;
  ref->map[0] = (struct mpj_ref_entry){basic, 0};
  return ref;
}

struct mpj_ref *mpj_ref_contiguous(MPJ_Count count, struct mpj_ref *old)
{
  struct mpj_ref *ref = new_ref(count * old->n, count);
  for (MPJ_Count i = 0; i < count; i++) {
    MPJ_Aint origin = i * mpj_ref_extent(old);
    append(ref, old, origin);
    ref->parts[i] = (struct mpj_ref_part){origin, mpj_ref_retain(old)};
  }
  return ref;
}

struct mpj_ref *mpj_ref_struct(MPJ_Count count, const MPJ_Count blocklens[],
                               const MPJ_Aint displs[], struct mpj_ref *const olds[])
{
  MPJ_Count capacity = 0;
  for (MPJ_Count i = 0; i < count; i++)
    capacity += blocklens[i] * olds[i]->n;
  struct mpj_ref *ref = new_ref(capacity, count);
  for (MPJ_Count i = 0; i < count; i++) {
    struct mpj_ref *block = mpj_ref_contiguous(blocklens[i], olds[i]);
    append(ref, block, displs[i]);
    ref->parts[i] = (struct mpj_ref_part){displs[i], block};
  }
  return ref;
}

struct mpj_ref *mpj_ref_sparse(MPJ_Count nparts, MPJ_Count n, const MPJ_Count parts[],
                               const MPJ_Aint displs[], struct mpj_ref *const olds[])
{
  MPJ_Count capacity = 0;
  for (MPJ_Count k = 0; k < n; k++)
    capacity += olds[k]->n;
  struct mpj_ref *ref = new_ref(capacity, nparts);
  for (MPJ_Count i = 0, k = 0; i < nparts; i++) {
    const bool given = k < n && parts[k] == i;
    if (given) append(ref, olds[k], displs[k]);
    ref->parts[i] = given ? (struct mpj_ref_part){displs[k], mpj_ref_retain(olds[k])}
                          : (struct mpj_ref_part){0, new_ref(0, 0)};
    k += given;
  }
  return ref;
}

struct mpj_ref *mpj_ref_hindexed(MPJ_Count count, const MPJ_Count blocklens[],
                                 const MPJ_Aint displs[], struct mpj_ref *old)
{
  struct mpj_ref **olds = mpj_ref_allocate((size_t)count * sizeof *olds);
  for (MPJ_Count i = 0; i < count; i++)
    olds[i] = old;
  struct mpj_ref *ref = mpj_ref_struct(count, blocklens, displs, olds);
  free(olds);
  return ref;
}

struct mpj_ref *mpj_ref_hvector(MPJ_Count count, MPJ_Count blocklen, MPJ_Aint stride,
                                struct mpj_ref *old)
{
  MPJ_Count *blocklens = mpj_ref_allocate((size_t)count * sizeof *blocklens);
  MPJ_Aint *displs = mpj_ref_allocate((size_t)count * sizeof *displs);
  for (MPJ_Count i = 0; i < count; i++) {
    blocklens[i] = blocklen;
    displs[i] = i * stride;
  }
  struct mpj_ref *ref = mpj_ref_hindexed(count, blocklens, displs, old);
  free(blocklens);
  free(displs);
  return ref;
}

static void drop_markers(struct mpj_ref *ref)
{
  MPJ_Count kept = 0;
  for (MPJ_Count e = 0; e < ref->n; e++)
    if (ref->map[e].basic >= 0) ref->map[kept++] = ref->map[e];
  ref->n = kept;
}

/* Replace all markers; the map must have room for two entries more. */
static void mark(struct mpj_ref *ref, MPJ_Aint lb, MPJ_Aint ub)
{
  drop_markers(ref);
  ref->map[ref->n++] = (struct mpj_ref_entry){MPJ_REF_LB, lb};
  ref->map[ref->n++] = (struct mpj_ref_entry){MPJ_REF_UB, ub};
}

struct mpj_ref *mpj_ref_dup(struct mpj_ref *old)
{
  struct mpj_ref *ref = new_ref(old->n + 2, old->nparts);
  append(ref, old, 0);
  for (MPJ_Count i = 0; i < old->nparts; i++) {
    ref->parts[i] = mpj_ref_part(old, i);
    mpj_ref_retain(ref->parts[i].type);
  }
  ref->grid = old->grid;
  if (ref->grid) ref->grid->references++;
  return ref;
}

struct mpj_ref *mpj_ref_resized(struct mpj_ref *old, MPJ_Aint lb, MPJ_Aint extent)
{
  struct mpj_ref *ref = mpj_ref_dup(old);
  mark(ref, lb, lb + extent);
  return ref;
}

/* Bytes between neighbours in dimension d of an array. */
static MPJ_Aint dimension_stride(int ndims, const MPJ_Count sizes[], int order, int d,
                                 const struct mpj_ref *old)
{
  MPJ_Aint stride = mpj_ref_extent(old);
  for (int other = 0; other < ndims; other++)
    if (order == MPJ_ORDER_C ? other > d : other < d) stride *= sizes[other];
  return stride;
}

static MPJ_Count product(int n, const MPJ_Count values[])
{
  MPJ_Count p = 1;
  for (int i = 0; i < n; i++)
    p *= values[i];
  return p;
}

/* The next index in array order; false after the last. */
static bool next_index(int ndims, const MPJ_Count sizes[], int order, MPJ_Count index[])
{
  for (int k = 0; k < ndims; k++) {
    int d = order == MPJ_ORDER_C ? ndims - 1 - k : k;
    if (++index[d] < sizes[d]) return true;
    index[d] = 0;
  }
  return false;
}

/* Append old at every index of the array that `owns` says yes to. */
static void append_array(struct mpj_ref *ref, int ndims, const MPJ_Count sizes[], int order,
                         const struct mpj_ref *old,
                         bool (*owns)(const void *arg, const MPJ_Count index[]), const void *arg)
{
  MPJ_Count index[8] = {0};
  if (product(ndims, sizes) == 0) return;
  do {
    if (!owns(arg, index)) continue;
    MPJ_Aint displ = 0;
    for (int d = 0; d < ndims; d++)
      displ += index[d] * dimension_stride(ndims, sizes, order, d, old);
    append(ref, old, displ);
  } while (next_index(ndims, sizes, order, index));
}

struct box {
  int ndims;
  const MPJ_Count *subsizes, *starts;
};

static bool in_box(const void *arg, const MPJ_Count index[])
{
  const struct box *box = arg;
  for (int d = 0; d < box->ndims; d++)
    if (index[d] < box->starts[d] || index[d] >= box->starts[d] + box->subsizes[d]) return false;
  return true;
}

struct mpj_ref *mpj_ref_subarray(int ndims, const MPJ_Count sizes[], const MPJ_Count subsizes[],
                                 const MPJ_Count starts[], int order, struct mpj_ref *old)
{
  int slow = order == MPJ_ORDER_C ? 0 : ndims - 1, others = order == MPJ_ORDER_C ? 1 : 0;
  struct mpj_ref *ref = new_ref(product(ndims, subsizes) * old->n + 2, subsizes[slow]);
  struct box box = {ndims, subsizes, starts};
  append_array(ref, ndims, sizes, order, old, in_box, &box);
  mark(ref, 0, product(ndims, sizes) * mpj_ref_extent(old));
  struct mpj_ref *slice = ndims == 1
                              ? mpj_ref_retain(old)
                              : mpj_ref_subarray(ndims - 1, sizes + others, subsizes + others,
                                                 starts + others, order, old);
  for (MPJ_Count i = 0; i < subsizes[slow]; i++) {
    MPJ_Aint stride = dimension_stride(ndims, sizes, order, slow, old);
    ref->parts[i] = (struct mpj_ref_part){(starts[slow] + i) * stride, mpj_ref_retain(slice)};
  }
  mpj_ref_release(slice);
  return ref;
}

struct share {
  const struct mpj_ref_grid *grid;
  MPJ_Count coords[8];
};

static bool owns_in_dimension(const struct share *s, int d, MPJ_Count index)
{
  return s->grid->owners[d][index] == s->coords[d];
}

static bool in_share(const void *arg, const MPJ_Count index[])
{
  const struct share *s = arg;
  for (int d = 0; d < s->grid->ndims; d++)
    if (!owns_in_dimension(s, d, index[d])) return false;
  return true;
}

static struct share share_of(const struct mpj_ref_grid *grid, MPJ_Count part)
{
  struct share s = {.grid = grid};
  for (int d = grid->ndims - 1; d >= 0; d--) {
    s.coords[d] = part % grid->psizes[d];
    part /= grid->psizes[d];
  }
  return s;
}

static MPJ_Count block_of(MPJ_Count gsize, int distrib, MPJ_Count darg, int psize)
{
  if (distrib == MPJ_DISTRIBUTE_NONE) return gsize;
  if (darg != MPJ_DISTRIBUTE_DFLT_DARG) return darg;
  return distrib == MPJ_DISTRIBUTE_BLOCK ? (gsize + psize - 1) / psize : 1;
}

static struct mpj_ref *share_ref(const struct mpj_ref_grid *grid, MPJ_Count part)
{
  MPJ_Count all = product(grid->ndims, grid->gsizes);
  struct mpj_ref *ref = new_ref(all * grid->old->n + 2, 0);
  struct share share = share_of(grid, part);
  append_array(ref, grid->ndims, grid->gsizes, grid->order, grid->old, in_share, &share);
  mark(ref, 0, all * mpj_ref_extent(grid->old));
  free(ref->parts);
  ref->parts = NULL;
  ref->nparts = 1;
  return ref;
}

/* Who owns each index of a dimension: blocks dealt in turn, or one block each. */
static MPJ_Count *owners_of(MPJ_Count gsize, int distrib, MPJ_Count darg, const MPJ_Count blocks[],
                            int psize)
{
  MPJ_Count *owners = mpj_ref_allocate((size_t)gsize * sizeof *owners), x = 0;
  if (distrib != MPJ_DISTRIBUTE_GENERAL) {
    MPJ_Count block = block_of(gsize, distrib, darg, psize);
    for (; x < gsize; x++)
      owners[x] = x / block % psize;
    return owners;
  }
  for (MPJ_Count c = 0; c < psize; c++)
    for (MPJ_Count i = 0; i < blocks[c]; i++)
      owners[x++] = c;
  return owners;
}

struct mpj_ref *mpj_ref_distribution(int ndims, const MPJ_Count gsizes[], const int distribs[],
                                     const MPJ_Count dargs[], const MPJ_Count *const blocks[],
                                     const int psizes[], int order, struct mpj_ref *old)
{
  struct mpj_ref_grid *grid = mpj_ref_allocate(sizeof *grid);
  *grid = (struct mpj_ref_grid){.references = 1, .ndims = ndims, .order = order};
  grid->old = mpj_ref_retain(old);
  for (int d = 0; d < ndims; d++) {
    grid->gsizes[d] = gsizes[d];
    grid->psizes[d] = psizes[d];
    grid->owners[d] =
        owners_of(gsizes[d], distribs[d], dargs[d], blocks ? blocks[d] : NULL, psizes[d]);
  }
  struct mpj_ref *ref =
      new_ref(product(ndims, gsizes) * (old->n + 2) + 2, product(ndims, grid->psizes));
  ref->grid = grid;
  for (MPJ_Count i = 0; i < ref->nparts; i++) {
    ref->parts[i] = (struct mpj_ref_part){0, share_ref(grid, i)};
    drop_markers(ref);
    append(ref, ref->parts[i].type, 0);
  }
  mark(ref, 0, product(ndims, gsizes) * mpj_ref_extent(old));
  return ref;
}

int mpj_ref_local_sizes(const struct mpj_ref *distribution, MPJ_Count part, MPJ_Count sizes[])
{
  const struct mpj_ref_grid *grid = distribution->grid;
  struct share share = share_of(grid, part);
  for (int d = 0; d < grid->ndims; d++) {
    sizes[d] = 0;
    for (MPJ_Count i = 0; i < grid->gsizes[d]; i++)
      if (owns_in_dimension(&share, d, i)) sizes[d]++;
  }
  return grid->ndims;
}

struct mpj_ref *mpj_ref_local(const struct mpj_ref *distribution, MPJ_Count part)
{
  MPJ_Count sizes[8], starts[8] = {0};
  int ndims = mpj_ref_local_sizes(distribution, part, sizes);
  return mpj_ref_subarray(ndims, sizes, sizes, starts, distribution->grid->order,
                          distribution->grid->old);
}

struct mpj_ref *mpj_ref_slice(const struct mpj_ref *old, MPJ_Count first, MPJ_Count count)
{
  struct mpj_ref *ref = new_ref(count, 0);
  MPJ_Count element = 0;
  free(ref->parts);
  ref->parts = NULL;
  ref->nparts = 1;
  for (MPJ_Count e = 0; e < old->n; e++) {
    if (old->map[e].basic < 0) continue;
    if (element >= first && element < first + count) ref->map[ref->n++] = old->map[e];
    element++;
  }
  return ref;
}

struct mpj_ref_part mpj_ref_part(struct mpj_ref *ref, MPJ_Count i)
{
  return ref->parts ? ref->parts[i] : (struct mpj_ref_part){0, ref};
}
