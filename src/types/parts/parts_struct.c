/* This file is the part table of structs: blocks of unlike types. */
#include "base/memory.h"
#include "base/status.h"
#include "types/layout/footprint.h"
#include "types/parts/tables.h"

struct structure {
  struct mpj_parts head;
  struct mpj_struct_item *items; /* [count], owned */
};

static int view(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *out)
{
  const struct mpj_piece *block = &((const struct structure *)parts)->items[i].block;
  *out = (struct mpj_view){block->layout, 1, 0, block->displ};
  return MPJ_SUCCESS;
}

static int describe(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                    struct mpj_type_spec *spec)
{
  const struct mpj_struct_item *item = &((const struct structure *)parts)->items[i];
  int status = mpj_spec_contiguous(item->blocklen, &item->old, spec);
  if (!status) *origin = item->displ;
  return status;
}

static void blocks(const struct mpj_parts *parts, MPJ_Count first, MPJ_Count n, MPJ_Count copies[],
                   MPJ_Aint displs[], const struct mpj_type_spec *olds[])
{
  const struct mpj_struct_item *items = ((const struct structure *)parts)->items + first;
  for (MPJ_Count i = 0; i < n; i++) {
    if (copies) copies[i] = items[i].blocklen;
    if (displs) displs[i] = items[i].displ;
    if (olds) olds[i] = &items[i].old;
  }
}

void mpj_struct_item_clear(struct mpj_struct_item *item)
{
  if (item->blocklen != 1) mpj_layout_release(item->block.layout);
  mpj_spec_release(&item->old);
}

void mpj_struct_items_free(MPJ_Count count, struct mpj_struct_item *items)
{
  for (MPJ_Count i = 0; items && i < count; i++)
    mpj_struct_item_clear(&items[i]);
  mpj_free(items);
}

static void measure(const struct mpj_parts *parts, struct mpj_footprint *f)
{
  const struct structure *t = (const struct structure *)parts;
  if (!mpj_footprint_add(f, t)) return;
  mpj_footprint_add(f, t->items);
  for (MPJ_Count i = 0; i < t->head.count; i++) {
    mpj_footprint_layout(f, t->items[i].block.layout);
    mpj_footprint_spec(f, &t->items[i].old);
  }
}

static void destroy(struct mpj_parts *parts)
{
  struct structure *t = (struct structure *)parts;
  mpj_struct_items_free(t->head.count, t->items);
  mpj_free(t);
}

static const struct mpj_parts_ops struct_ops = {"struct", view,    describe, blocks,
                                                measure,  destroy, false};

int mpj_parts_struct(MPJ_Count count, struct mpj_struct_item *items, struct mpj_parts **out)
{
  struct structure *t = mpj_alloc_array(1, sizeof *t);
  if (!t) {
    mpj_struct_items_free(count, items);
    return mpj_error(MPJ_ERR_NO_MEM, "part table of %zu bytes could not be allocated", sizeof *t);
  }
  t->head.ops = &struct_ops;
  t->head.count = count;
  atomic_init(&t->head.references, 1);
  t->items = items;
  *out = &t->head;
  return MPJ_SUCCESS;
}
