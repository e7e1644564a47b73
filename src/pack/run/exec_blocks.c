/* This file executes whole copy programs: the kernels, nest by nest. */
#include "pack/run/exec_blocks.h"

#include "base/least.h"
#include "pack/run/address.h"
#include "pack/run/columns.h"
#include "pack/run/exec_run.h"

enum {
  SMALL = 1024,      /* bytes of a program that is worth running piece by piece */
  FEW = 8,           /* an inner loop this short is worth running outermost */
  TILE_COPIES = 128, /* copies of a short nest that are moved piece by piece: at most, */
  TILE_LEAST = 8,    /* at least, */
  TILE_BYTES = 8192, /* and otherwise so many that they span this much of mem */
  NESTED = 64        /* blocks or pieces decoded at a time where each is a nest of its own */
};

static void move_strided(const struct mpj_exec *x, MPJ_Count block, char *mem, MPJ_Aint stride,
                         char *other, MPJ_Aint step, MPJ_Count n)
{
  if (n == 1)
    x->moves->dense(mem, other, block);
  else if (stride == block && step == block)
    x->moves->dense(mem, other, n * block);
  else
    mpj_exec_strided(x, block, mem, stride, other, step, n);
}

/* Blocks [first, first + n) of an INDEX, at most a frame, that are dense, to or from the
 * stream. Not inlined, to keep its arrays off the stack of the recursion. */
static __attribute__((noinline)) void move_dense_frame(const struct mpj_exec *x,
                                                       const struct mpj_program *p, char *mem,
                                                       char *other, MPJ_Count first, MPJ_Count n)
{
  const MPJ_Count unit = p->u.index.child->bytes;
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count copies[MPJ_LAYOUT_FRAME], start;
  mpj_layout_index_blocks(p->u.index.layout, first, n, displs, copies, &start);
  x->moves->varied(mem, displs, copies, unit, mpj_at(other, start * unit), n);
}

/* Blocks [first, first + n) of any INDEX, n at most NESTED. */
static __attribute__((noinline)) void move_frame(const struct mpj_exec *x,
                                                 const struct mpj_program *p, char *mem,
                                                 char *other, MPJ_Count first, MPJ_Count n)
{
  const struct mpj_program *child = p->u.index.child;
  MPJ_Aint displs[NESTED];
  MPJ_Count copies[NESTED], start;
  mpj_layout_index_blocks(p->u.index.layout, first, n, displs, copies, &start);
  if (!x->same_layout) other = mpj_at(other, start * child->bytes);
  for (MPJ_Count i = 0; i < n; i++) {
    mpj_exec_copies(x, child, p->u.index.stride, mpj_at(mem, displs[i]),
                    x->same_layout ? mpj_at(other, displs[i]) : other, copies[i]);
    if (!x->same_layout) other = mpj_at(other, copies[i] * child->bytes);
  }
}

/* The same of decoded ones. */
static void move_few_blocks(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                            char *other, MPJ_Count first, MPJ_Count end)
{
  const struct mpj_program *child = p->u.index.child;
  for (; first < end; first++) {
    const struct mpj_program_block *b = &p->u.index.blocks[first];
    const MPJ_Count bytes = mpj_program_block_bytes(p, first);
    char *from = mpj_at(mem, b->displ),
         *to = mpj_at(other, x->same_layout ? b->displ : (MPJ_Aint)b->start);
    if (p->u.index.dense)
      x->moves->dense(from, to, bytes);
    else
      mpj_exec_copies(x, child, p->u.index.stride, from, to, bytes / child->bytes);
  }
}

void mpj_exec_blocks(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                     MPJ_Count first, MPJ_Count end)
{
  if (p->u.index.blocks) {
    move_few_blocks(x, p, mem, other, first, end);
    return;
  }
  const bool dense = p->u.index.dense && !x->same_layout;
  const MPJ_Count most = dense ? MPJ_LAYOUT_FRAME : NESTED;
  for (; first < end; first += most) {
    const MPJ_Count n = mpj_least(most, end - first);
    if (dense)
      move_dense_frame(x, p, mem, other, first, n);
    else
      move_frame(x, p, mem, other, first, n);
  }
}

