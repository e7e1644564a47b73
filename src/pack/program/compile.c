/* This file compiles layouts to copy programs. */
#include "pack/program/compile.h"
#include "pack/program/compile_seq.h"
#include "pack/program/program.h"

#include <assert.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/status.h"
#include "pack/kernels/kernels.h"
#include "types/layout/footprint.h"
#include "types/layout/layout_make.h"

static void destroy(struct mpj_attachment *self)
{
  struct mpj_program *p = (struct mpj_program *)self;
  if (p->kind == MPJ_PROGRAM_SEQ) {
    mpj_free(p->u.seq.pieces);
    mpj_free(p->u.seq.shapes);
  }
  if (p->kind == MPJ_PROGRAM_INDEX) {
    mpj_program_unlist(p);
    mpj_free(p->u.index.blocks);
  }
  if (!p->in_room) mpj_free(p);
}

static void measure(const struct mpj_attachment *self, struct mpj_footprint *f)
{
  const struct mpj_program *p = (const struct mpj_program *)self;
  if (!p->in_room) mpj_footprint_add(f, p);
  if (p->kind == MPJ_PROGRAM_SEQ) {
    mpj_footprint_add(f, p->u.seq.pieces);
    mpj_footprint_add(f, p->u.seq.shapes);
  }
  if (p->kind == MPJ_PROGRAM_INDEX) {
    mpj_footprint_add(f, mpj_program_flat(p));
    mpj_footprint_add(f, p->u.index.blocks);
  }
}

