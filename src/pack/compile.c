/* This file compiles layouts to copy programs. */
#include "pack/program.h"

#include <assert.h>

#include "base/memory.h"
#include "base/status.h"
#include "pack/kernels.h"

static void destroy(struct mpj_attachment *self)
{
  struct mpj_program *p = (struct mpj_program *)self;
  if (p->kind == MPJ_PROGRAM_SEQ) mpj_free(p->u.seq.pieces);
  if (p->kind == MPJ_PROGRAM_INDEX) {
    mpj_free(p->u.index.flat);
    mpj_free(p->u.index.blocks);
  }
  mpj_free(p);
}

static void set_dense(struct mpj_program *p, int basic)
{
  p->kind = MPJ_PROGRAM_DENSE;
  p->basic = basic;
}

/* A loop, as a dense block or merged with the loop inside it where it can be. */
static void set_loop(struct mpj_program *p, const struct mpj_program *child, MPJ_Count count,
                     MPJ_Aint stride)
{
  if (child->kind == MPJ_PROGRAM_DENSE && stride == child->bytes) {
    set_dense(p, child->basic);
    return;
  }
  if (mpj_program_continues(child, stride)) {
    count *= child->u.loop.count;
    stride = child->u.loop.stride;
    child = child->u.loop.child;
  }
  p->kind = MPJ_PROGRAM_LOOP;
  p->u.loop.child = child;
  p->u.loop.count = count;
  p->u.loop.stride = stride;
  p->basic = child->basic;
}

static int compile_loop(struct mpj_program *p, const struct mpj_layout *layout, int slot)
{
  const struct mpj_program *child;
  int status = mpj_program_in(layout->u.loop.child, slot, &child);
  if (status) return status;
  set_loop(p, child, layout->u.loop.count, layout->u.loop.stride);
  return MPJ_SUCCESS;
}

static int compile_index(struct mpj_program *p, const struct mpj_layout *layout, int slot)
{
  const struct mpj_program *child;
  int status = mpj_program_in(layout->u.index.child, slot, &child);
  if (status) return status;
  p->kind = MPJ_PROGRAM_INDEX;
  p->u.index.child = child;
  p->u.index.layout = layout;
  p->u.index.nblocks = layout->u.index.nblocks;
  p->u.index.uniform = layout->u.index.uniform;
  p->u.index.stride = layout->u.index.stride;
  p->u.index.dense = child->kind == MPJ_PROGRAM_DENSE &&
                     (layout->u.index.uniform == 1 || layout->u.index.stride == child->bytes);
  p->basic = child->basic;
  mpj_program_flatten(p);
  return MPJ_SUCCESS;
}

/* Append a piece of `child` at displ, `start` packed bytes into the stream, to
 * the n there are, or let the last one grow. Returns the new number of pieces. */
static MPJ_Count append_piece(struct mpj_program_piece *pieces, MPJ_Count n,
                              const struct mpj_program *child, MPJ_Aint displ, MPJ_Count start)
{
  bool dense = child->kind == MPJ_PROGRAM_DENSE;
  if (n > 0 && dense) {
    const struct mpj_program_piece *last = &pieces[n - 1];
    bool adjoins = displ - last->displ == start - last->start;
    if (!last->program && adjoins && last->basic == child->basic) return n;
  }
  pieces[n] = (struct mpj_program_piece){
      .program = dense ? NULL : child, .displ = displ, .start = start, .basic = child->basic};
  return n + 1;
}

static int append_pieces(struct mpj_program_piece *pieces, const struct mpj_layout *layout,
                         int slot, MPJ_Count *npieces)
{
  MPJ_Count n = 0;
  for (MPJ_Count i = 0; i < layout->u.seq.npieces; i++) {
    struct mpj_piece piece;
    MPJ_Count start;
    mpj_layout_seq_piece(layout, i, &piece, &start);
    const struct mpj_program *child;
    int status = mpj_program_in(piece.layout, slot, &child);
    if (status) return status;
    n = append_piece(pieces, n, child, piece.displ, start);
  }
  *npieces = n;
  return MPJ_SUCCESS;
}

static bool all_dense(const struct mpj_program_piece *pieces, MPJ_Count n)
{
  for (MPJ_Count i = 0; i < n; i++)
    if (pieces[i].program) return false;
  return true;
}

/* The basic type of all pieces, or -1. */
static int common_basic(const struct mpj_program_piece *pieces, MPJ_Count n)
{
  int basic = pieces[0].program ? pieces[0].program->basic : pieces[0].basic;
  for (MPJ_Count i = 1; i < n; i++)
    if (basic != (pieces[i].program ? pieces[i].program->basic : pieces[i].basic)) return -1;
  return basic;
}

static int compile_seq(struct mpj_program *p, const struct mpj_layout *layout, int slot)
{
  size_t most = (size_t)layout->u.seq.npieces;
  struct mpj_program_piece *pieces = mpj_alloc_array(most, sizeof *pieces);
  if (!pieces) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a copy program of %zu pieces", most);
  MPJ_Count n = 0;
  int status = append_pieces(pieces, layout, slot, &n);
  if (status || n == 1) {
    set_dense(p, pieces[0].basic);
    mpj_free(pieces);
    return status;
  }
  p->kind = MPJ_PROGRAM_SEQ;
  p->u.seq.npieces = n;
  p->u.seq.pieces = pieces;
  p->u.seq.dense = all_dense(pieces, n);
  p->basic = common_basic(pieces, n);
  return MPJ_SUCCESS;
}

