/* This file cuts a stretch of elements out of a layout. A stretch of copies is a
 * partial first one, whole ones, and a partial last one, and so on down the tree:
 * O(depth) new nodes, and the whole ones are shared; of many blocks or pieces, the
 * whole frames are a window on the layout's own. */
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/layout/layout_make.h"
#include "types/layout/long_seq.h"
#include "types/layout/long_seq_make.h"
#include "types/segment/segment.h"

/* The pieces so far, owned. */
struct list {
  struct mpj_piece *pieces; /* [room] */
  MPJ_Count n, room;
};

static int cut(struct mpj_layout *layout, MPJ_Aint displ, MPJ_Count first, MPJ_Count count,
               struct list *list);

static int grow(struct list *list)
{
  MPJ_Count room = 2 * list->room + 16;
  struct mpj_piece *pieces = mpj_alloc((size_t)room * sizeof *pieces);
  if (!pieces) return mpj_error(MPJ_ERR_NO_MEM, "pieces of a slice could not be allocated");
  for (MPJ_Count i = 0; i < list->n; i++)
    pieces[i] = list->pieces[i];
  mpj_free(list->pieces);
  list->pieces = pieces;
  list->room = room;
  return MPJ_SUCCESS;
}

/* Append a piece (moved, whatever the status), displ bytes further on. */
static int append(struct list *list, struct mpj_piece piece, MPJ_Aint displ)
{
  int status = list->n < list->room ? MPJ_SUCCESS : grow(list);
  if (status) {
    mpj_layout_release(piece.layout);
    return status;
  }
  piece.displ += displ; /* inside the whole's bounds */
  list->pieces[list->n++] = piece;
  return MPJ_SUCCESS;
}

static int cut_run(const struct mpj_layout *run, MPJ_Aint displ, MPJ_Count first, MPJ_Count count,
                   struct list *list)
{
  struct mpj_piece piece;
  int basic = run->u.run.basic;
  int status = mpj_layout_run(basic, count, &piece);
  return status ? status : append(list, piece, displ + first * mpj_basics[basic].size);
}

/* Elements [first, first + count) of copies of child, stride bytes apart. */
static int cut_copies(struct mpj_layout *child, MPJ_Aint stride, MPJ_Aint displ, MPJ_Count first,
                      MPJ_Count count, struct list *list)
{
  const MPJ_Count each = child->signature.elements, end = first + count;
  MPJ_Count copy = first / each, inside = first % each;
  if (inside > 0 || count < each) {
    MPJ_Count m = each - inside < count ? each - inside : count;
    int status = cut(child, displ + copy * stride, inside, m, list);
    if (status || m == count) return status;
    copy++;
  }
  MPJ_Count whole = end / each - copy, rest = end % each;
  if (whole > 0) {
    struct mpj_piece piece;
    int status = mpj_layout_loop(whole, stride, (struct mpj_piece){child, 0}, &piece);
    if (!status) status = append(list, piece, displ + copy * stride);
    if (status) return status;
  }
  return rest > 0 ? cut(child, displ + (copy + whole) * stride, 0, rest, list) : MPJ_SUCCESS;
}

/* The part of [first, first + count) that lies in block b. */
static int cut_block(struct mpj_layout *index, MPJ_Aint displ, MPJ_Count b, MPJ_Count first,
                     MPJ_Count count, struct list *list)
{
  const MPJ_Count each = index->u.index.child->signature.elements;
  MPJ_Aint place;
  MPJ_Count copies, start;
  mpj_layout_index_block(index, b, &place, &copies, &start);
  MPJ_Count from = first - start * each, to = first + count - start * each;
  if (from < 0) from = 0;
  if (to > copies * each) to = copies * each;
  return cut_copies(index->u.index.child, index->u.index.stride, displ + place, from, to - from,
                    list);
}

static int append_window(struct mpj_layout *index, MPJ_Aint displ, MPJ_Count first, MPJ_Count n,
                         struct list *list)
{
  struct mpj_piece piece;
  if (n <= 0) return MPJ_SUCCESS;
  int status = mpj_layout_index_window(index, first, n, &piece);
  return status ? status : append(list, piece, displ);
}

/* Whole blocks [first, end): up to a frame, whole frames, and what is left. */
static int cut_blocks(struct mpj_layout *index, MPJ_Aint displ, MPJ_Count first, MPJ_Count end,
                      struct list *list)
{
  const MPJ_Count frame = MPJ_LAYOUT_FRAME;
  MPJ_Count head = (first + frame - 1) / frame * frame, tail = end / frame * frame;
  if (head >= tail) head = tail = end - first > frame ? head : end;
  int status = append_window(index, displ, first, head - first, list);
  if (!status) status = append_window(index, displ, head, tail - head, list);
  return status ? status : append_window(index, displ, tail, end - tail, list);
}

