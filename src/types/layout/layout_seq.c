/* This file makes SEQ layouts, in three passes over the pieces, each linear:
 * flatten (drop the empty, open short inner sequences), group (neighbours that
 * repeat one unit become an index), and join (neighbours that together are one
 * run or loop). What is left is a sequence of unlike things. Of many pieces of which
 * few would join none are, and what is left of many is a long sequence. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/layout/intern.h"
#include "types/layout/layout.h"
#include "types/layout/layout_make.h"
#include "types/layout/layout_measure.h"
#include "types/layout/long_seq.h"
#include "types/layout/long_seq_make.h"
#include "types/layout/neighbours.h"

enum {
  FEW = 16,
  OPENED_MAX = 1 << 24,
  BYTES_A_PIECE = sizeof(struct mpj_piece) + sizeof(MPJ_Count)
};

/* A growing list of owned pieces in an array that is large enough. */
struct list {
  struct mpj_piece *pieces;
  MPJ_Count n;
};

static int no_memory(MPJ_Count npieces)
{
  return mpj_error(MPJ_ERR_NO_MEM, "sequence of %" PRId64 " pieces could not be allocated",
                   npieces);
}

/* A sequence that has too many nested in it is opened with all that are straight inside
 * it, so that it takes as many before the next one is. Recursion: as many levels. */
static bool opens_inside(const struct mpj_layout *layout, bool all)
{
  return all ? layout->kind == MPJ_LAYOUT_SEQ : mpj_layout_opens(layout);
}

static bool opens_all(const struct mpj_layout *seq, bool all)
{
  return all || seq->straight >= MPJ_LAYOUT_SEQ_DEPTH;
}

/* How many pieces these are when those that open are opened; once it is over OPENED_MAX,
 * it may be too few. */
static MPJ_Count flat_length(const struct mpj_layout *layout, bool all)
{
  MPJ_Count n = 0;
  struct mpj_piece piece;
  if (layout->kind == MPJ_LAYOUT_EMPTY) return 0;
  if (!opens_inside(layout, all)) return 1;
  if (!opens_all(layout, all)) return layout->u.seq.npieces;
  for (MPJ_Count i = 0; i < layout->u.seq.npieces && n <= OPENED_MAX; i++) {
    mpj_layout_seq_piece(layout, i, &piece, NULL);
    n += flat_length(piece.layout, true);
  }
  return n;
}

/* Append a borrowed piece to flat[*n], or what it is opened into. */
static int flatten(struct mpj_piece piece, bool all, struct mpj_piece flat[], MPJ_Count *n)
{
  int status = MPJ_SUCCESS;
  if (piece.layout->kind == MPJ_LAYOUT_EMPTY) return MPJ_SUCCESS;
  if (!opens_inside(piece.layout, all)) {
    flat[(*n)++] = piece;
    return MPJ_SUCCESS;
  }
  for (MPJ_Count i = 0; i < piece.layout->u.seq.npieces && !status; i++) {
    struct mpj_piece inner;
    mpj_layout_seq_piece(piece.layout, i, &inner, NULL);
    if (!mpj_add_aint(inner.displ, piece.displ, &inner.displ))
      return mpj_error(MPJ_ERR_OVERFLOW, "displacement overflows: %td + %td bytes", piece.displ,
                       inner.displ);
    status = flatten(inner, opens_all(piece.layout, all), flat, n);
  }
  return status;
}

/* How many of pieces[0..n) are rows of one unit at one stride. */
static MPJ_Count group_length(const struct mpj_piece pieces[], MPJ_Count n)
{
  struct mpj_row first = mpj_row_of(pieces[0].layout);
  MPJ_Count length = 1;
  while (length < n) {
    struct mpj_row next = mpj_row_of(pieces[length].layout);
    if (next.unit != first.unit || next.stride != first.stride) break;
    length++;
  }
  return length;
}

/* Whether each of the group is the unit itself, and no element. A loop of stride 0
 * has the same unit and stride, and must keep them. */
static bool all_single(const struct mpj_piece pieces[], MPJ_Count n)
{
  const struct mpj_layout *unit = mpj_row_of(pieces[0].layout).unit;
  if (unit->kind == MPJ_LAYOUT_RUN) return false;
  for (MPJ_Count i = 0; i < n; i++)
    if (pieces[i].layout != unit) return false;
  return true;
}

/* The index that a group of rows is. Rows of one unit, which know no stride,
 * take that of the first two. */
static int index_of_group(const struct mpj_piece pieces[], MPJ_Count n, struct mpj_piece *out)
{
  struct mpj_row first = mpj_row_of(pieces[0].layout);
  MPJ_Count *lens = mpj_alloc_array((size_t)n, sizeof *lens);
  MPJ_Aint *displs = mpj_alloc_array((size_t)n, sizeof *displs);
  int status = lens && displs ? MPJ_SUCCESS : no_memory(n);
  if (!status) {
    for (MPJ_Count i = 0; i < n; i++) {
      lens[i] = mpj_row_of(pieces[i].layout).count;
      displs[i] = pieces[i].displ;
    }
    if (all_single(pieces, n) && !mpj_sub_aint(displs[1], displs[0], &first.stride))
      first.stride = 0;
    status =
        mpj_layout_index(n, lens, 0, displs, first.stride, (struct mpj_piece){first.unit, 0}, out);
  }
  mpj_free(displs);
  mpj_free(lens);
  return status;
}

