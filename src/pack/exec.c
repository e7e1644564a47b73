/* This file executes copy programs over ranges of packed bytes.
 *
 * A range is a partial first copy, whole copies, and a partial last one, and so
 * on down the nest: only the partial ones are looked into, the whole ones run
 * the kernels. Below, `mem` and `other` are always the places of packed byte 0
 * of the program at hand, [from, to) is relative to it, and `step` is the
 * distance in `other` between copies that are `stride` apart in mem. */
#include "pack/exec.h"

#include "pack/address.h"
#include "pack/columns.h"

enum {
  SMALL = 1024,      /* bytes of a program that is worth running piece by piece */
  FEW = 8,           /* an inner loop this short is worth running outermost */
  TILE_COPIES = 128, /* copies of a short nest that are moved piece by piece: at most, */
  TILE_LEAST = 8,    /* at least, */
  TILE_BYTES = 8192  /* and otherwise so many that they span this much of mem */
};

static void move_copies(const struct mpj_exec *x, const struct mpj_program *child, MPJ_Aint stride,
                        char *mem, char *other, MPJ_Count n);
static void move_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other, MPJ_Count from, MPJ_Count to);

static MPJ_Aint step_of(const struct mpj_exec *x, const struct mpj_program *child, MPJ_Aint stride)
{
  return x->twin ? stride : child->bytes;
}

/* a / b for a >= 0, b > 0: in 32 bits where that is enough, which many processors
 * divide faster. */
static MPJ_Count quotient(MPJ_Count a, MPJ_Count b)
{
  if (((a | b) >> 32) == 0) return (uint32_t)a / (uint32_t)b;
  return a / b;
}

static MPJ_Count least(MPJ_Count a, MPJ_Count b)
{
  return a < b ? a : b;
}

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

/* Units [first, end) of a flat INDEX. */
static void move_units(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other, MPJ_Count first, MPJ_Count end)
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
    move_copies(x, child, p->u.index.stride, mpj_at(mem, displs[i]),
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
      move_copies(x, child, p->u.index.stride, from, to, b->copies);
  }
}

static void move_blocks(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                        char *other, MPJ_Count first, MPJ_Count end)
{
  if (p->u.index.blocks) {
    move_few_blocks(x, p, mem, other, first, end);
    return;
  }
  for (; first < end; first += MPJ_LAYOUT_FRAME)
    move_frame(x, p, mem, other, first, least(MPJ_LAYOUT_FRAME, end - first));
}

static bool runs_flat(const struct mpj_exec *x, const struct mpj_program *p)
{
  return p->u.index.flat && !x->twin;
}

static void move_index(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other)
{
  if (runs_flat(x, p))
    move_units(x, p, mem, other, 0, p->u.index.nflat);
  else
    move_blocks(x, p, mem, other, 0, p->u.index.nblocks);
}

static void move_piece(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other, MPJ_Count i, MPJ_Count from, MPJ_Count to)
{
  const struct mpj_program_piece *piece = &p->u.seq.pieces[i];
  mem = mpj_at(mem, piece->displ);
  other = mpj_at(other, x->twin ? piece->displ : piece->start);
  if (piece->program)
    move_range(x, piece->program, mem, other, from, to);
  else
    x->moves->dense(mpj_at(mem, from), mpj_at(other, from), to - from);
}

static void move_whole(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other);

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
    move_whole(x, shape, mpj_at(mem, displs[i]), mpj_at(other, x->twin ? displs[i] : bytes));
    bytes += shape->bytes;
  }
  return bytes;
}

/* Pieces [first, end), which begin at packed byte `start`. */
static void move_frames(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                        char *other, MPJ_Count start, MPJ_Count first, MPJ_Count end)
{
  for (; first < end; first += MPJ_LAYOUT_FRAME)
    start += move_pieces(x, p, mem, mpj_at(other, x->twin ? 0 : start), first,
                         least(MPJ_LAYOUT_FRAME, end - first));
}

static void move_seq(const struct mpj_exec *x, const struct mpj_program *p, char *mem, char *other)
{
  if (!p->u.seq.pieces) {
    move_frames(x, p, mem, other, 0, 0, p->u.seq.npieces);
    return;
  }
  for (MPJ_Count i = 0; i < p->u.seq.npieces; i++)
    move_piece(x, p, mem, other, i, 0, mpj_program_listed_bytes(p, i));
}

