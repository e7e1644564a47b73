/* This file derives the fields of INDEX and SEQ nodes from their children. */
#include "types/layout/layout_measure.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/least.h"
#include "base/status.h"
#include "types/layout/shapes.h"
#include "types/sequence/sequence.h"

int mpj_layout_measure_index(struct mpj_layout *node)
{
  const struct mpj_layout *child = node->u.index.child;
  MPJ_Count copies = mpj_layout_index_copies(node), bytes;
  if (!mpj_mul_count(copies, child->signature.bytes, &bytes))
    return mpj_error(MPJ_ERR_OVERFLOW,
                     "packed size overflows: %" PRId64 " copies of %" PRId64 " bytes", copies,
                     child->signature.bytes);
  mpj_signature_set_repeat(&node->signature, &child->signature, copies);
  node->depth = child->depth + 1;
  node->straight = child->straight;
  node->alignment = child->alignment;
  node->basics = child->basics;
  return MPJ_SUCCESS;
}

int mpj_layout_bound_index(struct mpj_layout *node, MPJ_Aint origin, const struct mpj_layout *unit,
                           MPJ_Aint low, MPJ_Aint high)
{
  if (mpj_sub_aint(low, origin, &low) && mpj_sub_aint(high, origin, &high) &&
      mpj_add_aint(low, unit->true_lb, &node->true_lb) &&
      mpj_add_aint(high, unit->true_ub, &node->true_ub))
    return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_OVERFLOW,
                   "true bounds overflow: %" PRId64 " blocks, the first at %td bytes",
                   node->u.index.nblocks, origin);
}

/* Pieces [first, first + n) of a SEQ, n at most MPJ_LAYOUT_FRAME. */
static void read_pieces(const struct mpj_layout *seq, MPJ_Count first, MPJ_Count n,
                        const struct mpj_layout *layouts[], MPJ_Aint displs[])
{
  MPJ_Count rows[MPJ_LAYOUT_FRAME];
  if (!seq->u.seq.shapes) {
    for (MPJ_Count k = 0; k < n; k++) {
      layouts[k] = seq->u.seq.pieces[first + k].layout;
      displs[k] = seq->u.seq.pieces[first + k].displ;
    }
    return;
  }
  mpj_sequence_read(seq->u.seq.rows, first, n, rows);
  mpj_sequence_read(seq->u.seq.displs, first, n, displs);
  for (MPJ_Count k = 0; k < n; k++)
    layouts[k] = seq->u.seq.shapes->all[rows[k]];
}

/* Take the next piece, `displ` bytes from the first, into the node's fields. */
static bool take_piece(struct mpj_layout *node, MPJ_Aint origin, const struct mpj_layout *piece,
                       MPJ_Aint displ)
{
  MPJ_Aint lb, ub, place;
  MPJ_Count bytes;
  if (!mpj_add_count(node->signature.bytes, piece->signature.bytes, &bytes) ||
      !mpj_add_aint(origin, displ, &place) || !mpj_add_aint(displ, piece->true_lb, &lb) ||
      !mpj_add_aint(displ, piece->true_ub, &ub))
    return false;
  if (lb < node->true_lb) node->true_lb = lb;
  if (ub > node->true_ub) node->true_ub = ub;
  if (piece->depth >= node->depth) node->depth = piece->depth + 1;
  if (mpj_layout_straight_over(piece) > node->straight)
    node->straight = mpj_layout_straight_over(piece);
  if (piece->alignment > node->alignment) node->alignment = piece->alignment;
  node->basics |= piece->basics;
  mpj_signature_append(&node->signature, &piece->signature);
  return true;
}

int mpj_layout_measure_seq(struct mpj_layout *node, MPJ_Aint origin, MPJ_Count starts[])
{
  const struct mpj_layout *layouts[MPJ_LAYOUT_FRAME];
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  const MPJ_Count n = node->u.seq.npieces;
  const bool each = !node->u.seq.shapes;
  node->signature = mpj_signature_empty;
  node->true_lb = PTRDIFF_MAX;
  node->true_ub = PTRDIFF_MIN;
  node->depth = node->alignment = 1;
  node->straight = 0;
  node->basics = 0;
  for (MPJ_Count first = 0; first < n; first += MPJ_LAYOUT_FRAME) {
    const MPJ_Count m = mpj_least(MPJ_LAYOUT_FRAME, n - first);
    read_pieces(node, first, m, layouts, displs);
    for (MPJ_Count k = 0; k < m; k++) {
      if (starts && (each || k == 0)) *starts++ = node->signature.bytes;
      if (!take_piece(node, origin, layouts[k], displs[k]))
        return mpj_error(MPJ_ERR_OVERFLOW,
                         "packed size or true bounds overflow at piece %" PRId64
                         " at %td bytes from the first",
                         first + k, displs[k]);
    }
  }
  if (starts) *starts = node->signature.bytes;
  return MPJ_SUCCESS;
}
