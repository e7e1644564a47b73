/* This file is the part table of indexed types: blocks of one old type, each
 * with a length and a displacement of its own. It shares the layout's sequences
 * where the layout has the same blocks, and has its own where empty blocks were
 * dropped, neighbours merged, or a loop found. */
#include <inttypes.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/build.h"
#include "types/sequence.h"
#include "types/tables.h"

struct indexed {
  struct mpj_parts head;
  struct mpj_type_spec old;    /* owned */
  struct mpj_sequence *lens;   /* shared: length * factor; NULL: all are uniform */
  struct mpj_sequence *displs; /* shared: bytes from the first block; NULL: no blocks */
  MPJ_Count uniform, factor;
  MPJ_Aint first; /* bytes from the base address to block 0 */
};

static MPJ_Count len_of(const struct indexed *t, MPJ_Count i)
{
  if (!t->lens) return t->uniform;
  MPJ_Count len = mpj_sequence_at(t->lens, i);
  return t->factor == 1 ? len : len / t->factor;
}

static MPJ_Aint displ_of(const struct indexed *t, MPJ_Count i)
{
  return mpj_wrap_muladd(1, mpj_sequence_at(t->displs, i), t->first);
}

static int view(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *out)
{
  const struct indexed *t = (const struct indexed *)parts;
  const struct mpj_piece *map = &t->old.map;
  MPJ_Count len = len_of(t, i);
  bool data = len > 0 && map->layout->kind != MPJ_LAYOUT_EMPTY;
  *out = (struct mpj_view){map->layout, len, mpj_spec_extent(&t->old),
                           data ? displ_of(t, i) + map->displ : 0};
  return MPJ_SUCCESS;
}

static int describe(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                    struct mpj_type_spec *spec)
{
  const struct indexed *t = (const struct indexed *)parts;
  int status = mpj_spec_contiguous(len_of(t, i), &t->old, spec);
  if (!status) *origin = displ_of(t, i);
  return status;
}

static void read_lens(const struct indexed *t, MPJ_Count first, MPJ_Count n, MPJ_Count lens[])
{
  if (t->lens) mpj_sequence_read(t->lens, first, n, lens);
  for (MPJ_Count i = 0; i < n; i++)
    lens[i] = t->lens ? lens[i] / t->factor : t->uniform;
}

static void blocks(const struct mpj_parts *parts, MPJ_Count first, MPJ_Count n, MPJ_Count copies[],
                   MPJ_Aint displs[], const struct mpj_type_spec *olds[])
{
  const struct indexed *t = (const struct indexed *)parts;
  for (MPJ_Count i = 0; olds && i < n; i++)
    olds[i] = &t->old;
  if (!t->displs || n == 0) return;
  if (copies) read_lens(t, first, n, copies);
  if (displs) mpj_sequence_read(t->displs, first, n, displs);
  for (MPJ_Count i = 0; displs && i < n; i++)
    displs[i] = mpj_wrap_muladd(1, displs[i], t->first);
}

static void destroy(struct mpj_parts *parts)
{
  struct indexed *t = (struct indexed *)parts;
  mpj_spec_release(&t->old);
  mpj_sequence_release(t->lens);
  mpj_sequence_release(t->displs);
  mpj_free(t);
}

static const struct mpj_parts_ops indexed_ops = {"indexed", view, describe, blocks, destroy};

/* The layout's own sequences, which are in its units. */
static void share_sequences(struct indexed *t, const struct mpj_layout *layout,
                            const struct mpj_blocks_made *made)
{
  t->displs = mpj_sequence_retain(layout->u.index.displs);
  t->lens = mpj_sequence_retain(layout->u.index.lens);
  t->factor = made->factor;
}

static int make_sequences(struct indexed *t, const struct mpj_series *lens,
                          const struct mpj_series *displs)
{
  struct mpj_series relative = *displs;
  relative.origin = mpj_wrap_muladd(1, displs->origin, t->first);
  int status = mpj_sequence_make(&relative, &t->displs);
  if (status || (!lens->values && !lens->numbers)) return status;
  return mpj_sequence_make(lens, &t->lens);
}

int mpj_parts_indexed(const struct mpj_series *lens, const struct mpj_series *displs,
                      const struct mpj_layout *layout, const struct mpj_blocks_made *made,
                      const struct mpj_type_spec *old, struct mpj_parts **out)
{
  int status = MPJ_SUCCESS;
  struct indexed *t = mpj_alloc_array(1, sizeof *t);
  if (!t)
    return mpj_error(MPJ_ERR_NO_MEM, "part table of %" PRId64 " blocks could not be allocated",
                     lens->n);
  t->head.ops = &indexed_ops;
  t->head.count = lens->n;
  atomic_init(&t->head.references, 1);
  t->old = mpj_spec_retain(old);
  t->factor = 1;
  if (lens->n > 0) {
    t->first = mpj_series_at(displs, 0);
    t->uniform = mpj_series_at(lens, 0);
    if (made->same)
      share_sequences(t, layout, made);
    else
      status = make_sequences(t, lens, displs);
  }
  if (status)
    destroy(&t->head);
  else
    *out = &t->head;
  return status;
}
