/* This file executes copy programs over ranges of packed bytes.
 *
 * A range is a partial first copy, whole copies, and a partial last one, and so
 * on down the nest: only the partial ones are looked into here. Below, [from, to) is
 * relative to packed byte 0 of the program at hand. */
#include "pack/run/exec_run.h"

#include "base/least.h"
#include "pack/run/address.h"
#include "pack/run/columns.h"
#include "pack/run/exec_blocks.h"
#include "pack/run/exec_whole.h"

static void move_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other, MPJ_Count from, MPJ_Count to);

static void move_copies_range(const struct mpj_exec *x, const struct mpj_program *child,
                              MPJ_Aint stride, char *mem, char *other, MPJ_Count from, MPJ_Count to)
{
  if (child->kind == MPJ_PROGRAM_DENSE) {
    mpj_exec_rows(x, child->bytes, stride, mem, other, from, to);
    return;
  }
  MPJ_Aint step = mpj_exec_step(x, child, stride);
  if (mpj_columns_are(x, child, stride) &&
      mpj_columns_move(x, child, mem, other, to / child->bytes + 1, from, to))
    return;
  MPJ_Count i = from / child->bytes, inside = from % child->bytes;
  if (inside > 0) {
    MPJ_Count end = mpj_least(child->bytes, inside + (to - from));
    move_range(x, child, mpj_at(mem, i * stride), mpj_at(other, i * step), inside, end);
    from += end - inside;
    i++;
  }
  MPJ_Count n = (to - from) / child->bytes, rest = (to - from) % child->bytes;
  if (n > 0) mpj_exec_copies(x, child, stride, mpj_at(mem, i * stride), mpj_at(other, i * step), n);
  i += n;
  if (rest > 0) move_range(x, child, mpj_at(mem, i * stride), mpj_at(other, i * step), 0, rest);
}

struct block {
  MPJ_Aint displ;         /* bytes from the origin */
  MPJ_Count start, bytes; /* packed bytes before it, and in it */
};

static struct block block_of(const struct mpj_program *p, MPJ_Count i)
{
  if (p->u.index.blocks) {
    const struct mpj_program_block *listed = &p->u.index.blocks[i];
    return (struct block){listed->displ, listed->start, mpj_program_block_bytes(p, i)};
  }
  const MPJ_Count each = p->u.index.child->bytes;
  MPJ_Aint displ;
  MPJ_Count copies, start;
  mpj_layout_index_block(p->u.index.layout, i, &displ, &copies, &start);
  return (struct block){displ, start * each, copies * each};
}

/* What of [from, to) lies in block i of an INDEX. */
static void move_block_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                             char *other, MPJ_Count i, MPJ_Count from, MPJ_Count to)
{
  const struct block b = block_of(p, i);
  from = from > b.start ? from - b.start : 0;
  to = mpj_least(to - b.start, b.bytes);
  if (from < to)
    move_copies_range(x, p->u.index.child, p->u.index.stride, mpj_at(mem, b.displ),
                      mpj_at(other, x->same_layout ? b.displ : b.start), from, to);
}

static MPJ_Count find_block(const struct mpj_program *p, MPJ_Count byte)
{
  if (p->u.index.blocks) return mpj_program_find_block(p, byte);
  return mpj_layout_index_find(p->u.index.layout, byte / p->u.index.child->bytes);
}

/* The first and the last block that the range touches may be partial. */
static void move_index_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                             char *other, MPJ_Count from, MPJ_Count to)
{
  MPJ_Count first = find_block(p, from), last = find_block(p, to - 1);
  move_block_range(x, p, mem, other, first, from, to);
  mpj_exec_blocks(x, p, mem, other, first + 1, last);
  if (last > first) move_block_range(x, p, mem, other, last, from, to);
}

