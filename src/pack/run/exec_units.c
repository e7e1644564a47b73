/* This file executes indices of short dense blocks, unit by unit. Units that are not listed
 * are decoded from the layout, up to a frame of blocks at a time, into offsets that stay in
 * the first-level cache; a row of equal blocks at one stride is not decoded at all. */
#include "pack/run/exec_whole.h"

#include <assert.h>
#include <string.h>

#include "base/least.h"
#include "pack/run/address.h"
#include "types/sequence/unpack.h"

enum {
  ROW = 16, /* blocks at one stride that are worth a strided kernel */
  ROOM = MPJ_EXPAND_MOST * MPJ_LAYOUT_FRAME, /* units that are listed at once */
  SPARE = MPJ_NEAR_SPARE
};
static_assert((int)MPJ_EXPAND_SPARE <= (int)SPARE,
              "lists have room for what kernels write behind them");

/* Blocks of a frame, near to one another. */
struct near {
  MPJ_Count n;
  MPJ_Aint origin;
  int32_t displs[MPJ_LAYOUT_FRAME + SPARE]; /* of each from the origin */
  int32_t copies[MPJ_LAYOUT_FRAME + SPARE]; /* in each, less the fewest */
};

/* Move what of the bytes [from, to) lies in units [first, first + n) at these offsets. */
static void move_offsets(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                         const int32_t offsets[], char *other, MPJ_Count first, MPJ_Count n,
                         MPJ_Count from, MPJ_Count to)
{
  const MPJ_Count unit = p->u.index.unit;
  const MPJ_Count low = from > first * unit ? from - first * unit : 0;
  const MPJ_Count high = mpj_least(to - first * unit, n * unit);
  if (low >= high) return;
  MPJ_Count i = mpj_quotient(low, unit), end = mpj_quotient(high, unit), cut = low - i * unit;
  const MPJ_Count rest = high - end * unit;
  other = mpj_at(other, first * unit);
  if (cut > 0) {
    x->moves->dense(mpj_at(mem, offsets[i] + cut), mpj_at(other, low),
                    mpj_least(unit - cut, high - low));
    i++;
  }
  if (end > i)
    x->moves->indexed[mpj_block_class(unit)](mem, offsets + i, mpj_at(other, i * unit), unit,
                                             end - i, mpj_blocks_far(unit, p->u.index.nunits));
  if (rest > 0 && end >= i)
    x->moves->dense(mpj_at(mem, offsets[end]), mpj_at(other, end * unit), rest);
}

static MPJ_Count largest(const struct near *f)
{
  int32_t most = f->copies[0];
  for (MPJ_Count i = 1; i < f->n; i++)
    most = f->copies[i] > most ? f->copies[i] : most;
  return most;
}

/* The offsets of the units of f->n blocks from `block` on, from f->origin; *list points to them.
 * Returns how many there are, or 0 where they are far from one another or too many. */
static MPJ_Count list_units(const struct mpj_program *p, MPJ_Count block, struct near *f,
                            int32_t offsets[], const int32_t **list)
{
  const MPJ_Count unit = p->u.index.unit, copies_in_unit = unit / p->u.index.child->bytes;
  MPJ_Count least, most;
  if (!mpj_layout_index_near(p->u.index.layout, block, f->n, &f->origin, f->displs, &least, &most,
                             f->copies))
    return 0;
  *list = f->displs;
  if (least + most == copies_in_unit) return f->n;
  if (most == 0) memset(f->copies, 0, sizeof f->copies);
  if (least + most > mpj_least(MPJ_EXPAND_COPIES, MPJ_EXPAND_MOST * copies_in_unit))
    most = largest(f); /* of these, where more is known of all only */
  most += least;
  if (most > MPJ_EXPAND_COPIES || most / copies_in_unit > MPJ_EXPAND_MOST) return 0;
  *list = offsets;
  return mpj_kernels()->expand(f->displs, f->copies, f->n, (int32_t)least, (int32_t)most,
                               (int32_t)copies_in_unit, (int32_t)unit, offsets);
}

