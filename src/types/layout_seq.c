/* This file makes SEQ layouts, in three passes over the pieces, each linear:
 * flatten (drop the empty, open short inner sequences), group (neighbours that
 * repeat one unit become an index), and join (neighbours that together are one
 * run or loop). What is left is a sequence of unlike things. Of many pieces of which
 * few would join none are, and what is left of many is a long sequence. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/intern.h"
#include "types/layout.h"
#include "types/long_seq.h"
#include "types/neighbours.h"

enum { FEW = 16, BYTES_A_PIECE = sizeof(struct mpj_piece) + sizeof(MPJ_Count) };

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

static bool opens(const struct mpj_layout *layout)
{
  return layout->kind == MPJ_LAYOUT_SEQ && layout->u.seq.npieces <= MPJ_LAYOUT_SEQ_OPEN;
}

static MPJ_Count flat_length(MPJ_Count npieces, const struct mpj_piece pieces[])
{
  MPJ_Count n = 0;
  for (MPJ_Count i = 0; i < npieces; i++) {
    if (opens(pieces[i].layout))
      n += pieces[i].layout->u.seq.npieces;
    else if (pieces[i].layout->kind != MPJ_LAYOUT_EMPTY)
      n++;
  }
  return n;
}

static int open_seq(struct mpj_piece seq, struct mpj_piece flat[])
{
  for (MPJ_Count i = 0; i < seq.layout->u.seq.npieces; i++) {
    flat[i] = seq.layout->u.seq.pieces[i];
    if (!mpj_add_aint(flat[i].displ, seq.displ, &flat[i].displ))
      return mpj_error(MPJ_ERR_OVERFLOW, "displacement overflows: %td + %td bytes", seq.displ,
                       flat[i].displ);
  }
  return MPJ_SUCCESS;
}

/* Fill flat[flat_length] with borrowed pieces. */
static int flatten(MPJ_Count npieces, const struct mpj_piece pieces[], struct mpj_piece flat[])
{
  MPJ_Count n = 0;
  for (MPJ_Count i = 0; i < npieces; i++) {
    if (opens(pieces[i].layout)) {
      int status = open_seq(pieces[i], flat + n);
      if (status) return status;
      n += pieces[i].layout->u.seq.npieces;
    } else if (pieces[i].layout->kind != MPJ_LAYOUT_EMPTY) {
      flat[n++] = pieces[i];
    }
  }
  return MPJ_SUCCESS;
}

struct mpj_row mpj_row_of(struct mpj_layout *layout)
{
  if (layout->kind == MPJ_LAYOUT_RUN) {
    int basic = layout->u.run.basic;
    return (struct mpj_row){mpj_layout_of_basic(basic), mpj_basics[basic].size,
                            layout->u.run.count};
  }
  if (layout->kind == MPJ_LAYOUT_LOOP)
    return (struct mpj_row){layout->u.loop.child, layout->u.loop.stride, layout->u.loop.count};
  return (struct mpj_row){layout, 0, 1};
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

bool mpj_row_goes_on(struct mpj_row a, MPJ_Aint a_displ, struct mpj_row b, MPJ_Aint b_displ,
                     struct mpj_row *whole)
{
  MPJ_Aint end;
  if (a.unit != b.unit || a.stride != b.stride) return false;
  if (!mpj_muladd_aint(a_displ, a.count, a.stride, &end) || end != b_displ) return false;
  *whole = a;
  return mpj_add_count(a.count, b.count, &whole->count);
}

static bool rows_join(struct mpj_piece a, struct mpj_piece b, struct mpj_row *whole)
{
  MPJ_Aint distance;
  struct mpj_row ra = mpj_row_of(a.layout), rb = mpj_row_of(b.layout);
  if (mpj_row_goes_on(ra, a.displ, rb, b.displ, whole)) return true;
  if (a.layout == b.layout && mpj_sub_aint(b.displ, a.displ, &distance)) {
    *whole = (struct mpj_row){a.layout, distance, 2};
    return true;
  }
  struct mpj_row one = {b.layout, ra.stride, 1};
  if (mpj_row_goes_on(ra, a.displ, one, b.displ, whole)) return true;
  one = (struct mpj_row){a.layout, rb.stride, 1};
  return mpj_row_goes_on(one, a.displ, rb, b.displ, whole);
}

bool mpj_layout_neighbours_join(struct mpj_piece a, struct mpj_piece b)
{
  struct mpj_row whole;
  return rows_join(a, b, &whole);
}

/* Append a piece (moved) to the list, joining it with those before it. */
static int push(struct list *list, struct mpj_piece piece)
{
  struct mpj_row whole;
  while (list->n > 0 && rows_join(list->pieces[list->n - 1], piece, &whole)) {
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

/* Take piece i of the node into its size, bounds and signature. */
static bool measure_piece(struct mpj_layout *node, MPJ_Count i)
{
  const struct mpj_piece *p = &node->u.seq.pieces[i];
  MPJ_Count *starts = node->u.seq.starts_of_short;
  MPJ_Aint lb, ub;
  if (!mpj_add_count(starts[i], p->layout->signature.bytes, &starts[i + 1]) ||
      !mpj_add_aint(p->displ, p->layout->true_lb, &lb) ||
      !mpj_add_aint(p->displ, p->layout->true_ub, &ub))
    return false;
  if (i == 0 || lb < node->true_lb) node->true_lb = lb;
  if (i == 0 || ub > node->true_ub) node->true_ub = ub;
  if (p->layout->depth >= node->depth) node->depth = p->layout->depth + 1;
  if (p->layout->alignment > node->alignment) node->alignment = p->layout->alignment;
  mpj_signature_append(&node->signature, &p->layout->signature);
  return true;
}

/* Move the list's pieces into the node, relative to the first. */
static int fill_seq(struct mpj_layout *node, struct list *list)
{
  MPJ_Count n = list->n;
  MPJ_Aint origin = list->pieces[0].displ;
  node->signature = mpj_signature_empty;
  node->u.seq.pieces = mpj_alloc((size_t)n * BYTES_A_PIECE + sizeof(MPJ_Count));
  if (!node->u.seq.pieces) return no_memory(n);
  node->u.seq.starts_of_short = (MPJ_Count *)(node->u.seq.pieces + n);
  node->u.seq.starts_of_short[0] = 0;
  node->u.seq.npieces = n;
  for (MPJ_Count i = 0; i < n; i++)
    node->u.seq.pieces[i] = list->pieces[i];
  list->n = 0;
  for (MPJ_Count i = 0; i < n; i++) {
    MPJ_Aint *displ = &node->u.seq.pieces[i].displ;
    if (!mpj_sub_aint(*displ, origin, displ) || !measure_piece(node, i))
      return mpj_error(MPJ_ERR_OVERFLOW,
                       "packed size or true bounds overflow at piece %" PRId64
                       " at %td bytes from the first",
                       i, *displ);
  }
  return MPJ_SUCCESS;
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

int mpj_layout_seq(MPJ_Count npieces, const struct mpj_piece pieces[], struct mpj_piece *out)
{
  MPJ_Count n = flat_length(npieces, pieces);
  struct mpj_piece few[FEW], *flat = few;
  if (n > FEW) flat = mpj_alloc_array((size_t)n, sizeof *flat);
  int status = flat ? MPJ_SUCCESS : no_memory(n);
  if (!status) status = flatten(npieces, pieces, flat);
  if (!status)
    status = n > FEW && mpj_pieces_stay(n, flat) ? mpj_long_seq(n, flat, out)
                                                 : join_pieces(flat, n, out);
  if (flat != few) mpj_free(flat);
  return status;
}
