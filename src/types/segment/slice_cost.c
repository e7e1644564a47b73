/* This file tells what a slice will cost before it is made: the descent is that
 * of slice_layout.c, with nothing built. */
#include "types/segment/segment.h"

/* Elements [first, first + count) of copies of child: only a partial first and a
 * partial last copy are new. */
static MPJ_Count cost_of_copies(const struct mpj_layout *child, MPJ_Count first, MPJ_Count count)
{
  const MPJ_Count each = child->signature.elements, end = first + count;
  const MPJ_Count copy = first / each, last = (end - 1) / each;
  if (copy == last) return 1 + mpj_layout_slice_cost(child, first - copy * each, count);
  return 1 + mpj_layout_slice_cost(child, first - copy * each, each - (first - copy * each)) +
         mpj_layout_slice_cost(child, 0, end - last * each);
}

/* Pieces of a sequence that count as one node, and most that are copied. */
enum { PIECES_A_NODE = 16, COPIED = 3 * MPJ_LAYOUT_FRAME };

static MPJ_Count cost_of_seq(const struct mpj_layout *seq, MPJ_Count first, MPJ_Count count)
{
  MPJ_Count inner = 0, pieces = 0;
  for (MPJ_Count i = 0; count > 0; i++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(seq, i, &piece, NULL);
    const MPJ_Count each = piece.layout->signature.elements;
    if (first >= each) {
      first -= each;
      continue;
    }
    const MPJ_Count now = each - first < count ? each - first : count;
    pieces++;
    inner += mpj_layout_slice_cost(piece.layout, first, now);
    first = 0;
    count -= now;
  }
  return 1 + (pieces < COPIED ? pieces : COPIED) / PIECES_A_NODE + inner;
}

MPJ_Count mpj_layout_slice_cost(const struct mpj_layout *layout, MPJ_Count first, MPJ_Count count)
{
  if (count == 0 || count == layout->signature.elements) return 0;
  switch (layout->kind) {
  case MPJ_LAYOUT_LOOP:
    return cost_of_copies(layout->u.loop.child, first, count);
  case MPJ_LAYOUT_INDEX:
    return 2 + cost_of_copies(layout->u.index.child, first, count);
  case MPJ_LAYOUT_SEQ:
    return cost_of_seq(layout, first, count);
  default:
    return 1;
  }
}