static void move_index(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other)
{
  const MPJ_Count unit = p->u.index.unit, n = p->u.index.nunits;
  const int32_t *flat = x->same_layout ? NULL : mpj_program_flat(p);
  if (flat)
    x->moves->indexed[mpj_block_class(unit)](mem, flat, other, unit, n, mpj_blocks_far(unit, n));
  else if (mpj_exec_by_units(x, p))
    mpj_exec_units(x, p, mem, other, 0, p->bytes);
  else
    mpj_exec_blocks(x, p, mem, other, 0, p->u.index.nblocks);
}

/* Pieces [first, first + n) of a SEQ, at most a frame, that are not listed and dense;
 * `other` is that of the first. Returns how far it goes. */
static __attribute__((noinline)) MPJ_Count move_dense_pieces(const struct mpj_exec *x,
                                                             const struct mpj_program *p, char *mem,
                                                             char *other, MPJ_Count first,
                                                             MPJ_Count n)
{
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count blocks[MPJ_LAYOUT_FRAME], bytes = 0;
  const struct mpj_program *programs[MPJ_LAYOUT_FRAME];
  mpj_program_frame(p, first, n, programs, displs);
  MPJ_Count m = 0; /* blocks: pieces that adjoin are one */
  MPJ_Aint end = 0;
  for (MPJ_Count i = 0; i < n; i++) {
    const MPJ_Count block = programs[i]->bytes;
    const bool anew = m == 0 || displs[i] != end;
    end = displs[i] + block;
    bytes += block;
    displs[m] = anew ? displs[i] : displs[m];
    m += anew;
    blocks[m - 1] = anew ? block : blocks[m - 1] + block;
  }
  x->moves->varied(mem, displs, blocks, 1, other, m);
  return bytes;
}

/* The same of any, n at most NESTED; `other` is that of the whole for twins. */
static __attribute__((noinline)) MPJ_Count move_pieces(const struct mpj_exec *x,
                                                       const struct mpj_program *p, char *mem,
                                                       char *other, MPJ_Count first, MPJ_Count n)
{
  MPJ_Aint displs[NESTED];
  MPJ_Count bytes = 0;
  const struct mpj_program *programs[NESTED];
  mpj_program_frame(p, first, n, programs, displs);
  for (MPJ_Count i = 0; i < n; i++) {
    char *to = mpj_at(other, x->same_layout ? displs[i] : bytes);
    mpj_exec_program(x, programs[i], mpj_at(mem, displs[i]), to);
    bytes += programs[i]->bytes;
  }
  return bytes;
}

void mpj_exec_frames(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                     MPJ_Count start, MPJ_Count first, MPJ_Count end)
{
  const bool dense = p->u.seq.dense && !x->same_layout;
  const MPJ_Count most = dense ? MPJ_LAYOUT_FRAME : NESTED;
  for (; first < end; first += most) {
    const MPJ_Count n = mpj_least(most, end - first);
    char *to = mpj_at(other, x->same_layout ? 0 : start);
    start +=
        dense ? move_dense_pieces(x, p, mem, to, first, n) : move_pieces(x, p, mem, to, first, n);
  }
}

/* Listed piece i. */
static void move_piece(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other, MPJ_Count i)
{
  const struct mpj_program_piece *piece = &p->u.seq.pieces[i];
  mem = mpj_at(mem, piece->displ);
  other = mpj_at(other, x->same_layout ? (MPJ_Aint)piece->displ : (MPJ_Aint)piece->start);
  const struct mpj_program *program = mpj_piece_program(piece);
  if (program)
    mpj_exec_program(x, program, mem, other);
  else
    x->moves->dense(mem, other, mpj_program_listed_bytes(p, i));
}

static void move_seq(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other)
{
  if (!p->u.seq.pieces) {
    mpj_exec_frames(x, p, mem, other, 0, 0, p->u.seq.npieces);
    return;
  }
  for (MPJ_Count i = 0; i < p->u.seq.npieces; i++)
    move_piece(x, p, mem, other, i);
}

