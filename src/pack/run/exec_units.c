/* This file executes indices of short dense blocks, unit by unit. Units that are not listed
 * are decoded from the layout, up to a frame of blocks at a time, into offsets that stay in
 * the first-level cache; a row of equal blocks at one stride is not decoded at all. */
#include "pack/run/exec_whole.h"

#include <assert.h>
#include <string.h>

#include "base/least.h"
#include "pack/kernels/kernels_choose.h"
#include "pack/run/address.h"
#include "pack/run/exec_run.h"
#include "types/sequence/unpack.h"

enum {
  ROW = 16,  /* blocks at one stride that are worth a strided kernel */
  LOOKS = 2, /* an odd length or place is on a line with the next one, behind which a row begins */
  GROUP = 128, /* blocks whose units are listed at once */
  ROOM = MPJ_EXPAND_MOST * GROUP,
  SPARE = MPJ_NEAR_SPARE,
  /* Bytes of units that are asked for before they are moved, if they are far. Lists of 1e6 blocks
   * packed on Zen 3, beside the flat list that a program once kept (mpj-bench pack --patterns
   * lists), without and with it: jitter_64 .94, 1.27, random_64 .92, 1.10, period4_64 .89, .77; of
   * random_8, .74, .66. */
  ASKED = 64,
  AHEAD = 64, /* so many of them ahead, where blocks are one unit, */
  CHUNK = 32  /* and after every so many */
};
static_assert((int)MPJ_EXPAND_SPARE <= (int)SPARE,
              "lists have room for what kernels write behind them");

/* Blocks that are near to one another. */
struct near {
  MPJ_Count n;
  MPJ_Aint origin;
  MPJ_Count least, most;                   /* copies in each; more than the fewest at most */
  int32_t displs[MPJ_LAYOUT_NEAR + SPARE]; /* of each from the origin */
  int32_t copies[MPJ_LAYOUT_NEAR + SPARE]; /* in each, less the fewest */
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

/* Decode f->n blocks from `block` on. False where they are far from one another, or have so many
 * units that no list is made of them. */
static bool decode(const struct mpj_program *p, MPJ_Count block, struct near *f)
{
  const MPJ_Count copies_in_unit = p->u.index.unit / p->u.index.child->bytes;
  const MPJ_Count limit = mpj_least(MPJ_EXPAND_COPIES, MPJ_EXPAND_MOST * copies_in_unit);
  if (!mpj_layout_index_near(p->u.index.layout, block, f->n, &f->origin, f->displs, &f->least,
                             &f->most, f->copies))
    return false;
  if (f->least + f->most == copies_in_unit) return true;
  if (f->most == 0) memset(f->copies, 0, sizeof f->copies);
  if (f->least + f->most > limit)
    f->most = largest(f); /* of these, where more is known of all only */
  return f->least + f->most <= limit;
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

/* Ask for the lines of blocks [i, end) of f, of which each has `bytes` bytes or more. */
static void ask_for(const struct near *f, char *mem, MPJ_Count i, MPJ_Count end, MPJ_Count bytes)
{
  for (; i < end; i++)
    for (MPJ_Count line = 0; line < bytes; line += 64)
      __builtin_prefetch(mpj_at(mem, f->displs[i] + line));
}

/* Blocks of one unit each. */
static void move_singles(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                         char *other, const struct near *f, MPJ_Count first, MPJ_Count from,
                         MPJ_Count to)
{
  const MPJ_Count unit = p->u.index.unit;
  if (unit < ASKED || !mpj_blocks_far(unit, p->u.index.nunits)) {
    move_offsets(x, p, mem, f->displs, other, first, f->n, from, to);
    return;
  }
  for (MPJ_Count i = 0; i < f->n; i += CHUNK) {
    ask_for(f, mem, mpj_least(f->n, i + AHEAD), mpj_least(f->n, i + AHEAD + CHUNK), unit);
    move_offsets(x, p, mem, f->displs + i, other, first + i, mpj_least(CHUNK, f->n - i), from, to);
  }
}

/* Blocks of several units; returns how many those are. */
static MPJ_Count move_several(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                              char *other, const struct near *f, MPJ_Count first, MPJ_Count from,
                              MPJ_Count to)
{
  const MPJ_Count unit = p->u.index.unit, each = p->u.index.child->bytes;
  const bool ask = unit >= ASKED && mpj_blocks_far(unit, p->u.index.nunits);
  int32_t offsets[ROOM + SPARE];
  MPJ_Count done = 0;
  for (MPJ_Count i = 0; i < f->n; i += GROUP) {
    const MPJ_Count n = mpj_least(GROUP, f->n - i);
    const MPJ_Count units = mpj_kernels()->expand(f->displs + i, f->copies + i, n,
                                                  (int32_t)f->least, (int32_t)(f->least + f->most),
                                                  (int32_t)(unit / each), (int32_t)unit, offsets);
    if (ask) ask_for(f, mem, mpj_least(f->n, i + GROUP), mpj_least(f->n, i + 2 * GROUP), unit);
    move_offsets(x, p, mem, offsets, other, first + done, units, from, to);
    done += units;
  }
  return done;
}

/* How many blocks from `block` on, of which the first `row` are no row worth a kernel of its own,
 * are decoded at once: exceptions end where a row begins. */
static MPJ_Count before_row(const struct mpj_program *p, MPJ_Count block, MPJ_Count row)
{
  const MPJ_Count most = mpj_least(p->u.index.nblocks - block, MPJ_LAYOUT_NEAR);
  MPJ_Aint displ, stride;
  MPJ_Count copies, n = row;
  for (int k = 0; k < LOOKS && n < most; k++) {
    const MPJ_Count next =
        mpj_layout_index_row(p->u.index.layout, block + n, &displ, &stride, &copies);
    if (next >= ROW) return n;
    n += next;
  }
  return most;
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
  const MPJ_Count at = *block;
  f.n = before_row(p, at, row);
  if (!decode(p, at, &f)) {
    *block += mpj_least(f.n, MPJ_LAYOUT_FRAME);
    return move_blocks(x, p, mem, other, at, *block - at, start, from, to);
  }
  *block += f.n;
  mem = mpj_at(mem, f.origin);
  if (f.least + f.most > unit / p->u.index.child->bytes)
    return move_several(x, p, mem, other, &f, first, from, to);
  move_singles(x, p, mem, other, &f, first, from, to);
  return f.n;
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
