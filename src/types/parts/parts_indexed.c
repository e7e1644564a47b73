/* This file is the part table of indexed types: blocks of one old type, each
 * with a length and a displacement of its own. It shares the layout's sequences
 * where the layout has the same blocks, and has its own where empty blocks were
 * dropped, neighbours merged, or a loop found. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/layout/footprint.h"
#include "types/parts/tables.h"
#include "types/sequence/sequence.h"

/* Parts [start, start + n) have no block of their own; those that follow have the
 * layout's blocks from `block` on. */
struct gap {
  MPJ_Count start, n, block;
  MPJ_Count kept; /* of the first of them in the table's arrays */
};

struct indexed {
  struct mpj_parts head;
  struct mpj_type_spec old;    /* owned */
  struct mpj_sequence *lens;   /* shared: length * factor; NULL: all are uniform */
  struct mpj_sequence *displs; /* shared: bytes from the first block; NULL: no blocks */
  MPJ_Count uniform, factor;
  MPJ_Aint first; /* bytes from the base address to the layout's block 0 */
  MPJ_Count ngaps;
  struct gap *gaps;      /* [ngaps], owned, or NULL */
  MPJ_Count *kept_lens;  /* owned: of the parts in gaps, in order */
  MPJ_Aint *kept_displs; /* owned: from the base address */
};

