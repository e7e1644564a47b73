/* This file derives the fields of INDEX and SEQ nodes from their children. */
#include "types/layout/layout_measure.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/least.h"
#include "base/status.h"
#include "types/layout/shapes.h"
#include "types/sequence/sequence.h"
#include "types/sequence/series.h"

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

/* Pieces whose layouts are asked for before they are looked at. */
enum { AHEAD = 8 };

/* Pieces [first, first + n) of a long SEQ, n at most MPJ_LAYOUT_FRAME. */
static void read_pieces(const struct mpj_layout *seq, MPJ_Count first, MPJ_Count n,
                        struct mpj_piece pieces[])
{
  MPJ_Count rows[MPJ_LAYOUT_FRAME];
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  mpj_sequence_read(seq->u.seq.rows, first, n, rows);
  mpj_sequence_read(seq->u.seq.displs, first, n, displs);
  for (MPJ_Count k = 0; k < n; k++)
    pieces[k] = (struct mpj_piece){seq->u.seq.shapes->all[rows[k]], displs[k]};
}

/* What is found out of the pieces one by one. */
struct sums {
  MPJ_Count bytes;
  MPJ_Aint lb, ub;
  int depth, alignment;
  unsigned char straight;
  uint64_t basics;
};

/* Take the next piece, `displ` bytes from the first, into the sums, but for its signature. */
static inline bool take_piece(struct sums *s, MPJ_Aint origin, const struct mpj_layout *piece,
                              MPJ_Aint displ)
{
  MPJ_Aint lb, ub, place;
  const unsigned char straight = mpj_layout_straight_over(piece);
  if (!mpj_add_count(s->bytes, piece->signature.bytes, &s->bytes) ||
      !mpj_add_aint(origin, displ, &place) || !mpj_add_aint(displ, piece->true_lb, &lb) ||
      !mpj_add_aint(displ, piece->true_ub, &ub))
    return false;
  s->lb = lb < s->lb ? lb : s->lb;
  s->ub = ub > s->ub ? ub : s->ub;
  s->depth = piece->depth >= s->depth ? piece->depth + 1 : s->depth;
  s->straight = straight > s->straight ? straight : s->straight;
  s->alignment = piece->alignment > s->alignment ? piece->alignment : s->alignment;
  s->basics |= piece->basics;
  return true;
}

/* Append the signatures of n pieces, four at a time by themselves, or each multiplication would
 * wait for those of the piece before. */
static void append_all(struct mpj_signature *sum, const struct mpj_piece pieces[], MPJ_Count n)
{
  struct mpj_signature all = *sum;
  MPJ_Count k = 0;
  for (; k + 4 <= n; k += 4) {
    struct mpj_signature four = pieces[k].layout->signature, last = pieces[k + 2].layout->signature;
    mpj_signature_append(&four, &pieces[k + 1].layout->signature);
    mpj_signature_append(&last, &pieces[k + 3].layout->signature);
    mpj_signature_append(&four, &last);
    mpj_signature_append(&all, &four);
  }
  for (; k < n; k++)
    mpj_signature_append(&all, &pieces[k].layout->signature);
  *sum = all;
}

static void set_sums(struct mpj_layout *node, const struct sums *s)
{
  node->true_lb = s->lb;
  node->true_ub = s->ub;
  node->depth = s->depth;
  node->alignment = s->alignment;
  node->straight = s->straight;
  node->basics = s->basics;
}

int mpj_layout_measure_seq(struct mpj_layout *node, MPJ_Aint origin, MPJ_Count starts[],
                           const struct mpj_piece pieces[])
{
  struct mpj_piece frame[MPJ_LAYOUT_FRAME];
  const MPJ_Count n = node->u.seq.npieces;
  const bool each = !node->u.seq.shapes;
  const MPJ_Aint from = pieces ? origin : 0;
  struct mpj_signature signature = mpj_signature_empty;
  struct sums sums = {.lb = PTRDIFF_MAX, .ub = PTRDIFF_MIN, .depth = 1, .alignment = 1};
  if (each && !pieces) pieces = node->u.seq.pieces;
  for (MPJ_Count first = 0; first < n; first += MPJ_LAYOUT_FRAME) {
    const MPJ_Count m = mpj_least(MPJ_LAYOUT_FRAME, n - first);
    const struct mpj_piece *at = pieces ? pieces + first : frame;
    if (!pieces) read_pieces(node, first, m, frame);
    for (MPJ_Count k = 0; k < m; k++) {
      const MPJ_Aint displ = mpj_wrap_sub(at[k].displ, from); /* from the first piece: it fits */
      if (k + AHEAD < m) __builtin_prefetch(&at[k + AHEAD].layout->signature.hash);
      if (starts && (each || k == 0)) *starts++ = sums.bytes;
      if (!take_piece(&sums, origin, at[k].layout, displ))
        return mpj_error(MPJ_ERR_OVERFLOW,
                         "packed size or true bounds overflow at piece %" PRId64
                         " at %td bytes from the first",
                         first + k, displ);
    }
    append_all(&signature, at, m);
  }
  if (starts) *starts = sums.bytes;
  node->signature = signature;
  set_sums(node, &sums);
  return MPJ_SUCCESS;
}
