/* This header declares walks: the dense runs of a program, one batch after
 * another, in stream order and in O(1) amortised each. */
#ifndef MPJ_SRC_PACK_PROGRAM_WALK_H
#define MPJ_SRC_PACK_PROGRAM_WALK_H

#include "pack/program/program.h"
#include "pack/run/address.h"

/* A batch of runs: count blocks of `block` bytes, the first at `at`, stride
 * bytes apart. `within` bytes of the first block are behind the walk already:
 * 0 <= within < block. */
struct mpj_span {
  char *at;
  MPJ_Count block;
  MPJ_Count count;
  MPJ_Aint stride;
  MPJ_Count within;
  int basic; /* typed programs: the row of mpj_basics; else -1 */
};

enum mpj_level_kind { MPJ_LEVEL_COPIES, MPJ_LEVEL_BLOCKS, MPJ_LEVEL_PIECES };

/* A place in one node of the nest: items [next, count) are still ahead. */
struct mpj_level {
  enum mpj_level_kind kind;
  const struct mpj_program *program; /* COPIES: what is copied; else the INDEX or SEQ itself */
  char *origin;                      /* address of the node's first byte */
  MPJ_Count next, count;
  MPJ_Aint stride; /* COPIES: bytes between copies */
};

/* The deepest nest (layout.h): one level each node, two an INDEX, and one for the view's
 * copies. */
enum { MPJ_WALK_LEVELS = MPJ_LAYOUT_DEPTH_MAX + MPJ_LAYOUT_ROWS_MAX + 1 };

struct mpj_walk {
  struct mpj_span span; /* the present batch; span.count is 0 if it is used up */
  int top;              /* the innermost level in use, or -1 */
  struct mpj_level levels[MPJ_WALK_LEVELS];
};

/* Start at byte `offset` of `count` copies of the program, stride bytes apart,
 * the first at origin; 0 <= offset < count * bytes. Touches only as many levels
 * as the nest has. */
void mpj_walk_begin(struct mpj_walk *w, const struct mpj_program *program, MPJ_Count count,
                    MPJ_Aint stride, char *origin, MPJ_Count offset);

/* Make w->span the next batch; there must be one. */
void mpj_walk_next(struct mpj_walk *w);

/* The walk's batch, renewed if used up; data must be ahead. */
static inline struct mpj_span *mpj_walk_span(struct mpj_walk *w)
{
  if (w->span.count == 0) mpj_walk_next(w);
  return &w->span;
}

/* Go `bytes` bytes on inside the batch, at most to its end. */
static inline void mpj_span_consume(struct mpj_span *s, MPJ_Count bytes)
{
  bytes += s->within;
  if (bytes < s->block) {
    s->within = bytes;
    return;
  }
  MPJ_Count blocks = bytes < 2 * s->block ? 1 : bytes / s->block;
  s->within = bytes - blocks * s->block;
  s->count -= blocks;
  if (s->count > 0) s->at = mpj_at(s->at, blocks * s->stride);
}

#endif