void mpj_exec_program(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other)
{
  switch (p->kind) {
  case MPJ_PROGRAM_DENSE:
    x->moves->dense(mem, other, p->bytes);
    break;
  case MPJ_PROGRAM_LOOP:
    mpj_exec_copies(x, p->u.loop.child, p->u.loop.stride, mem, other, p->u.loop.count);
    break;
  case MPJ_PROGRAM_INDEX:
    move_index(x, p, mem, other);
    break;
  case MPJ_PROGRAM_SEQ:
    move_seq(x, p, mem, other);
    break;
  }
}

/* How many copies to move piece by piece before going on to the next ones. */
static MPJ_Count tile_copies(MPJ_Aint stride)
{
  const MPJ_Aint far = TILE_BYTES / TILE_LEAST;
  if (stride >= far || stride <= -far) return TILE_LEAST;
  MPJ_Aint distance = stride < 0 ? -stride : stride;
  return distance <= TILE_BYTES / TILE_COPIES ? TILE_COPIES : TILE_BYTES / distance;
}

/* n copies of a sequence of dense pieces: each piece of all copies in a tile is
 * one strided kernel. */
static void move_pieces_outermost(const struct mpj_exec *x, const struct mpj_program *child,
                                  MPJ_Aint stride, char *mem, char *other, MPJ_Count n)
{
  MPJ_Aint step = mpj_exec_step(x, child, stride);
  MPJ_Count tile = tile_copies(stride);
  for (MPJ_Count first = 0; first < n; first += tile) {
    for (MPJ_Count i = 0; i < child->u.seq.npieces; i++) {
      MPJ_Aint displ = child->u.seq.pieces[i].displ;
      MPJ_Aint place = x->same_layout ? displ : child->u.seq.pieces[i].start;
      move_strided(x, mpj_program_listed_bytes(child, i), mpj_at(mem, first * stride + displ),
                   stride, mpj_at(other, first * step + place), step, mpj_least(tile, n - first));
    }
  }
}

/* The same where the child is a short loop over a dense block. */
static void move_loop_outermost(const struct mpj_exec *x, const struct mpj_program *child,
                                MPJ_Aint stride, char *mem, char *other, MPJ_Count n)
{
  MPJ_Count block = child->u.loop.child->bytes;
  MPJ_Aint inner_stride = child->u.loop.stride;
  MPJ_Aint step = mpj_exec_step(x, child, stride);
  MPJ_Aint inner_step = mpj_exec_step(x, child->u.loop.child, inner_stride);
  MPJ_Count tile = tile_copies(stride);
  for (MPJ_Count first = 0; first < n; first += tile) {
    for (MPJ_Count i = 0; i < child->u.loop.count; i++)
      move_strided(x, block, mpj_at(mem, first * stride + i * inner_stride), stride,
                   mpj_at(other, first * step + i * inner_step), step, mpj_least(tile, n - first));
  }
}

/* Whether so small a program of dense pieces is better run piece by piece. */
static bool is_small_seq(const struct mpj_program *p)
{
  return p->kind == MPJ_PROGRAM_SEQ && p->u.seq.pieces && p->u.seq.dense && p->bytes <= SMALL;
}

static bool is_small_loop(const struct mpj_program *p)
{
  return p->kind == MPJ_PROGRAM_LOOP && p->u.loop.count <= FEW && p->bytes <= SMALL &&
         p->u.loop.child->kind == MPJ_PROGRAM_DENSE;
}

void mpj_exec_copies(const struct mpj_exec *x, const struct mpj_program *child, MPJ_Aint stride,
                     char *mem, char *other, MPJ_Count n)
{
  MPJ_Aint step = mpj_exec_step(x, child, stride);
  if (child->kind == MPJ_PROGRAM_DENSE) {
    move_strided(x, child->bytes, mem, stride, other, step, n);
  } else if (mpj_columns_are(x, child, stride) &&
             mpj_columns_move(x, child, mem, other, n, 0, n * child->bytes)) {
    return;
  } else if (n > FEW && is_small_seq(child)) {
    move_pieces_outermost(x, child, stride, mem, other, n);
  } else if (n > FEW && is_small_loop(child)) {
    move_loop_outermost(x, child, stride, mem, other, n);
  } else {
    for (MPJ_Count i = 0; i < n; i++)
      mpj_exec_program(x, child, mpj_at(mem, i * stride), mpj_at(other, i * step));
  }
}
