/* This file copies from layout to layout through two cursors.
 *
 * Where one side is dense it is a pack or an unpack; where both sides run the
 * same program from the same place, one pass of it serves both. Two regular sides
 * of one block each, or two of long runs, are walked in step, and the kernels move
 * what both batches allow at once; columns against rows are transposed. Short
 * irregular runs go through a buffer that stays in the first-level cache, so that
 * each side's own kernels do the work. */
#include "base/least.h"
#include "pack/run/cursor.h"

#include <stdalign.h>
#include <string.h>

#include "pack/kernels/kernels_choose.h"
#include "pack/run/address.h"
#include "pack/run/columns.h"
#include "pack/run/cursor_walk.h"
#include "pack/run/exec.h"
#include "pack/run/exec_run.h"

static bool is_twin(const struct mpj_cursor *a, const struct mpj_cursor *b)
{
  return a->program == b->program && a->offset == b->offset && a->count == b->count &&
         (a->count == 1 || a->stride == b->stride);
}

/* Whether blocks lie at listed places anywhere in the program. */
static bool has_index(const struct mpj_program *p)
{
  for (; p->kind == MPJ_PROGRAM_LOOP; p = p->u.loop.child)
    ;
  if (p->kind != MPJ_PROGRAM_SEQ) return p->kind == MPJ_PROGRAM_INDEX;
  if (!p->u.seq.pieces) return true;
  for (MPJ_Count i = 0; i < p->u.seq.npieces; i++) {
    const struct mpj_program *program = mpj_piece_program(&p->u.seq.pieces[i]);
    if (program && has_index(program)) return true;
  }
  return false;
}

bool mpj_cursor_is_listed(const struct mpj_cursor *c)
{
  return c->program && has_index(c->program);
}

static void copy_twin(struct mpj_cursor *dst, struct mpj_cursor *src, MPJ_Count bytes)
{
  struct mpj_exec x = {&mpj_kernels()->unpack, true, bytes};
  mpj_exec(&x, dst->program, dst->count, dst->stride, dst->origin, src->origin, dst->offset,
           dst->offset + bytes);
  dst->offset += bytes;
  src->offset += bytes;
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
  MPJ_Count block = mpj_least(d->block, s->block);
  if (block < bytes && (d->count > 1 || s->count > 1)) {
    MPJ_Count n =
        mpj_least(mpj_least(whole_blocks(d, block), whole_blocks(s, block)), bytes / block);
    if (n > 1) {
      mpj_kernels()->unpack.strided[mpj_block_class(block)](to, block_step(d, block), from,
                                                            block_step(s, block), block, n);
      return n * block;
    }
  }
  MPJ_Count n = mpj_least(mpj_least(d->block - d->within, s->block - s->within), bytes);
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

enum {
  BUFFER = 8192, /* bytes: a quarter of a small first-level cache */
  LONG_RUN = 512 /* bytes that are worth walking to one by one */
};

/* Not inlined, to keep the buffer off the stack of the other ways. */
static __attribute__((noinline)) void copy_buffered(struct mpj_cursor *dst, struct mpj_cursor *src,
                                                    MPJ_Count bytes)
{
  alignas(64) char buffer[BUFFER];
  for (MPJ_Count n; bytes > 0; bytes -= n) {
    n = mpj_least(bytes, BUFFER);
    mpj_cursor_pack(src, buffer, n);
    mpj_cursor_unpack(dst, buffer, n);
  }
}

static bool has_long_runs(const struct mpj_cursor *c)
{
  return mpj_program_run(c->program) >= LONG_RUN;
}

/* One block again and again. */
static bool is_regular(const struct mpj_cursor *c)
{
  return c->program->kind == MPJ_PROGRAM_DENSE;
}

/* Copies whole blocks of equal size at once; false, with nothing moved, if they
 * are not. */
static bool copy_regular(struct mpj_cursor *dst, struct mpj_cursor *src, MPJ_Count bytes)
{
  MPJ_Count block = dst->program->bytes;
  if (!is_regular(dst) || !is_regular(src) || src->program->bytes != block) return false;
  MPJ_Count to = dst->offset / block, from = src->offset / block;
  if (to * block != dst->offset || from * block != src->offset || bytes % block) return false;
  mpj_kernels()->unpack.strided[mpj_block_class(block)](
      mpj_at(dst->origin, to * dst->stride), dst->stride, mpj_at(src->origin, from * src->stride),
      src->stride, block, bytes / block);
  dst->offset += bytes;
  src->offset += bytes;
  return true;
}

/* Whether to go in step rather than through the buffer. */
static bool goes_in_step(const struct mpj_cursor *dst, const struct mpj_cursor *src)
{
  if (is_regular(dst) && is_regular(src)) return true;
  return has_long_runs(dst) && has_long_runs(src);
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
  } else if (is_twin(dst, src) && (has_long_runs(src) || !has_index(src->program))) {
    copy_twin(dst, src, bytes);
  } else if (mpj_columns_copy(dst, src, bytes)) {
    return;
  } else if (goes_in_step(dst, src)) {
    if (!copy_regular(dst, src, bytes)) copy_walks(dst, src, bytes);
  } else {
    copy_buffered(dst, src, bytes);
  }
}

/* A cursor at byte `at` of rows that hold as much as `like` does. */
static struct mpj_cursor over_rows(const struct mpj_cursor *like, const struct mpj_program *row,
                                   char *origin, MPJ_Aint stride, MPJ_Count at)
{
  return (struct mpj_cursor){.offset = at,
                             .bytes = like->bytes,
                             .program = row,
                             .count = (like->bytes - 1) / row->bytes + 1,
                             .stride = stride,
                             .origin = origin};
}

void mpj_cursor_to_rows(struct mpj_cursor *src, char *origin, const struct mpj_rows *rows,
                        MPJ_Count at, MPJ_Count bytes)
{
  const struct mpj_program row = {.kind = MPJ_PROGRAM_DENSE, .bytes = rows->row, .runs = 1};
  struct mpj_cursor dst = over_rows(src, &row, origin, rows->stride, at);
  mpj_cursor_copy(&dst, src, bytes);
}

void mpj_cursor_from_rows(struct mpj_cursor *dst, char *origin, const struct mpj_rows *rows,
                          MPJ_Count at, MPJ_Count bytes)
{
  const struct mpj_program row = {.kind = MPJ_PROGRAM_DENSE, .bytes = rows->row, .runs = 1};
  struct mpj_cursor src = over_rows(dst, &row, origin, rows->stride, at);
  mpj_cursor_copy(dst, &src, bytes);
}