static void move_whole(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other)
{
  switch (p->kind) {
  case MPJ_PROGRAM_DENSE:
    x->moves->dense(mem, other, p->bytes);
    break;
  case MPJ_PROGRAM_LOOP:
    move_copies(x, p->u.loop.child, p->u.loop.stride, mem, other, p->u.loop.count);
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
  MPJ_Aint step = step_of(x, child, stride);
  MPJ_Count tile = tile_copies(stride);
  for (MPJ_Count first = 0; first < n; first += tile) {
    for (MPJ_Count i = 0; i < child->u.seq.npieces; i++) {
      MPJ_Aint displ = child->u.seq.pieces[i].displ;
      MPJ_Aint place = x->twin ? displ : child->u.seq.pieces[i].start;
      move_strided(x, mpj_program_listed_bytes(child, i), mpj_at(mem, first * stride + displ),
                   stride, mpj_at(other, first * step + place), step, least(tile, n - first));
    }
  }
}

/* The same where the child is a short loop over a dense block. */
static void move_loop_outermost(const struct mpj_exec *x, const struct mpj_program *child,
                                MPJ_Aint stride, char *mem, char *other, MPJ_Count n)
{
  MPJ_Count block = child->u.loop.child->bytes;
  MPJ_Aint inner_stride = child->u.loop.stride;
  MPJ_Aint step = step_of(x, child, stride);
  MPJ_Aint inner_step = step_of(x, child->u.loop.child, inner_stride);
  MPJ_Count tile = tile_copies(stride);
  for (MPJ_Count first = 0; first < n; first += tile) {
    for (MPJ_Count i = 0; i < child->u.loop.count; i++)
      move_strided(x, block, mpj_at(mem, first * stride + i * inner_stride), stride,
                   mpj_at(other, first * step + i * inner_step), step, least(tile, n - first));
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

/* n whole copies. */
static void move_copies(const struct mpj_exec *x, const struct mpj_program *child, MPJ_Aint stride,
                        char *mem, char *other, MPJ_Count n)
{
  MPJ_Aint step = step_of(x, child, stride);
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
      move_whole(x, child, mpj_at(mem, i * stride), mpj_at(other, i * step));
  }
}

/* Copies of a dense block. */
static void move_blocks_range(const struct mpj_exec *x, MPJ_Count block, MPJ_Aint stride, char *mem,
                              char *other, MPJ_Count from, MPJ_Count to)
{
  MPJ_Aint step = x->twin ? stride : block;
  MPJ_Count i = quotient(from, block), inside = from - i * block;
  mem = mpj_at(mem, i * stride);
  other = mpj_at(other, i * step);
  if (inside > 0) {
    MPJ_Count bytes = least(block - inside, to - from);
    x->moves->dense(mpj_at(mem, inside), mpj_at(other, inside), bytes);
    from += bytes;
    mem = mpj_at(mem, stride);
    other = mpj_at(other, step);
  }
  MPJ_Count n = quotient(to - from, block), rest = to - from - n * block;
  if (n > 0) x->moves->strided[mpj_block_class(block)](mem, stride, other, step, block, n);
  if (rest > 0) x->moves->dense(mpj_at(mem, n * stride), mpj_at(other, n * step), rest);
}

static void move_copies_range(const struct mpj_exec *x, const struct mpj_program *child,
                              MPJ_Aint stride, char *mem, char *other, MPJ_Count from, MPJ_Count to)
{
  if (child->kind == MPJ_PROGRAM_DENSE) {
    move_blocks_range(x, child->bytes, stride, mem, other, from, to);
    return;
  }
  MPJ_Aint step = step_of(x, child, stride);
  if (mpj_columns_are(x, child, stride) &&
      mpj_columns_move(x, child, mem, other, to / child->bytes + 1, from, to))
    return;
  MPJ_Count i = from / child->bytes, inside = from % child->bytes;
  if (inside > 0) {
    MPJ_Count end = least(child->bytes, inside + (to - from));
    move_range(x, child, mpj_at(mem, i * stride), mpj_at(other, i * step), inside, end);
    from += end - inside;
    i++;
  }
  MPJ_Count n = (to - from) / child->bytes, rest = (to - from) % child->bytes;
  if (n > 0) move_copies(x, child, stride, mpj_at(mem, i * stride), mpj_at(other, i * step), n);
  i += n;
  if (rest > 0) move_range(x, child, mpj_at(mem, i * stride), mpj_at(other, i * step), 0, rest);
}

static struct mpj_program_block block_of(const struct mpj_program *p, MPJ_Count i)
{
  if (p->u.index.blocks) return p->u.index.blocks[i];
  struct mpj_program_block b;
  mpj_layout_index_block(p->u.index.layout, i, &b.displ, &b.copies, &b.start);
  b.start *= p->u.index.child->bytes;
  b.bytes = b.copies * p->u.index.child->bytes;
  return b;
}

/* What of [from, to) lies in block i of an INDEX. */
static void move_block_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                             char *other, MPJ_Count i, MPJ_Count from, MPJ_Count to)
{
  struct mpj_program_block b = block_of(p, i);
  from = from > b.start ? from - b.start : 0;
  to = least(to - b.start, b.bytes);
  if (from < to)
    move_copies_range(x, p->u.index.child, p->u.index.stride, mpj_at(mem, b.displ),
                      mpj_at(other, x->twin ? b.displ : b.start), from, to);
}

/* Bytes [from, to) of unit i of a flat INDEX. */
static void move_unit_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                            char *other, MPJ_Count i, MPJ_Count from, MPJ_Count to)
{
  x->moves->dense(mpj_at(mem, p->u.index.flat[i] + from), mpj_at(other, i * p->u.index.unit + from),
                  to - from);
}

