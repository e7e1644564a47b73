/* This file executes whole copy programs: the kernels, nest by nest. */
#include "pack/exec_whole.h"

#include "base/least.h"
#include "pack/address.h"
#include "pack/columns.h"

enum {
  SMALL = 1024,      /* bytes of a program that is worth running piece by piece */
  FEW = 8,           /* an inner loop this short is worth running outermost */
  TILE_COPIES = 128, /* copies of a short nest that are moved piece by piece: at most, */
  TILE_LEAST = 8,    /* at least, */
  TILE_BYTES = 8192  /* and otherwise so many that they span this much of mem */
};

static void move_strided(const struct mpj_exec *x, MPJ_Count block, char *mem, MPJ_Aint stride,
                         char *other, MPJ_Aint step, MPJ_Count n)
{
  if (n == 1)
    x->moves->dense(mem, other, block);
  else if (stride == block && step == block)
    x->moves->dense(mem, other, n * block);
  else
    x->moves->strided[mpj_block_class(block)](mem, stride, other, step, block, n);
}

void mpj_exec_units(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                    MPJ_Count first, MPJ_Count end)
{
  MPJ_Count unit = p->u.index.unit;
  x->moves->indexed[mpj_block_class(unit)](mem, p->u.index.flat + first,
                                           mpj_at(other, first * unit), unit, end - first);
}

/* Blocks [first, first + n) of an INDEX. Not inlined, to keep its arrays off the
 * stack of the recursion's other levels. */
static __attribute__((noinline)) void move_frame(const struct mpj_exec *x,
                                                 const struct mpj_program *p, char *mem,
                                                 char *other, MPJ_Count first, MPJ_Count n)
{
  const struct mpj_program *child = p->u.index.child;
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count copies[MPJ_LAYOUT_FRAME], start;
  mpj_layout_index_blocks(p->u.index.layout, first, n, displs, copies, &start);
  if (!x->twin) other = mpj_at(other, start * child->bytes);
  if (p->u.index.dense && !x->twin) {
    x->moves->varied(mem, displs, copies, child->bytes, other, n);
    return;
  }
  for (MPJ_Count i = 0; i < n; i++) {
    mpj_exec_copies(x, child, p->u.index.stride, mpj_at(mem, displs[i]),
                    x->twin ? mpj_at(other, displs[i]) : other, copies[i]);
    if (!x->twin) other = mpj_at(other, copies[i] * child->bytes);
  }
}

/* The same of decoded ones. */
static void move_few_blocks(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                            char *other, MPJ_Count first, MPJ_Count end)
{
  const struct mpj_program *child = p->u.index.child;
  for (; first < end; first++) {
    const struct mpj_program_block *b = &p->u.index.blocks[first];
    char *from = mpj_at(mem, b->displ), *to = mpj_at(other, x->twin ? b->displ : b->start);
    if (p->u.index.dense)
      x->moves->dense(from, to, b->bytes);
    else
      mpj_exec_copies(x, child, p->u.index.stride, from, to, b->copies);
  }
}

void mpj_exec_blocks(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                     MPJ_Count first, MPJ_Count end)
{
  if (p->u.index.blocks) {
    move_few_blocks(x, p, mem, other, first, end);
    return;
  }
  for (; first < end; first += MPJ_LAYOUT_FRAME)
    move_frame(x, p, mem, other, first, mpj_least(MPJ_LAYOUT_FRAME, end - first));
}

static void move_index(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other)
{
  if (mpj_exec_is_flat(x, p))
    mpj_exec_units(x, p, mem, other, 0, p->u.index.nflat);
  else
    mpj_exec_blocks(x, p, mem, other, 0, p->u.index.nblocks);
}

/* Pieces [first, first + n) of a SEQ, at most a frame, that are not listed; `other`
 * is that of the first, or of the whole for twins. Returns how far `other` goes. */
static __attribute__((noinline)) MPJ_Count move_pieces(const struct mpj_exec *x,
                                                       const struct mpj_program *p, char *mem,
                                                       char *other, MPJ_Count first, MPJ_Count n)
{
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count rows[MPJ_LAYOUT_FRAME], bytes = 0;
  const struct mpj_program *const *shapes = p->u.seq.shapes;
  mpj_layout_seq_frame(p->u.seq.layout, first, n, rows, displs);
  if (p->u.seq.dense && !x->twin) {
    for (MPJ_Count i = 0; i < n; i++)
      bytes += rows[i] = shapes[rows[i]]->bytes;
    x->moves->varied(mem, displs, rows, 1, other, n);
    return bytes;
  }
  for (MPJ_Count i = 0; i < n; i++) {
    const struct mpj_program *shape = shapes[rows[i]];
    mpj_exec_program(x, shape, mpj_at(mem, displs[i]), mpj_at(other, x->twin ? displs[i] : bytes));
    bytes += shape->bytes;
  }
  return bytes;
}

void mpj_exec_frames(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other,
                     MPJ_Count start, MPJ_Count first, MPJ_Count end)
{
  for (; first < end; first += MPJ_LAYOUT_FRAME)
    start += move_pieces(x, p, mem, mpj_at(other, x->twin ? 0 : start), first,
                         mpj_least(MPJ_LAYOUT_FRAME, end - first));
}

/* Listed piece i. */
static void move_piece(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other, MPJ_Count i)
{
  const struct mpj_program_piece *piece = &p->u.seq.pieces[i];
  mem = mpj_at(mem, piece->displ);
  other = mpj_at(other, x->twin ? piece->displ : piece->start);
  if (piece->program)
    mpj_exec_program(x, piece->program, mem, other);
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
      MPJ_Aint place = x->twin ? displ : child->u.seq.pieces[i].start;
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