static int compile(struct mpj_program *p, const struct mpj_layout *layout, int slot)
{
  switch (layout->kind) {
  case MPJ_LAYOUT_RUN:
    set_dense(p, slot == MPJ_ATTACH_TYPED_PROGRAM ? layout->u.run.basic : -1);
    return MPJ_SUCCESS;
  case MPJ_LAYOUT_LOOP:
    return compile_loop(p, layout, slot);
  case MPJ_LAYOUT_INDEX:
    return compile_index(p, layout, slot);
  case MPJ_LAYOUT_SEQ:
    return compile_seq(p, layout, slot);
  case MPJ_LAYOUT_EMPTY:
    break;
  }
  set_dense(p, -1);
  return MPJ_SUCCESS;
}

/* Dense runs; never more than bytes, so nothing overflows. */
static MPJ_Count count_runs(const struct mpj_program *p)
{
  MPJ_Count runs = 0;
  switch (p->kind) {
  case MPJ_PROGRAM_LOOP:
    return p->u.loop.count * p->u.loop.child->runs;
  case MPJ_PROGRAM_INDEX:
    if (p->u.index.dense) return p->u.index.nblocks;
    return p->bytes / p->u.index.child->bytes * p->u.index.child->runs;
  case MPJ_PROGRAM_SEQ:
    for (MPJ_Count i = 0; i < p->u.seq.npieces; i++)
      runs += p->u.seq.pieces[i].program ? p->u.seq.pieces[i].program->runs : 1;
    return runs;
  case MPJ_PROGRAM_DENSE:
    break;
  }
  return p->bytes > 0;
}

static void set_plain(struct mpj_program *p)
{
  p->plain = true;
  if (p->kind == MPJ_PROGRAM_DENSE)
    p->block = p->bytes;
  else if (p->kind == MPJ_PROGRAM_LOOP && p->u.loop.child->kind == MPJ_PROGRAM_DENSE)
    p->block = p->u.loop.child->bytes;
  else if (p->kind == MPJ_PROGRAM_INDEX && p->u.index.flat)
    p->block = p->u.index.unit;
  else
    p->plain = false;
  if (p->plain && p->block > 0) p->block_class = (unsigned char)mpj_block_class(p->block);
}

int mpj_program_compiled(const struct mpj_layout *layout, int slot,
                         const struct mpj_program **program)
{
  struct mpj_program *made = mpj_alloc_array(1, sizeof *made);
  if (!made) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a copy program");
  made->attachment.destroy = destroy;
  made->bytes = layout->signature.bytes;
  made->basic = -1;
  int status = compile(made, layout, slot);
  if (status) {
    destroy(&made->attachment);
    return status;
  }
  made->runs = count_runs(made);
  set_plain(made);
  assert(mpj_program_check(made));
  /* The layout is immutable but for its attachments. */
  *program = (const struct mpj_program *)mpj_layout_attach((struct mpj_layout *)layout, slot,
                                                           &made->attachment);
  return MPJ_SUCCESS;
}

MPJ_Count mpj_program_find_piece(const struct mpj_program *p, MPJ_Count byte)
{
  MPJ_Count low = 0, high = p->u.seq.npieces;
  while (high - low > 1) {
    MPJ_Count middle = low + (high - low) / 2;
    if (p->u.seq.pieces[middle].start <= byte)
      low = middle;
    else
      high = middle;
  }
  return low;
}

MPJ_Count mpj_program_find_block(const struct mpj_program *p, MPJ_Count byte)
{
  MPJ_Count low = 0, high = p->u.index.nblocks;
  while (high - low > 1) {
    MPJ_Count middle = low + (high - low) / 2;
    if (p->u.index.blocks[middle].start <= byte)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static bool check_loop(const struct mpj_program *p)
{
  const struct mpj_program *child = p->u.loop.child;
  bool dense = child->kind == MPJ_PROGRAM_DENSE && p->u.loop.stride == child->bytes;
  return p->u.loop.count >= 2 && p->bytes == p->u.loop.count * child->bytes && !dense &&
         !mpj_program_continues(child, p->u.loop.stride);
}

static bool check_index(const struct mpj_program *p)
{
  MPJ_Count copies = mpj_layout_index_copies(p->u.index.layout);
  if (p->u.index.flat && p->u.index.nflat * p->u.index.unit != p->bytes) return false;
  const struct mpj_program_block *blocks = p->u.index.blocks;
  for (MPJ_Count i = 0; blocks && i < p->u.index.nblocks; i++) {
    MPJ_Count end = i + 1 < p->u.index.nblocks ? blocks[i + 1].start : p->bytes;
    if (blocks[i].bytes < 1 || blocks[i].start + blocks[i].bytes != end) return false;
  }
  return p->u.index.nblocks >= 2 && p->bytes == copies * p->u.index.child->bytes;
}

static bool check_seq(const struct mpj_program *p)
{
  if (p->u.seq.npieces < 2) return false;
  for (MPJ_Count i = 0; i < p->u.seq.npieces; i++) {
    const struct mpj_program_piece *piece = &p->u.seq.pieces[i];
    MPJ_Count bytes = mpj_program_piece_bytes(p, i);
    if (bytes < 1) return false;
    if (piece->program && piece->program->bytes != bytes) return false;
    if (!i || piece->program || piece[-1].program || piece->basic != piece[-1].basic) continue;
    if (piece->displ - piece[-1].displ == piece->start - piece[-1].start) return false;
  }
  return true;
}

bool mpj_program_check(const struct mpj_program *p)
{
  switch (p->kind) {
  case MPJ_PROGRAM_LOOP:
    return check_loop(p);
  case MPJ_PROGRAM_INDEX:
    return check_index(p);
  case MPJ_PROGRAM_SEQ:
    return check_seq(p);
  case MPJ_PROGRAM_DENSE:
    break;
  }
  return p->bytes >= 0;
}
