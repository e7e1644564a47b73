/* This file checks the invariants of layout.h on a whole tree. */
#include "types/basic.h"
#include "types/intern.h"
#include "types/layout.h"
#include "types/sequence.h"
#include "types/shapes.h"

static bool check_run(const struct mpj_layout *l)
{
  int basic = l->u.run.basic;
  return basic >= 0 && basic < MPJ_BASIC_COUNT && l->u.run.count >= 1 && l->true_lb == 0 &&
         l->true_ub == l->u.run.count * mpj_basics[basic].size &&
         l->signature.bytes == l->true_ub && l->signature.elements == l->u.run.count;
}

static bool check_loop(const struct mpj_layout *l)
{
  const struct mpj_layout *child = l->u.loop.child;
  return l->u.loop.count >= 2 && child->kind != MPJ_LAYOUT_EMPTY &&
         !mpj_layout_continues(child, l->u.loop.stride) &&
         l->signature.elements == l->u.loop.count * child->signature.elements &&
         mpj_layout_check(child);
}

static bool progression(const struct mpj_layout *l)
{
  MPJ_Aint step = 0, before = 0, displ;
  for (MPJ_Count i = 1; i < l->u.index.nblocks; i++, before = displ) {
    mpj_layout_index_block(l, i, &displ, NULL, NULL);
    if (i == 1) step = displ;
    if (displ - before != step) return false;
  }
  return true;
}

/* Lengths of 1 or more, not all alike, whose sums the accessors agree on. */
static bool check_lengths(const struct mpj_layout *l)
{
  bool varied = false;
  MPJ_Count sum = 0, first = 0;
  for (MPJ_Count i = 0; i < l->u.index.nblocks; i++) {
    MPJ_Count len, start;
    mpj_layout_index_block(l, i, NULL, &len, &start);
    if (len < 1 || start != sum || mpj_layout_index_find(l, start) != i) return false;
    if (i == 0) first = len;
    varied = varied || len != first;
    sum += len;
  }
  return varied && sum == mpj_layout_index_copies(l);
}

static bool check_index(const struct mpj_layout *l)
{
  const struct mpj_layout *child = l->u.index.child;
  MPJ_Aint first;
  if (l->u.index.nblocks < 2) return false;
  mpj_layout_index_block(l, 0, &first, NULL, NULL);
  if (first != 0 || child->kind == MPJ_LAYOUT_EMPTY || !mpj_layout_check(child)) return false;
  if (l->u.index.uniform == 0) return check_lengths(l);
  return l->u.index.uniform == 1 && !l->u.index.lens && !l->u.index.starts && !progression(l);
}

static bool check_piece(const struct mpj_layout *piece)
{
  if (piece->kind == MPJ_LAYOUT_EMPTY || !mpj_layout_check(piece)) return false;
  return piece->kind != MPJ_LAYOUT_SEQ || piece->u.seq.npieces > MPJ_LAYOUT_SEQ_OPEN;
}

static bool check_short_seq(const struct mpj_layout *l)
{
  const struct mpj_piece *p = l->u.seq.pieces;
  const MPJ_Count *starts = l->u.seq.starts_of_short;
  if (l->u.seq.npieces < 2 || p[0].displ != 0 || starts[0] != 0) return false;
  for (MPJ_Count i = 0; i < l->u.seq.npieces; i++) {
    if (!check_piece(p[i].layout)) return false;
    if (starts[i + 1] - starts[i] != p[i].layout->signature.bytes) return false;
    if (i > 0 && mpj_layout_neighbours_join(p[i - 1], p[i])) return false;
  }
  return starts[l->u.seq.npieces] == l->signature.bytes;
}

/* Pieces of the shapes that there are, whose packed bytes the accessors agree on. */
static bool check_long_seq(const struct mpj_layout *l)
{
  const struct mpj_shapes *shapes = l->u.seq.shapes;
  MPJ_Count bytes = 0;
  for (MPJ_Count s = 0; s < shapes->n; s++)
    if (!check_piece(shapes->all[s])) return false;
  for (MPJ_Count i = 0; i < l->u.seq.npieces; i++) {
    const MPJ_Count row = mpj_sequence_at(l->u.seq.rows, i);
    struct mpj_piece piece;
    MPJ_Count start;
    if (row < 0 || row >= shapes->n) return false;
    mpj_layout_seq_piece(l, i, &piece, &start);
    if (piece.layout != shapes->all[row] || start != bytes) return false;
    if (mpj_layout_seq_find(l, start) != i || (i == 0 && piece.displ != 0)) return false;
    bytes += piece.layout->signature.bytes;
    if (mpj_layout_seq_find(l, bytes - 1) != i) return false;
  }
  return l->u.seq.npieces > MPJ_LAYOUT_SEQ_OPEN && bytes == l->signature.bytes;
}

bool mpj_layout_check(const struct mpj_layout *layout)
{
  if (layout->id == 0 || atomic_load(&layout->references) < 1) return false;
  if (layout->true_lb > layout->true_ub) return false;
  switch (layout->kind) {
  case MPJ_LAYOUT_EMPTY:
    return layout->signature.bytes == 0 && layout->true_ub == 0;
  case MPJ_LAYOUT_RUN:
    return check_run(layout);
  case MPJ_LAYOUT_LOOP:
    return check_loop(layout);
  case MPJ_LAYOUT_INDEX:
    return check_index(layout);
  case MPJ_LAYOUT_SEQ:
    return layout->u.seq.shapes ? check_long_seq(layout) : check_short_seq(layout);
  }
  return false;
}
