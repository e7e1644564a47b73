/* This file is the part table of contiguous types, vectors, and the slices of
 * arrays: equal blocks at equal distances, in O(1) memory; and the description of such types,
 * which a part of them needs in turn. */
#include <inttypes.h>
#include <stdatomic.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/layout/footprint.h"
#include "types/layout/layout_make.h"
#include "types/make/bounds.h"
#include "types/parts/tables.h"

struct regular {
  struct mpj_parts head;
  struct mpj_regular shape; /* block owned; old is the next */
  struct mpj_type_spec old; /* owned */
  /* What describe says of every part, once it was asked; owned. NULL before, and
   * where a part is the old type itself. */
  _Atomic(struct mpj_type_spec *) described;
};

static int view(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *out)
{
  const struct mpj_regular *shape = &((const struct regular *)parts)->shape;
  MPJ_Aint displ = 0;
  if (shape->block.layout->kind != MPJ_LAYOUT_EMPTY)
    displ = shape->first + i * shape->stride + shape->block.displ;
  *out = (struct mpj_view){shape->block.layout, 1, 0, displ};
  return MPJ_SUCCESS;
}

static void free_description(struct mpj_type_spec *spec)
{
  if (spec) mpj_spec_release(spec);
  mpj_free(spec);
}

/* Make the description, or take that of another thread that was faster. */
static int describe_once(struct regular *t, struct mpj_type_spec **out)
{
  struct mpj_type_spec *made = mpj_alloc(sizeof *made), *present = NULL;
  if (!made)
    return mpj_error(MPJ_ERR_NO_MEM, "description of %zu bytes could not be allocated",
                     sizeof *made);
  int status = mpj_spec_contiguous(t->shape.blocklen, &t->old, made);
  if (status) {
    mpj_free(made);
    return status;
  }
  if (!atomic_compare_exchange_strong(&t->described, &present, made)) {
    free_description(made);
    made = present;
  }
  *out = made;
  return MPJ_SUCCESS;
}

static int describe(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                    struct mpj_type_spec *spec)
{
  struct regular *t = (struct regular *)parts; /* immutable, but for the description */
  struct mpj_type_spec *part = &t->old;
  int status = MPJ_SUCCESS;
  if (t->shape.blocklen != MPJ_BLOCK_IS_OLD) {
    part = atomic_load_explicit(&t->described, memory_order_acquire);
    if (!part) status = describe_once(t, &part);
  }
  if (status) return status;
  *spec = mpj_spec_retain(part);
  *origin = t->shape.first + i * t->shape.stride;
  return MPJ_SUCCESS;
}

static void blocks(const struct mpj_parts *parts, MPJ_Count first, MPJ_Count n, MPJ_Count copies[],
                   MPJ_Aint displs[], const struct mpj_type_spec *olds[])
{
  const struct mpj_regular *shape = &((const struct regular *)parts)->shape;
  for (MPJ_Count i = 0; i < n; i++) {
    if (copies) copies[i] = shape->blocklen == MPJ_BLOCK_IS_OLD ? 1 : shape->blocklen;
    if (displs) displs[i] = shape->first + (first + i) * shape->stride;
    if (olds) olds[i] = shape->old;
  }
}

static void measure(const struct mpj_parts *parts, struct mpj_footprint *f)
{
  const struct regular *t = (const struct regular *)parts;
  if (!mpj_footprint_add(f, t)) return;
  const struct mpj_type_spec *described =
      atomic_load_explicit(&((struct regular *)parts)->described, memory_order_acquire);
  mpj_footprint_layout(f, t->shape.block.layout);
  mpj_footprint_spec(f, &t->old);
  mpj_footprint_add(f, described);
  mpj_footprint_spec(f, described);
}

static void destroy(struct mpj_parts *parts)
{
  struct regular *t = (struct regular *)parts;
  mpj_layout_release(t->shape.block.layout);
  mpj_spec_release(&t->old);
  free_description(atomic_load(&t->described));
  mpj_free(t);
}

static const struct mpj_parts_ops regular_ops = {"regular", view,    describe, blocks,
                                                 measure,   destroy, true};

static int parts_of(const struct mpj_regular *shape, struct mpj_parts **out)
{
  MPJ_Aint last;
  if (shape->count > 0 && !mpj_muladd_aint(shape->first, shape->count - 1, shape->stride, &last))
    return mpj_error(MPJ_ERR_OVERFLOW,
                     "displacement overflows: block %" PRId64 " at a stride of %td bytes",
                     shape->count - 1, shape->stride);
  struct regular *t = mpj_alloc(sizeof *t);
  if (!t)
    return mpj_error(MPJ_ERR_NO_MEM, "part table of %zu bytes could not be allocated", sizeof *t);
  t->head.ops = &regular_ops;
  t->head.count = shape->count;
  atomic_init(&t->head.references, 1);
  atomic_init(&t->described, NULL);
  t->shape = *shape;
  mpj_layout_retain(t->shape.block.layout);
  t->old = *shape->old;
  mpj_spec_hold(&t->old);
  t->shape.old = &t->old;
  *out = &t->head;
  return MPJ_SUCCESS;
}

/* Lay count blocks into spec->map. */
static int regular_map(const struct mpj_regular *shape, struct mpj_type_spec *spec)
{
  int status = mpj_layout_loop(shape->count, shape->stride, shape->block, &spec->map);
  if (status || spec->map.layout->kind == MPJ_LAYOUT_EMPTY) return status;
  if (!mpj_add_aint(spec->map.displ, shape->first, &spec->map.displ))
    return mpj_error(MPJ_ERR_OVERFLOW, "displacement overflows: %td + %td bytes", shape->first,
                     spec->map.displ);
  return MPJ_SUCCESS;
}

int mpj_spec_regular(MPJ_Count count, MPJ_Aint first, MPJ_Aint stride, MPJ_Count blocklen,
                     const struct mpj_type_spec *old, struct mpj_type_spec *spec)
{
  struct mpj_regular shape = {
      .count = count, .first = first, .stride = stride, .blocklen = blocklen, .old = old};
  *spec = (struct mpj_type_spec){.alignment = 1};
  int status = mpj_layout_loop(blocklen == MPJ_BLOCK_IS_OLD ? 1 : blocklen, mpj_spec_extent(old),
                               old->map, &shape.block);
  if (status) return status;
  status = regular_map(&shape, spec);
  if (!status) status = parts_of(&shape, &spec->parts);
  mpj_layout_release(shape.block.layout);
  if (status) mpj_spec_release(spec);
  return status;
}

int mpj_spec_contiguous(MPJ_Count count, const struct mpj_type_spec *old,
                        struct mpj_type_spec *spec)
{
  int status = mpj_spec_regular(count, 0, mpj_spec_extent(old), MPJ_BLOCK_IS_OLD, old, spec);
  if (status) return status;
  struct mpj_bounds bounds = mpj_bounds_start();
  status = mpj_bounds_add(&bounds, count, 0, old);
  if (!status) status = mpj_bounds_finish(&bounds, spec);
  mpj_spec_made_by(spec, MPJ_COMBINER_CONTIGUOUS, old->depth);
  if (status) mpj_spec_release(spec);
  return status;
}
