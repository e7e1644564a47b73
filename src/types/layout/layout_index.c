/* This file makes INDEX layouts: merged blocks get their simplest form, which is
 * nothing, one loop, a loop of equal blocks, a loop of the blocks of a period, an
 * index of equal blocks, or an index of blocks of several lengths. Linear in the
 * number of blocks, and without a copy of them. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/least.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/layout/blocks.h"
#include "types/layout/intern.h"
#include "types/layout/layout_blocks.h"
#include "types/layout/layout_make.h"
#include "types/layout/layout_measure.h"
#include "types/layout/period.h"
#include "types/sequence/sequence.h"

enum { FEW_SUMS = 8 };

static int no_memory(MPJ_Count nblocks)
{
  return mpj_error(MPJ_ERR_NO_MEM, "index of %" PRId64 " blocks could not be allocated", nblocks);
}

/* sums[k] := copies before block 128 k, the last one: in all. */
static int sum_frames(const struct mpj_blocks *b, MPJ_Count nframes, MPJ_Count sums[])
{
  MPJ_Count lens[MPJ_LAYOUT_FRAME], sum = 0;
  for (MPJ_Count k = 0; k < nframes; k++) {
    MPJ_Count first = k * MPJ_LAYOUT_FRAME, n = mpj_least(MPJ_LAYOUT_FRAME, b->n - first);
    sums[k] = sum;
    mpj_series_read(&b->lens, first, n, lens);
    for (MPJ_Count i = 0; i < n; i++)
      if (!mpj_add_count(sum, lens[i], &sum))
        return mpj_error(MPJ_ERR_OVERFLOW,
                         "packed size overflows at block %" PRId64 " of %" PRId64 " copies",
                         first + i, lens[i]);
  }
  sums[nframes] = sum;
  return MPJ_SUCCESS;
}

static int make_starts(struct mpj_layout *node, const struct mpj_blocks *b)
{
  MPJ_Count nframes = (b->n + MPJ_LAYOUT_FRAME - 1) / MPJ_LAYOUT_FRAME;
  MPJ_Count few[FEW_SUMS], *sums = few;
  if (nframes >= FEW_SUMS) sums = mpj_alloc((size_t)(nframes + 1) * sizeof *sums);
  if (!sums) return no_memory(b->n);
  int status = sum_frames(b, nframes, sums);
  struct mpj_series series = mpj_series_of(nframes + 1, sums, 1);
  if (!status) status = mpj_sequence_make(&series, &node->u.index.starts);
  if (sums != few) mpj_free(sums);
  return status;
}

/* Widen the span to m blocks; false if a displacement does not fit. */
static bool cover(const MPJ_Count lens[], const MPJ_Aint displs[], MPJ_Count m, MPJ_Aint stride,
                  struct mpj_blocks *b)
{
  for (MPJ_Count i = 0; i < m; i++) {
    MPJ_Aint last;
    if (!mpj_muladd_aint(displs[i], lens[i] - 1, stride, &last)) return false;
    MPJ_Aint low = last < displs[i] ? last : displs[i], high = last < displs[i] ? displs[i] : last;
    b->low = low < b->low ? low : b->low;
    b->high = high > b->high ? high : b->high;
  }
  return true;
}

static int bounds_overflow(const struct mpj_blocks *b)
{
  return mpj_error(MPJ_ERR_OVERFLOW,
                   "true bounds overflow: %" PRId64 " blocks, the first at %td bytes", b->n,
                   (MPJ_Aint)mpj_series_at(&b->displs, 0));
}

/* The span of blocks that are only some of those that were merged. */
static int find_span(struct mpj_blocks *b, const struct mpj_unit *unit)
{
  MPJ_Count lens[MPJ_LAYOUT_FRAME];
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  b->low = b->high = mpj_series_at(&b->displs, 0);
  for (MPJ_Count i = 0; i < b->n; i += MPJ_LAYOUT_FRAME) {
    MPJ_Count m = mpj_least(MPJ_LAYOUT_FRAME, b->n - i);
    mpj_series_read(&b->lens, i, m, lens);
    mpj_series_read(&b->displs, i, m, displs);
    if (!cover(lens, displs, m, unit->stride, b)) return bounds_overflow(b);
  }
  return MPJ_SUCCESS;
}

static int measure_index(struct mpj_layout *node, const struct mpj_blocks *blocks,
                         const struct mpj_unit *unit)
{
  struct mpj_blocks b = *blocks;
  int status = mpj_layout_measure_index(node);
  if (!status && !b.has_span) status = find_span(&b, unit);
  if (status) return status;
  return mpj_layout_bound_index(node, mpj_series_at(&b.displs, 0), unit->layout, b.low, b.high);
}

/* Give node its sequences: displacements from the first block, and unless all
 * blocks are single copies the lengths with their sums. */
static int fill_index(struct mpj_layout *node, const struct mpj_blocks *b, bool single)
{
  struct mpj_series displs = b->displs;
  displs.origin = mpj_wrap_muladd(1, displs.origin, mpj_series_at(&b->displs, 0));
  node->u.index.nblocks = b->n;
  node->u.index.uniform = single ? 1 : 0;
  int status = mpj_sequence_make(&displs, &node->u.index.displs);
  if (status || single) return status;
  status = mpj_sequence_make(&b->lens, &node->u.index.lens);
  return status ? status : make_starts(node, b);
}

