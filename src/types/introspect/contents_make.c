/* This file calls the constructor that a combiner names, with arguments given
 * as arrays of unchecked numbers. */
#include <inttypes.h>
#include <limits.h>

#include "base/status.h"
#include "types/bucket_index/bucket_contents.h"
#include "types/distribution/distribution_table.h"
#include "types/introspect/contents.h"
#include "types/make/build.h"
#include "types/segment/segment.h"
#include "types/type.h"

/* The arguments, as mpj_contents_make has them. */
struct arguments {
  struct mpj_contents n;
  const MPJ_Count *counts;
  const MPJ_Aint *addresses;
  const MPJ_Datatype *types;
};

static int bad_numbers(const struct arguments *a, const char *what)
{
  return mpj_error(MPJ_ERR_FORMAT,
                   "%s has %" PRId64 " counts, %" PRId64 " addresses and %" PRId64
                   " types, which do not fit one another",
                   what, a->n.counts, a->n.addresses, a->n.types);
}

/* Whether there are `head` counts and then `arrays` arrays of counts[0] numbers
 * each, `addresses` addresses and one type. */
static bool fits(const struct arguments *a, MPJ_Count head, MPJ_Count arrays, MPJ_Count addresses)
{
  if (a->n.counts < head || a->n.types != 1 || a->n.addresses != addresses) return false;
  const MPJ_Count rest = a->n.counts - head;
  return arrays == 0 ? rest == 0 : rest % arrays == 0 && rest / arrays == a->counts[0];
}

static int make_vector(const struct arguments *a, bool bytes, MPJ_Datatype *out)
{
  if (!fits(a, bytes ? 2 : 3, 0, bytes)) return bad_numbers(a, "vector");
  if (bytes)
    return MPJ_Type_create_hvector(a->counts[0], a->counts[1], a->addresses[0], a->types[0], out);
  return MPJ_Type_vector(a->counts[0], a->counts[1], a->counts[2], a->types[0], out);
}

static int make_indexed(const struct arguments *a, bool bytes, MPJ_Datatype *out)
{
  if (a->n.counts < 1 || !fits(a, 1, bytes ? 1 : 2, bytes ? a->counts[0] : 0))
    return bad_numbers(a, "indexed");
  const MPJ_Count n = a->counts[0], *lens = a->counts + 1;
  if (bytes) return MPJ_Type_create_hindexed(n, lens, a->addresses, a->types[0], out);
  return MPJ_Type_indexed(n, lens, lens + n, a->types[0], out);
}

static int make_indexed_block(const struct arguments *a, bool bytes, MPJ_Datatype *out)
{
  if (a->n.counts < 2 || !fits(a, 2, bytes ? 0 : 1, bytes ? a->counts[0] : 0))
    return bad_numbers(a, "indexed_block");
  const MPJ_Count *c = a->counts;
  if (bytes) return MPJ_Type_create_hindexed_block(c[0], c[1], a->addresses, a->types[0], out);
  return MPJ_Type_create_indexed_block(c[0], c[1], c + 2, a->types[0], out);
}

static int make_struct(const struct arguments *a, MPJ_Datatype *out)
{
  const MPJ_Count n = a->n.types;
  if (a->n.counts != n + 1 || a->n.addresses != n || a->counts[0] != n)
    return bad_numbers(a, "struct");
  return MPJ_Type_create_struct(n, a->counts + 1, a->addresses, a->types, out);
}

static int make_sparse(const struct arguments *a, MPJ_Datatype *out)
{
  const MPJ_Count n = a->n.types;
  if (a->n.counts < 2 || a->n.counts - 2 != n || a->n.addresses != n || a->counts[1] != n)
    return bad_numbers(a, "sparse");
  return MPJ_Type_create_sparse(a->counts[0], n, a->counts + 2, a->addresses, a->types, out);
}

/* A number of dimensions that is one. */
static bool dims_from(const struct arguments *a, MPJ_Count at, int *ndims)
{
  if (a->n.counts <= at || a->counts[at] < 1 || a->counts[at] > MPJ_DIMS_MAX) return false;
  *ndims = (int)a->counts[at];
  return true;
}

static int to_int(MPJ_Count value)
{
  return value < INT_MIN ? INT_MIN : value > INT_MAX ? INT_MAX : (int)value;
}

static int make_subarray(const struct arguments *a, MPJ_Datatype *out)
{
  int ndims;
  if (!dims_from(a, 0, &ndims) || !fits(a, 2 + 3 * (MPJ_Count)ndims, 0, 0))
    return bad_numbers(a, "subarray");
  const MPJ_Count *sizes = a->counts + 1;
  return mpj_create_array(ndims, sizes, sizes + ndims, sizes + 2 * ndims, to_int(sizes[3 * ndims]),
                          a->types[0], out);
}

/* What distributions and darrays are told, after size and rank. */
struct grid {
  int ndims, order;
  int distribs[MPJ_DIMS_MAX], psizes[MPJ_DIMS_MAX];
  const MPJ_Count *gsizes, *dargs, *blocks[MPJ_DIMS_MAX];
};

/* Take the grid apart; false if the numbers do not fit. */
static bool read_grid(const struct arguments *a, MPJ_Count at, struct grid *g)
{
  if (!dims_from(a, at, &g->ndims) || a->n.counts < at + 2 + 4 * g->ndims || a->n.types != 1)
    return false;
  MPJ_Count next = at + 2 + 4 * g->ndims;
  g->gsizes = a->counts + at + 1;
  g->dargs = g->gsizes + 2 * g->ndims;
  g->order = to_int(a->counts[next - 1]);
  for (int d = 0; d < g->ndims; d++) {
    g->distribs[d] = to_int(g->gsizes[g->ndims + d]);
    g->psizes[d] = to_int(g->gsizes[3 * g->ndims + d]);
    g->blocks[d] = a->counts + next;
    if (g->distribs[d] != MPJ_DISTRIBUTE_GENERAL) continue;
    if (g->psizes[d] < 1 || g->psizes[d] > a->n.counts - next) return false;
    next += g->psizes[d];
  }
  return next == a->n.counts && a->n.addresses == 0;
}

