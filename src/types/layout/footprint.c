/* This file counts the bytes that a type keeps. */
#include "types/layout/footprint.h"

#include <stdint.h>

#include "base/memory.h"
#include "types/layout/shapes.h"
#include "types/make/form.h"
#include "types/parts/parts.h"
#include "types/sequence/sequence_forms.h"

enum { FIRST_SLOTS = 64, FIRST_SPECS = 16 };

/* The slot that the object has, or would have. */
static size_t find_slot(const void *const seen[], size_t nslots, const void *object)
{
  const uint64_t hash = (uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15);
  size_t slot = (hash >> 32) & (nslots - 1);
  while (seen[slot] && seen[slot] != object)
    slot = (slot + 1) & (nslots - 1);
  return slot;
}

static bool grow(struct mpj_footprint *f)
{
  const size_t nslots = f->nslots ? 4 * f->nslots : FIRST_SLOTS;
  const void **seen = mpj_alloc_array(nslots, sizeof *seen);
  if (!seen) return false;
  for (size_t i = 0; i < f->nslots; i++)
    if (f->seen[i]) seen[find_slot(seen, nslots, f->seen[i])] = f->seen[i];
  mpj_free(f->seen);
  f->seen = seen;
  f->nslots = nslots;
  return true;
}

bool mpj_footprint_add(struct mpj_footprint *f, const void *object)
{
  if (!object || f->failed) return false;
  if (2 * f->n >= f->nslots && !grow(f)) {
    f->failed = true;
    return false;
  }
  const size_t slot = find_slot(f->seen, f->nslots, object);
  if (f->seen[slot]) return false;
  f->seen[slot] = object;
  f->n++;
  f->bytes += mpj_memory_size(object);
  return true;
}

void mpj_footprint_sequence(struct mpj_footprint *f, const struct mpj_sequence *s)
{
  for (; s && mpj_footprint_add(f, s); s = s->inner) {
    if (s->form == MPJ_SEQUENCE_LINES) mpj_footprint_add(f, s->u.lines.all);
    if (s->form == MPJ_SEQUENCE_TABLE) mpj_footprint_add(f, s->u.table.values);
  }
}

/* Those of no data and of one element were not allocated. */
static bool is_permanent(const struct mpj_layout *layout)
{
  return layout->kind == MPJ_LAYOUT_EMPTY ||
         (layout->kind == MPJ_LAYOUT_RUN && layout->u.run.count == 1);
}

static void add_attachments(struct mpj_footprint *f, const struct mpj_layout *layout)
{
  for (int slot = 0; slot < MPJ_ATTACH_SLOTS; slot++) {
    const struct mpj_attachment *a = mpj_layout_attachment(layout, slot);
    if (a) a->measure(a, f);
  }
}

static void add_seq(struct mpj_footprint *f, const struct mpj_layout *layout)
{
  const struct mpj_shapes *shapes = layout->u.seq.shapes;
  mpj_footprint_add(f, layout->u.seq.pieces);
  for (MPJ_Count i = 0; layout->u.seq.pieces && i < layout->u.seq.npieces; i++)
    mpj_footprint_layout(f, layout->u.seq.pieces[i].layout);
  if (mpj_footprint_add(f, shapes)) {
    for (MPJ_Count i = 0; i < shapes->n; i++)
      mpj_footprint_layout(f, shapes->all[i]);
  }
  mpj_footprint_sequence(f, layout->u.seq.rows);
  mpj_footprint_sequence(f, layout->u.seq.displs);
  mpj_footprint_sequence(f, layout->u.seq.starts);
}

void mpj_footprint_layout(struct mpj_footprint *f, const struct mpj_layout *layout)
{
  if (!layout || is_permanent(layout) || !mpj_footprint_add(f, layout)) return;
  add_attachments(f, layout);
  if (layout->kind == MPJ_LAYOUT_LOOP) mpj_footprint_layout(f, layout->u.loop.child);
  if (layout->kind == MPJ_LAYOUT_INDEX) {
    mpj_footprint_sequence(f, layout->u.index.displs);
    mpj_footprint_sequence(f, layout->u.index.lens);
    mpj_footprint_sequence(f, layout->u.index.starts);
    mpj_footprint_layout(f, layout->u.index.child);
  }
  if (layout->kind == MPJ_LAYOUT_SEQ) add_seq(f, layout);
}

/* Keep the description for later. */
static bool push_spec(struct mpj_footprint *f, const struct mpj_type_spec *spec)
{
  if (f->nspecs == f->capacity) {
    const size_t capacity = f->capacity ? 2 * f->capacity : FIRST_SPECS;
    const struct mpj_type_spec **specs = mpj_alloc_array(capacity, sizeof *specs);
    if (!specs) return false;
    for (size_t i = 0; i < f->nspecs; i++)
      specs[i] = f->specs[i];
    mpj_free(f->specs);
    f->specs = specs;
    f->capacity = capacity;
  }
  f->specs[f->nspecs++] = spec;
  return true;
}

static void add_spec(struct mpj_footprint *f, const struct mpj_type_spec *spec)
{
  mpj_footprint_layout(f, spec->map.layout);
  if (spec->parts) spec->parts->ops->measure(spec->parts, f);
  if (!mpj_footprint_add(f, spec->form)) return;
  mpj_footprint_add(f, spec->form->bucket_lens);
  mpj_footprint_add(f, spec->form->by_length);
  mpj_footprint_spec(f, &spec->form->old);
}

/* The outermost call counts what those inside it put on the list. */
void mpj_footprint_spec(struct mpj_footprint *f, const struct mpj_type_spec *spec)
{
  if (!spec || f->failed) return;
  if (!push_spec(f, spec)) f->failed = true;
  if (f->busy) return;
  f->busy = true;
  while (f->nspecs > 0 && !f->failed)
    add_spec(f, f->specs[--f->nspecs]);
  f->busy = false;
}