/* An index of blocks of units, or of single copies of `child`, which is a block. */
static int make_index(const struct mpj_blocks *b, const struct mpj_unit *unit,
                      struct mpj_layout *child, struct mpj_piece *out)
{
  bool single = child != NULL;
  struct mpj_layout *node = mpj_layout_new(MPJ_LAYOUT_INDEX);
  if (!node) return no_memory(b->n);
  node->u.index.child = mpj_layout_retain(single ? child : unit->layout);
  node->u.index.stride = single ? 0 : unit->stride;
  int status = fill_index(node, b, single);
  if (!status) status = measure_index(node, b, unit);
  if (status) {
    mpj_layout_discard(node);
    return status;
  }
  mpj_layout_intern(node, mpj_series_at(&b->displs, 0), out);
  return MPJ_SUCCESS;
}

static int make_blocks(struct mpj_blocks *b, const struct mpj_unit *unit, struct mpj_piece *out);

/* The first `period` blocks, again and again. */
static int make_periods(const struct mpj_blocks *b, MPJ_Count period, const struct mpj_unit *unit,
                        struct mpj_piece *out)
{
  MPJ_Aint step;
  struct mpj_piece once;
  struct mpj_blocks some = *b;
  if (!mpj_sub_aint(mpj_series_at(&b->displs, period), mpj_series_at(&b->displs, 0), &step))
    return bounds_overflow(b);
  some.n = some.lens.n = some.displs.n = period;
  some.has_span = false;
  int status = make_blocks(&some, unit, &once);
  if (status) return status;
  status = mpj_layout_loop(b->n / period, step, once, out);
  mpj_layout_release(once.layout);
  return status;
}

/* A period that the number of blocks is a multiple of, or that number. */
static MPJ_Count period_of(const struct mpj_blocks *b, bool equal)
{
  MPJ_Count period = mpj_period(&b->displs, equal ? NULL : &b->lens);
  return b->n % period == 0 ? period : b->n;
}

/* Equal blocks, `step` apart if they make a loop: the block becomes the child. */
static int make_equal_blocks(const struct mpj_blocks *b, const struct mpj_unit *unit, bool loop,
                             MPJ_Aint step, struct mpj_piece *out)
{
  struct mpj_piece block;
  int status = mpj_layout_loop(mpj_series_at(&b->lens, 0), unit->stride,
                               (struct mpj_piece){unit->layout, 0}, &block);
  if (status) return status;
  if (loop) {
    status = mpj_layout_loop(b->n, step, block, out);
    if (!status) out->displ = mpj_series_at(&b->displs, 0);
  } else {
    status = make_index(b, unit, block.layout, out);
  }
  mpj_layout_release(block.layout);
  return status;
}

static int make_blocks(struct mpj_blocks *b, const struct mpj_unit *unit, struct mpj_piece *out)
{
  MPJ_Aint step = 0;
  if (b->n == 0) return mpj_layout_empty(out);
  bool equal = mpj_blocks_equal(b);
  bool loop = equal && (b->n == 1 || mpj_blocks_progress(b, &step));
  b->period = loop ? 1 : period_of(b, equal);
  if (!loop && b->period < b->n) return make_periods(b, b->period, unit, out);
  if (equal) return make_equal_blocks(b, unit, loop, step, out);
  return make_index(b, unit, NULL, out);
}

/* Move the made piece by the child's own displacement. */
static int displace(struct mpj_piece *made, MPJ_Aint displ)
{
  MPJ_Aint at = made->displ;
  if (made->layout->kind == MPJ_LAYOUT_EMPTY) return MPJ_SUCCESS;
  if (mpj_add_aint(at, displ, &made->displ)) return MPJ_SUCCESS;
  mpj_layout_release(made->layout);
  return mpj_error(MPJ_ERR_OVERFLOW, "displacement overflows: %td + %td bytes", at, displ);
}

/* What the caller may share; takes the patches along. */
static void tell_made(struct mpj_blocks *b, const struct mpj_unit *unit,
                      const struct mpj_layout *layout, struct mpj_blocks_made *made)
{
  bool whole = !b->merged_lens && b->npatches == 0; /* the caller's blocks, all of them */
  if (whole && b->period < b->n) made->period = b->period;
  bool index = b->n > 1 && layout->kind == MPJ_LAYOUT_INDEX && layout->u.index.nblocks == b->n;
  if (!index || b->merged_lens) return;
  MPJ_Count uniform = mpj_series_at(&b->lens, 0) / unit->factor;
  *made = (struct mpj_blocks_made){0, true, unit->factor, uniform, b->patches, b->npatches};
  b->patches = NULL;
}

int mpj_layout_blocks(const struct mpj_series *lens, const struct mpj_series *displs,
                      MPJ_Aint stride, struct mpj_piece child, struct mpj_piece *out,
                      struct mpj_blocks_made *made)
{
  struct mpj_unit unit;
  struct mpj_blocks blocks;
  struct mpj_piece piece;
  if (made) *made = (struct mpj_blocks_made){.factor = 1};
  if (lens->n == 0 || child.layout->kind == MPJ_LAYOUT_EMPTY) return mpj_layout_empty(out);
  int status = mpj_blocks_merge(lens, displs, child.layout, stride, &unit, &blocks);
  if (status) return status;
  status = make_blocks(&blocks, &unit, &piece);
  if (!status) status = displace(&piece, child.displ);
  if (!status) {
    if (made) tell_made(&blocks, &unit, piece.layout, made);
    *out = piece;
  }
  mpj_blocks_release(&blocks);
  return status;
}

int mpj_layout_index(MPJ_Count nblocks, const MPJ_Count blocklens[], MPJ_Count uniform,
                     const MPJ_Aint displs[], MPJ_Aint stride, struct mpj_piece child,
                     struct mpj_piece *out)
{
  struct mpj_series lens =
      blocklens ? mpj_series_of(nblocks, blocklens, 1) : mpj_series_constant(nblocks, uniform);
  struct mpj_series places = mpj_series_of(nblocks, displs, 1);
  return mpj_layout_blocks(&lens, &places, stride, child, out, NULL);
}
