/* This file is the part table of distributions: O(ndims) time for a part, and
 * memory for the few shapes that parts can have. */
#include "types/distribution/distribution_table.h"
#include "types/layout/footprint.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/layout/layout_make.h"
#include "types/make/bounds.h"
#include "types/make/build.h"
#include "types/make/form.h"
#include "types/make/form_new.h"
#include "types/parts/tables.h"

enum { CLASSES_MAX = 1 << 20 };

void mpj_distribution_coords(const struct mpj_distribution *dist, MPJ_Count i, MPJ_Count coords[])
{
  for (int d = dist->ndims - 1; d >= 0; d--) {
    coords[d] = i % dist->dims[d].psize;
    i /= dist->dims[d].psize;
  }
}

/* Part i's map. An empty part's would-be blocks may lie beyond the array, so its
 * displacement is not computed. */
static struct mpj_piece part_piece(const struct mpj_distribution *dist, MPJ_Count i)
{
  MPJ_Count coords[MPJ_DIMS_MAX], class = 0;
  mpj_distribution_coords(dist, i, coords);
  for (int d = 0; d < dist->ndims; d++)
    class = class * dist->dims[d].nshares + mpj_dimension_share(&dist->dims[d], coords[d]);
  struct mpj_piece piece = dist->classes[class];
  if (piece.layout->kind == MPJ_LAYOUT_EMPTY) return piece;
  for (int d = 0; d < dist->ndims; d++)
    piece.displ += mpj_dimension_first(&dist->dims[d], coords[d]) * dist->dims[d].stride;
  return piece;
}

static int view(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *out)
{
  struct mpj_piece piece = part_piece((const struct mpj_distribution *)parts, i);
  *out = (struct mpj_view){piece.layout, 1, 0, piece.displ};
  return MPJ_SUCCESS;
}

/* A process's share is a type of one part with the whole array's bounds. */
static int describe(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                    struct mpj_type_spec *spec)
{
  const struct mpj_distribution *dist = (const struct mpj_distribution *)parts;
  struct mpj_type_spec part = {.map = part_piece(dist, i)};
  struct mpj_type_spec table = {.parts = (struct mpj_parts *)&dist->head};
  bool data = part.map.layout->kind != MPJ_LAYOUT_EMPTY;
  int status = mpj_bounds_set(&part, 0, dist->extent, data ? dist->old.alignment : 1);
  if (!status) status = mpj_form_new(&table, &part.form);
  if (status) return status;
  part.form->rank = i;
  mpj_spec_made_by(&part, MPJ_COMBINER_DARRAY, dist->old.depth);
  status = mpj_parts_single(&part, &part.parts);
  if (status) {
    mpj_form_release(part.form);
    return status;
  }
  mpj_layout_retain(part.map.layout);
  *origin = 0;
  *spec = part;
  return MPJ_SUCCESS;
}

static void measure_memory(const struct mpj_parts *parts, struct mpj_footprint *f)
{
  const struct mpj_distribution *dist = (const struct mpj_distribution *)parts;
  if (!mpj_footprint_add(f, dist)) return;
  mpj_footprint_add(f, dist->classes);
  for (MPJ_Count c = 0; c < dist->nclasses; c++)
    mpj_footprint_layout(f, dist->classes[c].layout);
  for (int d = 0; d < dist->ndims; d++)
    mpj_footprint_add(f, dist->dims[d].runs);
  mpj_footprint_spec(f, &dist->old);
}

static void destroy(struct mpj_parts *parts)
{
  struct mpj_distribution *dist = (struct mpj_distribution *)parts;
  for (MPJ_Count c = 0; dist->classes && c < dist->nclasses; c++)
    mpj_layout_release(dist->classes[c].layout);
  mpj_free(dist->classes);
  for (int d = 0; d < dist->ndims; d++)
    mpj_dimension_clear(&dist->dims[d]);
  mpj_spec_release(&dist->old);
  mpj_free(dist);
}

static const struct mpj_parts_ops distribution_ops = {"distribution", view,    describe, NULL,
                                                      measure_memory, destroy, false};

const struct mpj_distribution *mpj_distribution_of(const struct mpj_parts *parts)
{
  return parts->ops == &distribution_ops ? (const struct mpj_distribution *)parts : NULL;
}

/* Dimension number k counted from the fastest in memory. */
static int from_fastest(const struct mpj_distribution *dist, int k)
{
  return dist->order == MPJ_ORDER_C ? dist->ndims - 1 - k : k;
}

/* Strides, extent, and the numbers of parts and classes. */
static int measure(struct mpj_distribution *dist)
{
  dist->extent = mpj_spec_extent(&dist->old);
  dist->head.count = 1;
  dist->nclasses = 1;
  for (int k = 0; k < dist->ndims; k++) {
    struct mpj_dimension *dim = &dist->dims[from_fastest(dist, k)];
    dim->stride = dist->extent;
    if (!mpj_mul_aint(dim->gsize, dim->stride, &dist->extent))
      return mpj_error(MPJ_ERR_OVERFLOW,
                       "extent overflows: gsizes[%d] is %" PRId64 ", its slices are %td bytes",
                       from_fastest(dist, k), dim->gsize, dim->stride);
    if (!mpj_mul_count(dist->head.count, dim->psize, &dist->head.count))
      return mpj_error(MPJ_ERR_OVERFLOW,
                       "number of parts overflows at psizes[%d], which is %" PRId64,
                       from_fastest(dist, k), dim->psize);
    dist->nclasses *= dim->nshares; /* at most the number of parts */
  }
  if (dist->nclasses > CLASSES_MAX)
    return mpj_error(MPJ_ERR_UNSUPPORTED,
                     "distribution has %" PRId64
                     " different shapes of part, at most %d are supported",
                     dist->nclasses, CLASSES_MAX);
  return MPJ_SUCCESS;
}