/* Bytes [from, to) of listed piece i. */
static void move_piece(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other, MPJ_Count i, MPJ_Count from, MPJ_Count to)
{
  const struct mpj_program_piece *piece = &p->u.seq.pieces[i];
  mem = mpj_at(mem, piece->displ);
  other = mpj_at(other, x->same_layout ? (MPJ_Aint)piece->displ : (MPJ_Aint)piece->start);
  const struct mpj_program *program = mpj_piece_program(piece);
  if (program)
    move_range(x, program, mem, other, from, to);
  else
    x->moves->dense(mpj_at(mem, from), mpj_at(other, from), to - from);
}

static void move_listed_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                              char *other, MPJ_Count from, MPJ_Count to)
{
  MPJ_Count start;
  for (MPJ_Count i = mpj_program_find_piece(p, from, &start); i < p->u.seq.npieces; i++) {
    start = p->u.seq.pieces[i].start;
    if (start >= to) break;
    MPJ_Count end = mpj_least(to - start, mpj_program_listed_bytes(p, i));
    move_piece(x, p, mem, other, i, from > start ? from - start : 0, end);
  }
}

/* What of [from, to) lies in piece i, which begins at packed byte `start`. */
static void move_item_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                            char *other, MPJ_Count i, MPJ_Count start, MPJ_Count from, MPJ_Count to)
{
  const struct mpj_program_item item = mpj_program_item(p, i);
  from = from > start ? from - start : 0;
  to = mpj_least(to - start, item.bytes);
  mem = mpj_at(mem, item.displ);
  other = mpj_at(other, x->same_layout ? item.displ : start);
  if (item.program)
    move_range(x, item.program, mem, other, from, to);
  else
    x->moves->dense(mpj_at(mem, from), mpj_at(other, from), to - from);
}

/* The first and the last piece that the range touches may be partial. */
static void move_seq_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                           char *other, MPJ_Count from, MPJ_Count to)
{
  if (p->u.seq.pieces) {
    move_listed_range(x, p, mem, other, from, to);
    return;
  }
  MPJ_Count start, last_start;
  MPJ_Count first = mpj_program_find_piece(p, from, &start);
  MPJ_Count last = mpj_program_find_piece(p, to - 1, &last_start);
  move_item_range(x, p, mem, other, first, start, from, to);
  if (last == first) return;
  start += mpj_program_item(p, first).bytes;
  mpj_exec_frames(x, p, mem, other, start, first + 1, last);
  move_item_range(x, p, mem, other, last, last_start, from, to);
}

static void move_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other, MPJ_Count from, MPJ_Count to)
{
  if (from == 0 && to == p->bytes) {
    mpj_exec_program(x, p, mem, other);
    return;
  }
  switch (p->kind) {
  case MPJ_PROGRAM_DENSE:
    x->moves->dense(mpj_at(mem, from), mpj_at(other, from), to - from);
    break;
  case MPJ_PROGRAM_LOOP:
    move_copies_range(x, p->u.loop.child, p->u.loop.stride, mem, other, from, to);
    break;
  case MPJ_PROGRAM_INDEX:
    if (mpj_exec_by_units(x, p))
      mpj_exec_units(x, p, mem, other, from, to);
    else
      move_index_range(x, p, mem, other, from, to);
    break;
  case MPJ_PROGRAM_SEQ:
    move_seq_range(x, p, mem, other, from, to);
    break;
  }
}

void mpj_exec(const struct mpj_exec *x, const struct mpj_program *program, MPJ_Count count,
              MPJ_Aint stride, char *mem, char *other, MPJ_Count from, MPJ_Count to)
{
  if (count == 1)
    move_range(x, program, mem, other, from, to);
  else
    move_copies_range(x, program, stride, mem, other, from, to);
}

void mpj_exec_range(const struct mpj_moves *moves, const struct mpj_program *program, char *mem,
                    char *other, MPJ_Count from, MPJ_Count to)
{
  struct mpj_exec x = {moves, false, to - from};
  move_range(&x, program, mem, other, from, to);
}

void mpj_exec_nest(const struct mpj_moves *moves, const struct mpj_program *program, char *mem,
                   char *other)
{
  struct mpj_exec x = {moves, false, program->bytes};
  mpj_exec_program(&x, program, mem, other);
}