/* The last gap that starts at part i or before, or NULL. */
static const struct gap *gap_before(const struct indexed *t, MPJ_Count i)
{
  MPJ_Count low = 0, high = t->ngaps;
  while (low < high) {
    MPJ_Count middle = low + (high - low) / 2;
    if (t->gaps[middle].start <= i)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &t->gaps[low - 1] : NULL;
}

/* Turn part i into its block, and return -1; or return where it is kept. */
static MPJ_Count resolve(const struct indexed *t, MPJ_Count *i)
{
  const struct gap *gap = gap_before(t, *i);
  if (!gap) return -1;
  MPJ_Count into = *i - gap->start;
  if (into < gap->n) return gap->kept + into;
  *i = gap->block + into - gap->n;
  return -1;
}

/* Part i's length and displacement. */
static void find_part(const struct indexed *t, MPJ_Count i, MPJ_Count *len, MPJ_Aint *displ)
{
  MPJ_Count kept = t->ngaps > 0 ? resolve(t, &i) : -1;
  if (kept >= 0) {
    *len = t->kept_lens[kept];
    *displ = t->kept_displs[kept];
    return;
  }
  *len = t->lens ? mpj_sequence_at(t->lens, i) : t->uniform;
  if (t->lens && t->factor != 1) *len /= t->factor;
  *displ = mpj_wrap_muladd(1, mpj_sequence_at(t->displs, i), t->first);
}

static int view(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *out)
{
  const struct indexed *t = (const struct indexed *)parts;
  const struct mpj_piece *map = &t->old.map;
  MPJ_Count len;
  MPJ_Aint displ;
  find_part(t, i, &len, &displ);
  bool data = len > 0 && map->layout->kind != MPJ_LAYOUT_EMPTY;
  *out =
      (struct mpj_view){map->layout, len, mpj_spec_extent(&t->old), data ? displ + map->displ : 0};
  return MPJ_SUCCESS;
}

static int describe(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                    struct mpj_type_spec *spec)
{
  const struct indexed *t = (const struct indexed *)parts;
  MPJ_Count len;
  MPJ_Aint displ;
  find_part(t, i, &len, &displ);
  int status = mpj_spec_contiguous(len, &t->old, spec);
  if (!status) *origin = displ;
  return status;
}

/* A stretch of parts, whose blocks are the layout's [block, block + n), or, if in a
 * gap, kept from number `block` on. */
struct stretch {
  MPJ_Count n, block;
  bool kept;
};

/* The longest stretch of at most n parts from part `first` on. */
static struct stretch stretch_at(const struct indexed *t, MPJ_Count first, MPJ_Count n)
{
  if (t->ngaps == 0) return (struct stretch){n, first, false};
  const struct gap *gap = gap_before(t, first);
  const struct gap *next = gap ? gap + 1 : t->gaps;
  MPJ_Count into = gap ? first - gap->start : first;
  if (gap && into < gap->n)
    return (struct stretch){gap->n - into < n ? gap->n - into : n, gap->kept + into, true};
  if (next < t->gaps + t->ngaps && next->start - first < n) n = next->start - first;
  return (struct stretch){n, gap ? gap->block + into - gap->n : first, false};
}

static void read_lens(const struct indexed *t, const struct stretch *s, MPJ_Count lens[])
{
  if (s->kept) {
    memcpy(lens, t->kept_lens + s->block, (size_t)s->n * sizeof lens[0]);
    return;
  }
  if (t->lens) mpj_sequence_read(t->lens, s->block, s->n, lens);
  for (MPJ_Count i = 0; i < s->n && !t->lens; i++)
    lens[i] = t->uniform;
  for (MPJ_Count i = 0; i < s->n && t->lens && t->factor != 1; i++)
    lens[i] /= t->factor;
}

static void read_displs(const struct indexed *t, const struct stretch *s, MPJ_Aint displs[])
{
  if (s->kept) {
    memcpy(displs, t->kept_displs + s->block, (size_t)s->n * sizeof displs[0]);
    return;
  }
  mpj_sequence_read(t->displs, s->block, s->n, displs);
  for (MPJ_Count i = 0; i < s->n; i++)
    displs[i] = mpj_wrap_muladd(1, displs[i], t->first);
}

static void blocks(const struct mpj_parts *parts, MPJ_Count first, MPJ_Count n, MPJ_Count copies[],
                   MPJ_Aint displs[], const struct mpj_type_spec *olds[])
{
  const struct indexed *t = (const struct indexed *)parts;
  for (MPJ_Count i = 0; olds && i < n; i++)
    olds[i] = &t->old;
  if (!t->displs || (!copies && !displs)) return;
  for (MPJ_Count i = 0; i < n;) {
    const struct stretch s = stretch_at(t, first + i, n - i);
    if (copies) read_lens(t, &s, copies + i);
    if (displs) read_displs(t, &s, displs + i);
    i += s.n;
  }
}

static void measure(const struct mpj_parts *parts, struct mpj_footprint *f)
{
  const struct indexed *t = (const struct indexed *)parts;
  if (!mpj_footprint_add(f, t)) return;
  mpj_footprint_spec(f, &t->old);
  mpj_footprint_sequence(f, t->lens);
  mpj_footprint_sequence(f, t->displs);
  mpj_footprint_add(f, t->gaps);
  mpj_footprint_add(f, t->kept_lens);
  mpj_footprint_add(f, t->kept_displs);
}

static void destroy(struct mpj_parts *parts)
{
  struct indexed *t = (struct indexed *)parts;
  mpj_spec_release(&t->old);
  mpj_sequence_release(t->lens);
  mpj_sequence_release(t->displs);
  mpj_free(t->gaps);
  mpj_free(t->kept_lens);
  mpj_free(t->kept_displs);
  mpj_free(t);
}

static const struct mpj_parts_ops indexed_ops = {"indexed", view,    describe, blocks,
                                                 measure,   destroy, false};

/* Gaps from patches; returns how many parts are in them. Gaps that the caller's
 * blocks leave no part for are none: a patch stands for one block at least. */
static MPJ_Count find_gaps(struct indexed *t, const struct mpj_blocks_made *made)
{
  MPJ_Count kept = 0, start = 0, block = 0;
  for (MPJ_Count p = 0; p < made->npatches; p++) {
    const struct mpj_patch *patch = &made->patches[p];
    start += patch->at - block;
    t->gaps[p] = (struct gap){start, patch->source + 1 - start, patch->at + 1, kept};
    kept += patch->source + 1 - start;
    start = patch->source + 1;
    block = patch->at + 1;
  }
  t->ngaps = made->npatches;
  return kept;
}

/* Keep the lengths and displacements of the parts in gaps. */
static int keep_gaps(struct indexed *t, const struct mpj_blocks_made *made,
                     const struct mpj_series *lens, const struct mpj_series *displs)
{
  t->gaps = mpj_alloc((size_t)made->npatches * sizeof *t->gaps);
  if (!t->gaps) return MPJ_ERR_NO_MEM;
  MPJ_Count kept = find_gaps(t, made);
  t->kept_lens = mpj_alloc((size_t)kept * sizeof *t->kept_lens);
  t->kept_displs = mpj_alloc((size_t)kept * sizeof *t->kept_displs);
  if (!t->kept_lens || !t->kept_displs) return MPJ_ERR_NO_MEM;
  for (MPJ_Count g = 0; g < t->ngaps; g++) {
    const struct gap *gap = &t->gaps[g];
    mpj_series_read(lens, gap->start, gap->n, t->kept_lens + gap->kept);
    mpj_series_read(displs, gap->start, gap->n, t->kept_displs + gap->kept);
  }
  return MPJ_SUCCESS;
}

/* The layout's own sequences, which are in its units, with the gaps between. */
static int share_sequences(struct indexed *t, const struct mpj_piece *map,
                           const struct mpj_blocks_made *made, const struct mpj_series *lens,
                           const struct mpj_series *displs)
{
  t->displs = mpj_sequence_retain(map->layout->u.index.displs);
  t->lens = mpj_sequence_retain(map->layout->u.index.lens);
  t->factor = made->factor;
  t->uniform = made->uniform;
  t->first = mpj_wrap_sub(map->displ, t->old.map.displ);
  if (made->npatches > 0 && keep_gaps(t, made, lens, displs))
    return mpj_error(MPJ_ERR_NO_MEM, "part table of %" PRId64 " blocks could not be allocated",
                     lens->n);
  return MPJ_SUCCESS;
}

/* Whether all lengths are the first one; they are known to repeat with this period
 * (0: not known). */
static bool all_uniform(const struct mpj_series *lens, MPJ_Count period)
{
  const MPJ_Count n = period > 0 ? period : lens->n, first = mpj_series_at(lens, 0);
  if (!lens->values && !lens->numbers) return true;
  for (MPJ_Count i = 1; i < n; i++)
    if (mpj_series_at(lens, i) != first) return false;
  return true;
}

static int make_sequences(struct indexed *t, const struct mpj_series *lens,
                          const struct mpj_series *displs, MPJ_Count period)
{
  struct mpj_series relative = *displs;
  t->first = mpj_series_at(displs, 0);
  t->uniform = mpj_series_at(lens, 0);
  relative.origin = mpj_wrap_muladd(1, displs->origin, t->first);
  int status = mpj_sequence_make_periodic(&relative, period, &t->displs);
  if (status || period == 1 || all_uniform(lens, period)) return status;
  return mpj_sequence_make_periodic(lens, period, &t->lens);
}

int mpj_parts_indexed(const struct mpj_series *lens, const struct mpj_series *displs,
                      const struct mpj_piece *map, const struct mpj_blocks_made *made,
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
  t->old = *old;
  mpj_spec_hold(old);
  t->factor = 1;
  if (lens->n > 0) {
    if (made->same)
      status = share_sequences(t, map, made, lens, displs);
    else
      status = make_sequences(t, lens, displs, made->period);
  }
  if (status)
    destroy(&t->head);
  else
    *out = &t->head;
  return status;
}