/* The first and the last unit that the range touches may be partial. */
static void move_flat_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                            char *other, MPJ_Count from, MPJ_Count to)
{
  MPJ_Count unit = p->u.index.unit, first = quotient(from, unit), end = quotient(to, unit);
  MPJ_Count cut = from - first * unit, rest = to - end * unit;
  if (cut > 0) move_unit_range(x, p, mem, other, first, cut, least(unit, cut + to - from));
  first += cut > 0;
  if (end > first) move_units(x, p, mem, other, first, end);
  if (rest > 0 && end >= first) move_unit_range(x, p, mem, other, end, 0, rest);
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
  move_blocks(x, p, mem, other, first + 1, last);
  if (last > first) move_block_range(x, p, mem, other, last, from, to);
}

static void move_listed_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                              char *other, MPJ_Count from, MPJ_Count to)
{
  MPJ_Count start;
  for (MPJ_Count i = mpj_program_find_piece(p, from, &start); i < p->u.seq.npieces; i++) {
    start = p->u.seq.pieces[i].start;
    if (start >= to) break;
    MPJ_Count end = least(to - start, mpj_program_listed_bytes(p, i));
    move_piece(x, p, mem, other, i, from > start ? from - start : 0, end);
  }
}

/* What of [from, to) lies in piece i, which begins at packed byte `start`. */
static void move_item_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                            char *other, MPJ_Count i, MPJ_Count start, MPJ_Count from, MPJ_Count to)
{
  const struct mpj_program_item item = mpj_program_item(p, i);
  from = from > start ? from - start : 0;
  to = least(to - start, item.bytes);
  mem = mpj_at(mem, item.displ);
  other = mpj_at(other, x->twin ? item.displ : start);
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
  move_frames(x, p, mem, other, start, first + 1, last);
  move_item_range(x, p, mem, other, last, last_start, from, to);
}

static void move_range(const struct mpj_exec *x, const struct mpj_program *p, char *mem,
                       char *other, MPJ_Count from, MPJ_Count to)
{
  if (from == 0 && to == p->bytes) {
    move_whole(x, p, mem, other);
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
    if (runs_flat(x, p))
      move_flat_range(x, p, mem, other, from, to);
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
  struct mpj_exec x = {moves, false};
  move_range(&x, program, mem, other, from, to);
}

void mpj_exec_nest(const struct mpj_moves *moves, const struct mpj_program *program, char *mem,
                   char *other)
{
  struct mpj_exec x = {moves, false};
  move_whole(&x, program, mem, other);
}