static MPJ_Count count_copies(const MPJ_Count copies[], MPJ_Count n)
{
  MPJ_Count sum = 0;
  for (MPJ_Count i = 0; i < n; i++)
    sum += copies[i];
  return sum;
}

/* Blocks [block, block + n), of which the first begins at packed byte `start`, block by block.
 * Returns how many units there are. */
static __attribute__((noinline)) MPJ_Count
move_blocks(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
            MPJ_Count block, MPJ_Count n, MPJ_Count start, MPJ_Count from, MPJ_Count to)
{
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count copies[MPJ_LAYOUT_FRAME], before, at = start;
  mpj_layout_index_blocks(p->u.index.layout, block, n, displs, copies, &before);
  const MPJ_Count end_of_all = start + count_copies(copies, n) * p->u.index.child->bytes;
  if (from <= start && end_of_all <= to) {
    x->moves->varied(mem, displs, copies, p->u.index.child->bytes, mpj_at(other, start), n);
    return (end_of_all - start) / p->u.index.unit;
  }
  for (MPJ_Count i = 0; i < n; i++) {
    const MPJ_Count end = at + copies[i] * p->u.index.child->bytes;
    const MPJ_Count low = from > at ? from : at, high = mpj_least(to, end);
    if (low < high)
      x->moves->dense(mpj_at(mem, displs[i] + low - at), mpj_at(other, low), high - low);
    at = end;
  }
  return (at - start) / p->u.index.unit;
}

/* Blocks from `block` on, whose first unit is number `first`, as long as one step takes them.
 * Returns how many units those are. Not inlined, to keep its lists off the stack of the
 * recursion's other levels. */
static __attribute__((noinline)) MPJ_Count move_some(const struct mpj_exec *x,
                                                     const struct mpj_program *p, char *mem,
                                                     char *other, MPJ_Count *block, MPJ_Count first,
                                                     MPJ_Count from, MPJ_Count to)
{
  const MPJ_Count unit = p->u.index.unit, start = first * unit;
  MPJ_Aint displ, stride;
  MPJ_Count copies, row = mpj_layout_index_row(p->u.index.layout, *block, &displ, &stride, &copies);
  if (row >= ROW) {
    const MPJ_Count bytes = copies * p->u.index.child->bytes;
    const MPJ_Count low = from > start ? from - start : 0;
    const MPJ_Count high = mpj_least(to - start, row * bytes);
    *block += row;
    if (low < high)
      mpj_exec_rows(x, bytes, stride, mpj_at(mem, displ), mpj_at(other, start), low, high);
    return row * (bytes / unit);
  }
  struct near f;
  int32_t offsets[ROOM + SPARE];
  const int32_t *list;
  f.n = mpj_least(p->u.index.nblocks - *block, MPJ_LAYOUT_FRAME);
  const MPJ_Count units = list_units(p, *block, &f, offsets, &list);
  *block += f.n;
  if (units == 0) return move_blocks(x, p, mem, other, *block - f.n, f.n, start, from, to);
  move_offsets(x, p, mpj_at(mem, f.origin), list, other, first, units, from, to);
  return units;
}

void mpj_exec_units(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                    MPJ_Count from, MPJ_Count to)
{
  const MPJ_Count unit = p->u.index.unit, each = p->u.index.child->bytes;
  MPJ_Count start;
  const int32_t *flat = mpj_program_list(p);
  if (flat && from == 0 && to == p->bytes) {
    x->moves->indexed[mpj_block_class(unit)](mem, flat, other, unit, p->u.index.nunits,
                                             mpj_blocks_far(unit, p->u.index.nunits));
    return;
  }
  if (flat) {
    move_offsets(x, p, mem, flat, other, 0, p->u.index.nunits, from, to);
    return;
  }
  MPJ_Count block = mpj_layout_index_find_frame(p->u.index.layout, from / each, &start);
  MPJ_Count first = start * each / unit;
  while (first * unit < to)
    first += move_some(x, p, mem, other, &block, first, from, to);
}