/* The share number of each dimension in a class. */
static void class_shares(const struct mpj_distribution *dist, MPJ_Count class, MPJ_Count shares[])
{
  for (int d = dist->ndims - 1; d >= 0; d--) {
    shares[d] = class % dist->dims[d].nshares;
    class /= dist->dims[d].nshares;
  }
}

static int make_class(const struct mpj_distribution *dist, MPJ_Count class, struct mpj_piece *out)
{
  MPJ_Count shares[MPJ_DIMS_MAX];
  int status = MPJ_SUCCESS;
  struct mpj_piece piece = dist->old.map;
  class_shares(dist, class, shares);
  mpj_layout_retain(piece.layout);
  for (int k = 0; k < dist->ndims && !status; k++) {
    struct mpj_piece inner = piece;
    int d = from_fastest(dist, k);
    status = mpj_dimension_lay(&dist->dims[d], shares[d], inner, &piece);
    mpj_layout_release(inner.layout);
  }
  if (!status) *out = piece;
  return status;
}

static int make_classes(struct mpj_distribution *dist)
{
  dist->classes = mpj_alloc_array((size_t)dist->nclasses, sizeof *dist->classes);
  if (!dist->classes)
    return mpj_error(MPJ_ERR_NO_MEM, "%" PRId64 " part shapes could not be allocated",
                     dist->nclasses);
  int status = MPJ_SUCCESS;
  for (MPJ_Count c = 0; c < dist->nclasses && !status; c++)
    status = make_class(dist, c, &dist->classes[c]);
  return status;
}

int mpj_distribution_create(int ndims, struct mpj_dimension dims[], int order,
                            const struct mpj_type_spec *old, struct mpj_distribution **out)
{
  size_t bytes = sizeof(struct mpj_distribution) + (size_t)ndims * sizeof dims[0];
  struct mpj_distribution *dist = mpj_alloc_array(1, bytes);
  for (int d = 0; !dist && d < ndims; d++)
    mpj_dimension_clear(&dims[d]);
  if (!dist)
    return mpj_error(MPJ_ERR_NO_MEM, "part table of %zu bytes could not be allocated", bytes);
  dist->head.ops = &distribution_ops;
  atomic_init(&dist->head.references, 1);
  dist->old = mpj_spec_retain(old);
  dist->ndims = ndims;
  dist->order = order;
  for (int d = 0; d < ndims; d++)
    dist->dims[d] = dims[d];
  int status = measure(dist);
  if (!status) status = make_classes(dist);
  if (status) {
    destroy(&dist->head);
    return status;
  }
  *out = dist;
  return MPJ_SUCCESS;
}

static int map_from(const struct mpj_distribution *dist, int d, MPJ_Count class,
                    struct mpj_piece *out);

/* The parts whose coordinate d is one of those of `share`. */
static int map_of_share(const struct mpj_distribution *dist, int d, MPJ_Count class,
                        MPJ_Count share, struct mpj_piece *out)
{
  const struct mpj_dimension *dim = &dist->dims[d];
  const struct mpj_share *s = mpj_dimension_shares(dim) + share;
  struct mpj_piece one;
  int status = map_from(dist, d + 1, class * dim->nshares + share, &one);
  if (status) return status;
  status = mpj_layout_loop(s->coords, s->block * dim->stride, one, out);
  if (!status && out->layout->kind != MPJ_LAYOUT_EMPTY) out->displ += s->start * dim->stride;
  mpj_layout_release(one.layout);
  return status;
}

/* The parts that share a class's first d share numbers, from coordinate d on. */
static int map_from(const struct mpj_distribution *dist, int d, MPJ_Count class,
                    struct mpj_piece *out)
{
  const MPJ_Count n = d < dist->ndims ? dist->dims[d].nshares : 0;
  int status = MPJ_SUCCESS;
  if (d == dist->ndims) {
    *out = dist->classes[class];
    mpj_layout_retain(out->layout);
    return MPJ_SUCCESS;
  }
  struct mpj_piece *pieces = mpj_alloc_array((size_t)n, sizeof *pieces);
  if (!pieces)
    return mpj_error(MPJ_ERR_NO_MEM, "map of %" PRId64 " shares could not be allocated", n);
  for (MPJ_Count s = 0; s < n && !status; s++)
    status = map_of_share(dist, d, class, s, &pieces[s]);
  if (!status) status = mpj_layout_seq(n, pieces, out);
  for (MPJ_Count s = 0; s < n; s++)
    mpj_layout_release(pieces[s].layout);
  mpj_free(pieces);
  return status;
}

int mpj_distribution_map(const struct mpj_distribution *dist, struct mpj_piece *out)
{
  return map_from(dist, 0, 0, out);
}