static int cut_index(struct mpj_layout *index, MPJ_Aint displ, MPJ_Count first, MPJ_Count count,
                     struct list *list)
{
  const MPJ_Count each = index->u.index.child->signature.elements;
  MPJ_Count b = mpj_layout_index_find(index, first / each);
  MPJ_Count last = mpj_layout_index_find(index, (first + count - 1) / each);
  int status = cut_block(index, displ, b, first, count, list);
  if (!status && last > b) status = cut_blocks(index, displ, b + 1, last, list);
  if (!status && last > b) status = cut_block(index, displ, last, first, count, list);
  return status;
}

/* Pieces up to which a stretch of whole ones is copied. */
enum { COPIED = 3 * MPJ_LAYOUT_FRAME };

/* Pieces [i, end) of a sequence, whole. */
static int append_pieces(const struct mpj_layout *seq, MPJ_Aint displ, MPJ_Count i, MPJ_Count end,
                         struct list *list)
{
  int status = MPJ_SUCCESS;
  for (; i < end && !status; i++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(seq, i, &piece, NULL);
    mpj_layout_retain(piece.layout);
    status = append(list, piece, displ);
  }
  return status;
}

/* The same, but of many the whole frames as one piece. */
static int cut_pieces(const struct mpj_layout *seq, MPJ_Aint displ, MPJ_Count first, MPJ_Count end,
                      struct list *list)
{
  const MPJ_Count frame = MPJ_LAYOUT_FRAME;
  struct mpj_piece window;
  if (!seq->u.seq.shapes || end - first <= COPIED)
    return append_pieces(seq, displ, first, end, list);
  MPJ_Count head = (first + frame - 1) / frame * frame, tail = end / frame * frame;
  int status = append_pieces(seq, displ, first, head, list);
  if (!status) status = mpj_long_seq_window(seq, head, tail - head, &window);
  if (!status) status = append(list, window, displ);
  return status ? status : append_pieces(seq, displ, tail, end, list);
}

/* Pieces i and on until their elements come to `count`; *count is what is over. */
static MPJ_Count whole_pieces(const struct mpj_layout *seq, MPJ_Count i, MPJ_Count *count)
{
  for (; i < seq->u.seq.npieces; i++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(seq, i, &piece, NULL);
    if (piece.layout->signature.elements > *count) break;
    *count -= piece.layout->signature.elements;
  }
  return i;
}

/* Elements [first, first + count) of piece i. */
static int cut_piece(const struct mpj_layout *seq, MPJ_Aint displ, MPJ_Count i, MPJ_Count first,
                     MPJ_Count count, struct list *list)
{
  struct mpj_piece piece;
  mpj_layout_seq_piece(seq, i, &piece, NULL);
  return cut(piece.layout, displ + piece.displ, first, count, list);
}

static int cut_seq(const struct mpj_layout *seq, MPJ_Aint displ, MPJ_Count first, MPJ_Count count,
                   struct list *list)
{
  struct mpj_piece piece;
  MPJ_Count i = whole_pieces(seq, 0, &first);
  if (first > 0) {
    mpj_layout_seq_piece(seq, i, &piece, NULL);
    MPJ_Count left = piece.layout->signature.elements - first, m = left < count ? left : count;
    int status = cut_piece(seq, displ, i++, first, m, list);
    count -= m;
    if (status || count == 0) return status;
  }
  MPJ_Count end = whole_pieces(seq, i, &count);
  int status = cut_pieces(seq, displ, i, end, list);
  return status || count == 0 ? status : cut_piece(seq, displ, end, 0, count, list);
}

static int cut(struct mpj_layout *layout, MPJ_Aint displ, MPJ_Count first, MPJ_Count count,
               struct list *list)
{
  if (count == layout->signature.elements)
    return append(list, (struct mpj_piece){mpj_layout_retain(layout), 0}, displ);
  switch (layout->kind) {
  case MPJ_LAYOUT_RUN:
    return cut_run(layout, displ, first, count, list);
  case MPJ_LAYOUT_LOOP:
    return cut_copies(layout->u.loop.child, layout->u.loop.stride, displ, first, count, list);
  case MPJ_LAYOUT_INDEX:
    return cut_index(layout, displ, first, count, list);
  case MPJ_LAYOUT_SEQ:
    return cut_seq(layout, displ, first, count, list);
  case MPJ_LAYOUT_EMPTY:
    break;
  }
  return MPJ_SUCCESS;
}

int mpj_layout_slice(struct mpj_layout *layout, MPJ_Count first, MPJ_Count count,
                     struct mpj_piece *out)
{
  struct list list = {NULL, 0, 0};
  if (count == 0) return mpj_layout_empty(out);
  int status = cut(layout, 0, first, count, &list);
  if (!status) status = mpj_layout_seq(list.n, list.pieces, out);
  while (list.n > 0)
    mpj_layout_release(list.pieces[--list.n].layout);
  mpj_free(list.pieces);
  return status;
}