/* A loop, as a dense block or merged with the loop inside it where it can be. */
static void set_loop(struct mpj_program *p, const struct mpj_program *child, MPJ_Count count,
                     MPJ_Aint stride)
{
  if (child->kind == MPJ_PROGRAM_DENSE && stride == child->bytes) {
    mpj_program_set_dense(p, child->basic);
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

/* What is compiled together. */
struct compiling {
  int slot;
  size_t left; /* bytes that its lists may still take */
};

static int compile_in(struct compiling *c, const struct mpj_layout *layout,
                      const struct mpj_program **program);

static int compile_loop(struct mpj_program *p, const struct mpj_layout *layout, struct compiling *c)
{
  const struct mpj_program *child;
  int status = compile_in(c, layout->u.loop.child, &child);
  if (status) return status;
  set_loop(p, child, layout->u.loop.count, layout->u.loop.stride);
  return MPJ_SUCCESS;
}

static int compile_index(struct mpj_program *p, const struct mpj_layout *layout,
                         struct compiling *c)
{
  const struct mpj_program *child;
  int status = compile_in(c, layout->u.index.child, &child);
  if (status) return status;
  p->kind = MPJ_PROGRAM_INDEX;
  p->u.index.child = child;
  p->u.index.layout = layout;
  p->u.index.nblocks = layout->u.index.nblocks;
  p->u.index.stride = layout->u.index.stride;
  p->u.index.dense = child->kind == MPJ_PROGRAM_DENSE &&
                     (layout->u.index.uniform == 1 || layout->u.index.stride == child->bytes);
  p->basic = child->basic;
  mpj_program_flatten(p, &c->left);
  return MPJ_SUCCESS;
}

/* programs[i] := that of the layout's shape i, or of piece i where it has no shapes, i < n. */
static int compile_inside(const struct mpj_layout *layout, struct compiling *c, MPJ_Count n,
                          const struct mpj_program *programs[])
{
  MPJ_Count nshapes;
  struct mpj_layout *const *shapes = mpj_layout_seq_shapes(layout, &nshapes);
  int status = MPJ_SUCCESS;
  for (MPJ_Count i = 0; i < n && !status; i++) {
    struct mpj_piece piece;
    if (!shapes) mpj_layout_seq_piece(layout, i, &piece, NULL);
    status = compile_in(c, shapes ? shapes[i] : piece.layout, &programs[i]);
  }
  return status;
}

static int compile_seq(struct mpj_program *p, const struct mpj_layout *layout, struct compiling *c)
{
  MPJ_Count n;
  if (!mpj_layout_seq_shapes(layout, &n)) n = layout->u.seq.npieces;
  const struct mpj_program **programs = mpj_alloc_array((size_t)n, sizeof *programs);
  if (!programs)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for the programs of %lld pieces", (long long)n);
  int status = compile_inside(layout, c, n, programs);
  if (!status) return mpj_program_compile_seq(p, layout, programs, n, &c->left);
  mpj_free(programs);
  return status;
}

static int compile(struct mpj_program *p, const struct mpj_layout *layout, struct compiling *c)
{
  switch (layout->kind) {
  case MPJ_LAYOUT_RUN:
    mpj_program_set_dense(p, p->typed ? layout->u.run.basic : -1);
    return MPJ_SUCCESS;
  case MPJ_LAYOUT_LOOP:
    return compile_loop(p, layout, c);
  case MPJ_LAYOUT_INDEX:
    return compile_index(p, layout, c);
  case MPJ_LAYOUT_SEQ:
    return compile_seq(p, layout, c);
  case MPJ_LAYOUT_EMPTY:
    break;
  }
  mpj_program_set_dense(p, -1);
  return MPJ_SUCCESS;
}

/* Dense runs; never more than bytes, so nothing overflows. */
static MPJ_Count count_runs(const struct mpj_program *p)
{
  switch (p->kind) {
  case MPJ_PROGRAM_LOOP:
    return p->u.loop.count * p->u.loop.child->runs;
  case MPJ_PROGRAM_INDEX:
    if (p->u.index.dense) return p->u.index.nblocks;
    return p->bytes / p->u.index.child->bytes * p->u.index.child->runs;
  case MPJ_PROGRAM_SEQ:
    return mpj_program_seq_runs(p);
  case MPJ_PROGRAM_DENSE:
    break;
  }
  return p->bytes > 0;
}

static void set_plain(struct mpj_program *p)
{
  p->plain = p->kind == MPJ_PROGRAM_DENSE ||
             (p->kind == MPJ_PROGRAM_LOOP && p->u.loop.child->kind == MPJ_PROGRAM_DENSE) ||
             (p->kind == MPJ_PROGRAM_INDEX && mpj_program_flat(p));
  if (p->plain && p->bytes > 0)
    p->block_class = (unsigned char)mpj_block_class(mpj_program_block(p));
}

#define HEAD offsetof(struct mpj_program, u)
static_assert(HEAD == MPJ_LAYOUT_ROOM_RUN, "the program of a run fits its room");
static_assert(sizeof(struct mpj_program) <= MPJ_LAYOUT_ROOM_INDEX, "that of an index does");
static_assert(HEAD + sizeof(((struct mpj_program *)0)->u.loop) <= MPJ_LAYOUT_ROOM_LOOP, "a loop's");
static_assert(HEAD + sizeof(((struct mpj_program *)0)->u.seq) <= MPJ_LAYOUT_ROOM_SEQ,
              "a sequence's");

/* A zeroed program, as large as a layout of this kind can need, or NULL. It lies in
 * the layout's room if that is free, and not the typed form is wanted. */
static struct mpj_program *new_program(struct mpj_layout *layout, int slot)
{
  const size_t bytes = mpj_layout_room_bytes(layout->kind);
  struct mpj_program *p = slot == MPJ_ATTACH_PROGRAM ? mpj_layout_room(layout) : NULL;
  const bool in_room = p != NULL;
  if (!p) p = mpj_alloc(bytes);
  if (!p) return NULL;
  mpj_zero(p, HEAD);
  if (bytes == MPJ_LAYOUT_ROOM_LOOP) mpj_zero(&p->u, MPJ_LAYOUT_ROOM_LOOP - HEAD);
  if (bytes == MPJ_LAYOUT_ROOM_SEQ) mpj_zero(&p->u, MPJ_LAYOUT_ROOM_SEQ - HEAD);
  if (bytes == MPJ_LAYOUT_ROOM_INDEX) mpj_zero(&p->u, MPJ_LAYOUT_ROOM_INDEX - HEAD);
  p->in_room = in_room;
  return p;
}

static int compile_anew(struct compiling *c, const struct mpj_layout *layout,
                        const struct mpj_program **program)
{
  struct mpj_program *made = new_program((struct mpj_layout *)layout, c->slot);
  if (!made) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a copy program");
  made->attachment = (struct mpj_attachment){destroy, measure};
  made->bytes = layout->signature.bytes;
  made->basic = -1;
  made->typed = c->slot == MPJ_ATTACH_TYPED_PROGRAM;
  int status = compile(made, layout, c);
  if (status) {
    destroy(&made->attachment);
    return status;
  }
  made->runs = count_runs(made);
  set_plain(made);
  const bool owns =
      !made->in_room || made->kind == MPJ_PROGRAM_INDEX || made->kind == MPJ_PROGRAM_SEQ;
  if (!owns) made->attachment.destroy = NULL;
  assert(mpj_program_check(made));
  *program = (const struct mpj_program *)mpj_layout_attach((struct mpj_layout *)layout, c->slot,
                                                           &made->attachment);
  return MPJ_SUCCESS;
}

static int compile_in(struct compiling *c, const struct mpj_layout *layout,
                      const struct mpj_program **program)
{
  *program = (const struct mpj_program *)mpj_layout_attachment(layout, c->slot);
  return *program ? MPJ_SUCCESS : compile_anew(c, layout, program);
}

int mpj_program_compiled(const struct mpj_layout *layout, int slot,
                         const struct mpj_program **program)
{
  return compile_anew(&(struct compiling){slot, MPJ_PROGRAM_FEW_LISTS}, layout, program);
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
  if (p->u.index.nunits > 0 && p->u.index.nunits * p->u.index.unit != p->bytes) return false;
  if (mpj_program_flat(p) && (p->u.index.nunits == 0 || p->u.index.blocks)) return false;
  for (MPJ_Count i = 0; p->u.index.blocks && i < p->u.index.nblocks; i++)
    if (mpj_program_block_bytes(p, i) % p->u.index.child->bytes != 0 ||
        mpj_program_block_bytes(p, i) < 1)
      return false;
  return p->u.index.nblocks >= 2 && p->bytes == copies * p->u.index.child->bytes;
}

static bool check_listed(const struct mpj_program *p)
{
  for (MPJ_Count i = 0; i < p->u.seq.npieces; i++) {
    const struct mpj_program_piece *piece = &p->u.seq.pieces[i];
    MPJ_Count bytes = mpj_program_listed_bytes(p, i);
    if (bytes < 1) return false;
    const struct mpj_program *program = mpj_piece_program(piece);
    if (program && program->bytes != bytes) return false;
    if (!i || program || piece->what != piece[-1].what) continue;
    if ((MPJ_Aint)piece->displ - piece[-1].displ == (MPJ_Aint)piece->start - piece[-1].start)
      return false;
  }
  return true;
}

static bool check_seq(const struct mpj_program *p)
{
  MPJ_Count nshapes;
  if (p->u.seq.npieces < 2) return false;
  if (p->u.seq.pieces) return check_listed(p);
  const bool long_one = mpj_layout_seq_shapes(p->u.seq.layout, &nshapes);
  return p->u.seq.npieces == p->u.seq.layout->u.seq.npieces && !long_one == !p->u.seq.shapes &&
         (!long_one || nshapes == p->u.seq.nshapes);
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