static int take_shapes(int ndims, const struct mpj_dimension dims[], MPJ_Count *shapes)
{
  MPJ_Count left = *shapes;
  for (int d = 0; d < ndims; d++)
    left /= dims[d].nshares;
  if (left == 0)
    return mpj_error(MPJ_ERR_UNSUPPORTED, "distribution has too many different shapes of part");
  MPJ_Count taken = 1;
  for (int d = 0; d < ndims; d++)
    taken *= dims[d].nshares;
  *shapes -= taken;
  return MPJ_SUCCESS;
}

static int make_distribution(const struct arguments *a, bool share, MPJ_Count *shapes,
                             MPJ_Datatype *out)
{
  struct grid g;
  struct mpj_dimension dims[MPJ_DIMS_MAX];
  struct mpj_type_spec old;
  if (!read_grid(a, share ? 2 : 0, &g)) return bad_numbers(a, share ? "darray" : "distribution");
  int status = mpj_build_begin(0, a->types[0], out, &old);
  if (!status)
    status = mpj_distribution_dims(g.ndims, g.gsizes, g.distribs, g.dargs, g.blocks, g.psizes,
                                   g.order, dims);
  if (status) return status;
  status = take_shapes(g.ndims, dims, shapes);
  if (status) {
    for (int d = 0; d < g.ndims; d++)
      mpj_dimension_clear(&dims[d]);
    return status;
  }
  if (!share) return mpj_create_distribution(g.ndims, dims, g.order, &old, out);
  return mpj_create_darray(a->counts[0], a->counts[1], g.ndims, dims, g.order, &old, out);
}

/* Slices copy what they cut through: a short message could ask for much of it. */
static int make_slice(const struct arguments *a, MPJ_Count *shapes, MPJ_Datatype *out)
{
  struct mpj_type *old;
  if (!fits(a, 2, 0, 0)) return bad_numbers(a, "slice");
  int status = mpj_type_resolve(a->types[0], "oldtype", &old);
  if (status) return status;
  const struct mpj_layout *layout = old->map.layout;
  const MPJ_Count first = a->counts[0], count = a->counts[1], n = layout->signature.elements;
  if (first >= 0 && count >= 0 && first <= n && count <= n - first) {
    const MPJ_Count cost = mpj_layout_slice_cost(layout, first, count);
    if (cost > *shapes)
      return mpj_error(MPJ_ERR_UNSUPPORTED, "slices have too many pieces of their own");
    *shapes -= cost;
  }
  return MPJ_Type_create_slice(a->types[0], first, count, out);
}

int mpj_contents_make(int combiner, const struct mpj_contents *n, const MPJ_Count counts[],
                      const MPJ_Aint addresses[], const MPJ_Datatype types[], MPJ_Count *shapes,
                      MPJ_Datatype *newtype)
{
  const struct arguments a = {*n, counts, addresses, types};
  switch (combiner) {
  case MPJ_COMBINER_DUP:
    return fits(&a, 0, 0, 0) ? MPJ_Type_dup(types[0], newtype) : bad_numbers(&a, "dup");
  case MPJ_COMBINER_CONTIGUOUS:
    return fits(&a, 1, 0, 0) ? MPJ_Type_contiguous(counts[0], types[0], newtype)
                             : bad_numbers(&a, "contiguous");
  case MPJ_COMBINER_RESIZED:
    return fits(&a, 0, 0, 2)
               ? MPJ_Type_create_resized(types[0], addresses[0], addresses[1], newtype)
               : bad_numbers(&a, "resized");
  case MPJ_COMBINER_VECTOR:
  case MPJ_COMBINER_HVECTOR:
    return make_vector(&a, combiner == MPJ_COMBINER_HVECTOR, newtype);
  case MPJ_COMBINER_INDEXED:
  case MPJ_COMBINER_HINDEXED:
    return make_indexed(&a, combiner == MPJ_COMBINER_HINDEXED, newtype);
  case MPJ_COMBINER_INDEXED_BLOCK:
  case MPJ_COMBINER_HINDEXED_BLOCK:
    return make_indexed_block(&a, combiner == MPJ_COMBINER_HINDEXED_BLOCK, newtype);
  case MPJ_COMBINER_STRUCT:
    return make_struct(&a, newtype);
  case MPJ_COMBINER_SPARSE:
    return make_sparse(&a, newtype);
  case MPJ_COMBINER_SUBARRAY:
    return make_subarray(&a, newtype);
  case MPJ_COMBINER_DISTRIBUTION:
  case MPJ_COMBINER_DARRAY:
    return make_distribution(&a, combiner == MPJ_COMBINER_DARRAY, shapes, newtype);
  case MPJ_COMBINER_BUCKET_INDEX:
  case MPJ_COMBINER_HBUCKET_INDEX:
  case MPJ_COMBINER_BUCKET_STRUCT:
    return mpj_buckets_make(combiner, n, counts, addresses, types, newtype);
  case MPJ_COMBINER_SEGMENT:
    return a.n.counts >= 1 && fits(&a, 1, 1, 0)
               ? MPJ_Type_create_segment(counts[0], counts + 1, types[0], newtype)
               : bad_numbers(&a, "segment");
  case MPJ_COMBINER_SLICE:
    return make_slice(&a, shapes, newtype);
  default:
    return mpj_error(MPJ_ERR_FORMAT, "combiner is %d, which is not one", combiner);
  }
}
