/* This file walks copy programs with an explicit stack. */
#include "pack/program/walk.h"

#include <assert.h>

#include "pack/run/address.h"

static void push(struct mpj_walk *w, struct mpj_level level)
{
  assert(w->top + 1 < MPJ_WALK_LEVELS);
  w->levels[++w->top] = level;
}

static void push_copies(struct mpj_walk *w, const struct mpj_program *child, MPJ_Count count,
                        MPJ_Aint stride, char *origin, MPJ_Count next)
{
  push(w, (struct mpj_level){MPJ_LEVEL_COPIES, child, origin, next, count, stride});
}

/* Enter a program that is not DENSE at its item `next`: copy, block or piece. */
static void push_program(struct mpj_walk *w, const struct mpj_program *p, char *origin,
                         MPJ_Count next)
{
  if (p->kind == MPJ_PROGRAM_LOOP)
    push_copies(w, p->u.loop.child, p->u.loop.count, p->u.loop.stride, origin, next);
  else if (p->kind == MPJ_PROGRAM_INDEX)
    push(w, (struct mpj_level){MPJ_LEVEL_BLOCKS, p, origin, next, p->u.index.nblocks, 0});
  else
    push(w, (struct mpj_level){MPJ_LEVEL_PIECES, p, origin, next, p->u.seq.npieces, 0});
}

static void set_span(struct mpj_walk *w, char *at, MPJ_Count block, MPJ_Count count,
                     MPJ_Aint stride, int basic)
{
  w->span = (struct mpj_span){at, block, count, stride, 0, basic};
}

/* The steps take one level's next item: they set the span and return true, or
 * push a level and return false. */
static bool step_copies(struct mpj_walk *w, struct mpj_level *l)
{
  char *at = mpj_at(l->origin, l->next * l->stride);
  if (l->program->kind == MPJ_PROGRAM_DENSE) {
    set_span(w, at, l->program->bytes, l->count - l->next, l->stride, l->program->basic);
    l->next = l->count;
    return true;
  }
  l->next++;
  push_program(w, l->program, at, 0);
  return false;
}

static bool step_blocks(struct mpj_walk *w, struct mpj_level *l)
{
  const struct mpj_program *p = l->program, *child = p->u.index.child;
  MPJ_Aint displ;
  MPJ_Count copies;
  mpj_layout_index_block(p->u.index.layout, l->next++, &displ, &copies, NULL);
  char *at = mpj_at(l->origin, displ);
  if (p->u.index.dense)
    set_span(w, at, copies * child->bytes, 1, 0, child->basic);
  else if (child->kind == MPJ_PROGRAM_DENSE)
    set_span(w, at, child->bytes, copies, p->u.index.stride, child->basic);
  else
    push_copies(w, child, copies, p->u.index.stride, at, 0);
  return child->kind == MPJ_PROGRAM_DENSE;
}

static bool step_pieces(struct mpj_walk *w, struct mpj_level *l)
{
  MPJ_Count i = l->next++;
  const struct mpj_program_item item = mpj_program_item(l->program, i);
  char *at = mpj_at(l->origin, item.displ);
  if (item.program)
    push_program(w, item.program, at, 0);
  else
    set_span(w, at, item.bytes, 1, 0, item.basic);
  return !item.program;
}

static bool step(struct mpj_walk *w, struct mpj_level *l)
{
  switch (l->kind) {
  case MPJ_LEVEL_COPIES:
    return step_copies(w, l);
  case MPJ_LEVEL_BLOCKS:
    return step_blocks(w, l);
  case MPJ_LEVEL_PIECES:
    break;
  }
  return step_pieces(w, l);
}

void mpj_walk_next(struct mpj_walk *w)
{
  for (;;) {
    struct mpj_level *l = &w->levels[w->top];
    if (l->next == l->count)
      w->top--;
    else if (step(w, l))
      return;
  }
}

static void seek_program(struct mpj_walk *w, const struct mpj_program *p, char *origin,
                         MPJ_Count offset);

/* Enter copies at byte `offset` of their stream. */
static void seek_copies(struct mpj_walk *w, const struct mpj_program *child, MPJ_Count count,
                        MPJ_Aint stride, char *origin, MPJ_Count offset)
{
  MPJ_Count i = offset / child->bytes, inside = offset % child->bytes;
  push_copies(w, child, count, stride, origin, i);
  if (inside == 0) return;
  if (child->kind == MPJ_PROGRAM_DENSE) {
    mpj_walk_next(w);
    mpj_span_consume(&w->span, inside);
    return;
  }
  w->levels[w->top].next++;
  seek_program(w, child, mpj_at(origin, i * stride), inside);
}

static void seek_index(struct mpj_walk *w, const struct mpj_program *p, char *origin,
                       MPJ_Count offset)
{
  const struct mpj_program *child = p->u.index.child;
  MPJ_Count block = mpj_layout_index_find(p->u.index.layout, offset / child->bytes);
  MPJ_Aint displ;
  MPJ_Count copies, start;
  mpj_layout_index_block(p->u.index.layout, block, &displ, &copies, &start);
  MPJ_Count inside = offset - start * child->bytes;
  push_program(w, p, origin, block);
  if (inside == 0) return;
  if (child->kind == MPJ_PROGRAM_DENSE) {
    mpj_walk_next(w);
    mpj_span_consume(&w->span, inside);
    return;
  }
  w->levels[w->top].next++;
  seek_copies(w, child, copies, p->u.index.stride, mpj_at(origin, displ), inside);
}

static void seek_seq(struct mpj_walk *w, const struct mpj_program *p, char *origin,
                     MPJ_Count offset)
{
  MPJ_Count start, i = mpj_program_find_piece(p, offset, &start), inside = offset - start;
  const struct mpj_program_item item = mpj_program_item(p, i);
  push_program(w, p, origin, i);
  if (inside == 0) return;
  if (!item.program) {
    mpj_walk_next(w);
    mpj_span_consume(&w->span, inside);
    return;
  }
  w->levels[w->top].next++;
  seek_program(w, item.program, mpj_at(origin, item.displ), inside);
}

/* Enter a program that is not DENSE inside, at byte `offset` > 0. */
static void seek_program(struct mpj_walk *w, const struct mpj_program *p, char *origin,
                         MPJ_Count offset)
{
  if (p->kind == MPJ_PROGRAM_LOOP)
    seek_copies(w, p->u.loop.child, p->u.loop.count, p->u.loop.stride, origin, offset);
  else if (p->kind == MPJ_PROGRAM_INDEX)
    seek_index(w, p, origin, offset);
  else
    seek_seq(w, p, origin, offset);
}

void mpj_walk_begin(struct mpj_walk *w, const struct mpj_program *program, MPJ_Count count,
                    MPJ_Aint stride, char *origin, MPJ_Count offset)
{
  w->top = -1;
  w->span.count = 0;
  seek_copies(w, program, count, stride, origin, offset);
}