/* Append a piece (moved) to the list, joining it with those before it. */
static int push(struct list *list, struct mpj_piece piece)
{
  struct mpj_row whole;
  while (list->n > 0 && mpj_rows_join(list->pieces[list->n - 1], piece, &whole)) {
    struct mpj_piece before = list->pieces[list->n - 1], joined;
    int status = mpj_layout_loop(whole.count, whole.stride,
                                 (struct mpj_piece){whole.unit, before.displ}, &joined);
    mpj_layout_release(piece.layout);
    if (status) return status;
    mpj_layout_release(before.layout);
    list->n--;
    piece = joined;
  }
  list->pieces[list->n++] = piece;
  return MPJ_SUCCESS;
}

static int group_and_join(const struct mpj_piece flat[], MPJ_Count n, struct list *list)
{
  for (MPJ_Count i = 0, length; i < n; i += length) {
    struct mpj_piece piece = flat[i];
    length = group_length(flat + i, n - i);
    int status = MPJ_SUCCESS;
    if (length > 1)
      status = index_of_group(flat + i, length, &piece);
    else
      mpj_layout_retain(piece.layout);
    if (!status) status = push(list, piece);
    if (status) return status;
  }
  return MPJ_SUCCESS;
}

static void clear_list(struct list *list)
{
  while (list->n > 0)
    mpj_layout_release(list->pieces[--list->n].layout);
}

/* Move the list's pieces into the node, relative to the first. */
static int fill_seq(struct mpj_layout *node, struct list *list)
{
  MPJ_Count n = list->n;
  MPJ_Aint origin = list->pieces[0].displ;
  node->u.seq.pieces = mpj_alloc((size_t)n * BYTES_A_PIECE + sizeof(MPJ_Count));
  if (!node->u.seq.pieces) return no_memory(n);
  node->u.seq.starts_of_short = (MPJ_Count *)(node->u.seq.pieces + n);
  node->u.seq.npieces = n;
  for (MPJ_Count i = 0; i < n; i++)
    node->u.seq.pieces[i] = list->pieces[i];
  list->n = 0;
  for (MPJ_Count i = 0; i < n; i++) {
    MPJ_Aint *displ = &node->u.seq.pieces[i].displ;
    if (!mpj_sub_aint(*displ, origin, displ))
      return mpj_error(MPJ_ERR_OVERFLOW,
                       "true bounds overflow: piece %" PRId64
                       " lies at %td bytes, the first at %td",
                       i, *displ, origin);
  }
  return mpj_layout_measure_seq(node, origin, node->u.seq.starts_of_short, NULL);
}

static int make_seq(struct list *list, struct mpj_piece *out)
{
  if (list->n == 0) return mpj_layout_empty(out);
  if (list->n == 1) {
    *out = list->pieces[0];
    list->n = 0;
    return MPJ_SUCCESS;
  }
  if (list->n > MPJ_LAYOUT_SEQ_OPEN) return mpj_long_seq(list->n, list->pieces, out);
  MPJ_Aint origin = list->pieces[0].displ;
  struct mpj_layout *node = mpj_layout_new(MPJ_LAYOUT_SEQ);
  if (!node) return no_memory(list->n);
  int status = fill_seq(node, list);
  if (status) {
    mpj_layout_discard(node);
    return status;
  }
  mpj_layout_intern(node, origin, out);
  return MPJ_SUCCESS;
}

/* The normal form of flat pieces whose neighbours may join. */
static int join_pieces(const struct mpj_piece flat[], MPJ_Count n, struct mpj_piece *out)
{
  struct mpj_piece few[FEW];
  struct list list = {few, 0};
  if (n > FEW) list.pieces = mpj_alloc_array((size_t)n, sizeof *list.pieces);
  int status = list.pieces ? MPJ_SUCCESS : no_memory(n);
  if (!status) status = group_and_join(flat, n, &list);
  if (!status) status = make_seq(&list, out);
  clear_list(&list);
  if (list.pieces != few) mpj_free(list.pieces);
  return status;
}

/* Opening long sequences, because they nest too deep, may not take much memory. */
static int too_deep(MPJ_Count n)
{
  return mpj_error(MPJ_ERR_UNSUPPORTED,
                   "sequences nest more than %d deep, and are %" PRId64 " pieces or more",
                   MPJ_LAYOUT_SEQ_DEPTH, n);
}

int mpj_layout_seq(MPJ_Count npieces, const struct mpj_piece pieces[], struct mpj_piece *out)
{
  MPJ_Count n = 0, filled = 0;
  bool flat_already = true;
  for (MPJ_Count i = 0; i < npieces; i++) {
    if (pieces[i].layout->kind != MPJ_LAYOUT_EMPTY && !mpj_layout_opens(pieces[i].layout)) {
      n++;
      continue;
    }
    const MPJ_Count length = flat_length(pieces[i].layout, false);
    if (length > OPENED_MAX) return too_deep(length);
    n += length;
    flat_already = false;
  }
  struct mpj_piece few[FEW], *opened = few;
  const struct mpj_piece *flat = flat_already ? pieces : few;
  if (!flat_already && n > FEW) flat = opened = mpj_alloc_array((size_t)n, sizeof *opened);
  int status = flat ? MPJ_SUCCESS : no_memory(n);
  for (MPJ_Count i = 0; i < npieces && !flat_already && !status; i++)
    status = flatten(pieces[i], false, opened, &filled);
  if (!status)
    status = n > FEW && mpj_pieces_stay(n, flat) ? mpj_long_seq(n, flat, out)
                                                 : join_pieces(flat, n, out);
  if (opened != few) mpj_free(opened);
  return status;
}
