/* This file compiles layouts to copy programs. */
#include "pack/compile_seq.h"
#include "pack/program.h"

#include <assert.h>

#include "base/memory.h"
#include "base/status.h"

static void destroy(struct mpj_attachment *self)
{
  struct mpj_program *p = (struct mpj_program *)self;
  if (p->kind == MPJ_PROGRAM_SEQ) {
    mpj_free(p->u.seq.pieces);
    mpj_free(p->u.seq.shapes);
  }
  if (p->kind == MPJ_PROGRAM_INDEX) mpj_free(p->u.index.flat);
  mpj_free(p);
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

static int compile(struct mpj_program *p, const struct mpj_layout *layout, int slot)
{
  switch (layout->kind) {
  case MPJ_LAYOUT_RUN:
    mpj_program_set_dense(p, slot == MPJ_ATTACH_TYPED_PROGRAM ? layout->u.run.basic : -1);
    return MPJ_SUCCESS;
  case MPJ_LAYOUT_LOOP:
    return compile_loop(p, layout, slot);
  case MPJ_LAYOUT_INDEX:
    return compile_index(p, layout, slot);
  case MPJ_LAYOUT_SEQ:
    return mpj_program_compile_seq(p, layout, slot);
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
  assert(mpj_program_check(made));
  /* The layout is immutable but for its attachments. */
  *program = (const struct mpj_program *)mpj_layout_attach((struct mpj_layout *)layout, slot,
                                                           &made->attachment);
  return MPJ_SUCCESS;
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
  return p->u.index.nblocks >= 2 && p->bytes == copies * p->u.index.child->bytes;
}

static bool check_listed(const struct mpj_program *p)
{
  for (MPJ_Count i = 0; i < p->u.seq.npieces; i++) {
    const struct mpj_program_piece *piece = &p->u.seq.pieces[i];
    MPJ_Count bytes = mpj_program_listed_bytes(p, i);
    if (bytes < 1) return false;
    if (piece->program && piece->program->bytes != bytes) return false;
    if (!i || piece->program || piece[-1].program || piece->basic != piece[-1].basic) continue;
    if (piece->displ - piece[-1].displ == piece->start - piece[-1].start) return false;
  }
  return true;
}

static bool check_seq(const struct mpj_program *p)
{
  MPJ_Count nshapes;
  if (p->u.seq.npieces < 2) return false;
  if (p->u.seq.pieces) return check_listed(p);
  return mpj_layout_seq_shapes(p->u.seq.layout, &nshapes) && nshapes == p->u.seq.nshapes &&
         p->u.seq.npieces == p->u.seq.layout->u.seq.npieces;
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
