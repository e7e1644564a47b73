/* This file copies from layout to layout through two cursors.
 *
 * Where one side is dense it is a pack or an unpack; where both sides run the
 * same program from the same place, one pass of it serves both; otherwise two
 * walks go in step, and the kernels move what both batches allow at once. */
#include "pack/cursor.h"

#include <string.h>

#include "pack/address.h"
#include "pack/cursor_walk.h"
#include "pack/exec.h"

static bool is_twin(const struct mpj_cursor *a, const struct mpj_cursor *b)
{
  return a->program == b->program && a->offset == b->offset && a->count == b->count &&
         (a->count == 1 || a->stride == b->stride);
}

static void copy_twin(struct mpj_cursor *dst, struct mpj_cursor *src, MPJ_Count bytes)
{
  struct mpj_exec x = {&mpj_kernels()->unpack, true};
  mpj_exec(&x, dst->program, dst->count, dst->stride, dst->origin, src->origin, dst->offset,
           dst->offset + bytes);
  dst->offset += bytes;
  src->offset += bytes;
}

static MPJ_Count least(MPJ_Count a, MPJ_Count b)
{
  return a < b ? a : b;
}

/* Whole blocks of `block` bytes that the batch, used in blocks of that size,
 * can give: 0 where it would have to break one. */
static MPJ_Count whole_blocks(const struct mpj_span *s, MPJ_Count block)
{
  if (s->block == block) return s->within == 0 ? s->count : 0;
  return (s->block - s->within) / block;
}

/* Bytes between such blocks. */
static MPJ_Aint block_step(const struct mpj_span *s, MPJ_Count block)
{
  return s->block == block ? s->stride : block;
}

/* Move what both batches allow at once, at most `bytes`; returns how much. */
static MPJ_Count copy_batch(struct mpj_span *d, struct mpj_span *s, MPJ_Count bytes)
{
  char *to = d->at + d->within, *from = s->at + s->within;
  MPJ_Count block = least(d->block, s->block);
  if (block < bytes && (d->count > 1 || s->count > 1)) {
    MPJ_Count n = least(least(whole_blocks(d, block), whole_blocks(s, block)), bytes / block);
    if (n > 1) {
      mpj_kernels()->unpack.strided[mpj_block_class(block)](to, block_step(d, block), from,
                                                            block_step(s, block), block, n);
      return n * block;
    }
  }
  MPJ_Count n = least(least(d->block - d->within, s->block - s->within), bytes);
  memcpy(to, from, (size_t)n);
  return n;
}

static void copy_walks(struct mpj_cursor *dst, struct mpj_cursor *src, MPJ_Count bytes)
{
  struct mpj_walk d, s;
  mpj_cursor_walk(dst, &d);
  mpj_cursor_walk(src, &s);
  dst->offset += bytes;
  src->offset += bytes;
  while (bytes > 0) {
    struct mpj_span *to = mpj_walk_span(&d), *from = mpj_walk_span(&s);
    MPJ_Count n = copy_batch(to, from, bytes);
    mpj_span_consume(to, n);
    mpj_span_consume(from, n);
    bytes -= n;
  }
}

void mpj_cursor_copy(struct mpj_cursor *dst, struct mpj_cursor *src, MPJ_Count bytes)
{
  assert(0 <= bytes && bytes <= mpj_cursor_remaining(dst) && bytes <= mpj_cursor_remaining(src));
  if (bytes == 0) return;
  if (!src->program) {
    mpj_cursor_unpack(dst, mpj_at(src->origin, src->offset), bytes);
    src->offset += bytes;
  } else if (!dst->program) {
    mpj_cursor_pack(src, mpj_at(dst->origin, dst->offset), bytes);
    dst->offset += bytes;
  } else if (is_twin(dst, src)) {
    copy_twin(dst, src, bytes);
  } else {
    copy_walks(dst, src, bytes);
  }
}
