/* This file reads INDEX and SEQ layouts for the other layers. */
#include "types/layout/layout.h"

#include <assert.h>

#include "types/layout/shapes.h"
#include "types/sequence/sequence.h"

/* Copies in the blocks before block i. */
static MPJ_Count copies_before(const struct mpj_layout *layout, MPJ_Count i)
{
  MPJ_Count lens[MPJ_LAYOUT_FRAME], inside = i % MPJ_LAYOUT_FRAME;
  MPJ_Count sum = mpj_sequence_at(layout->u.index.starts, i / MPJ_LAYOUT_FRAME);
  if (inside == 0) return sum;
  mpj_sequence_read(layout->u.index.lens, i - inside, inside, lens);
  for (MPJ_Count k = 0; k < inside; k++)
    sum += lens[k];
  return sum;
}

void mpj_layout_index_block(const struct mpj_layout *layout, MPJ_Count i, MPJ_Aint *displ,
                            MPJ_Count *copies, MPJ_Count *start)
{
  MPJ_Count uniform = layout->u.index.uniform;
  if (displ) *displ = mpj_sequence_at(layout->u.index.displs, i);
  if (copies) *copies = uniform ? uniform : mpj_sequence_at(layout->u.index.lens, i);
  if (start) *start = uniform ? i * uniform : copies_before(layout, i);
}

void mpj_layout_index_blocks(const struct mpj_layout *layout, MPJ_Count first, MPJ_Count n,
                             MPJ_Aint displs[], MPJ_Count copies[], MPJ_Count *start)
{
  MPJ_Count uniform = layout->u.index.uniform;
  mpj_sequence_read(layout->u.index.displs, first, n, displs);
  *start = uniform ? first * uniform : copies_before(layout, first);
  if (!uniform) {
    mpj_sequence_read(layout->u.index.lens, first, n, copies);
    return;
  }
  for (MPJ_Count i = 0; i < n; i++)
    copies[i] = uniform;
}

static_assert((int)MPJ_LAYOUT_NEAR == (int)MPJ_NEAR_MOST, "a near sequence has as many values");
bool mpj_layout_index_near(const struct mpj_layout *layout, MPJ_Count first, MPJ_Count n,
                           MPJ_Aint *origin, int32_t displs[], MPJ_Count *least, MPJ_Count *most,
                           int32_t copies[])
{
  MPJ_Count slope = 1;
  if (!mpj_sequence_near(layout->u.index.displs, first, n, origin, displs, most)) return false;
  *least = layout->u.index.uniform;
  *most = 0;
  if (*least > 0) return true;
  if (n > 1 && mpj_sequence_row(layout->u.index.lens, first, least, &slope) >= n && slope == 0)
    return true;
  return mpj_sequence_near(layout->u.index.lens, first, n, least, copies, most);
}

MPJ_Count mpj_layout_index_row(const struct mpj_layout *layout, MPJ_Count first, MPJ_Aint *displ,
                               MPJ_Aint *stride, MPJ_Count *copies)
{
  MPJ_Count slope = 0, n = mpj_sequence_row(layout->u.index.displs, first, displ, stride);
  *copies = layout->u.index.uniform;
  if (n == 1 || *copies > 0) return n;
  const MPJ_Count equal = mpj_sequence_row(layout->u.index.lens, first, copies, &slope);
  if (slope != 0) return 1;
  return equal < n ? equal : n;
}

MPJ_Count mpj_layout_index_copies(const struct mpj_layout *layout)
{
  const struct mpj_sequence *starts = layout->u.index.starts;
  if (layout->u.index.uniform) return layout->u.index.nblocks * layout->u.index.uniform;
  return mpj_sequence_at(starts, mpj_sequence_length(starts) - 1);
}

MPJ_Count mpj_layout_index_find_frame(const struct mpj_layout *layout, MPJ_Count copy,
                                      MPJ_Count *start)
{
  const MPJ_Count uniform = layout->u.index.uniform;
  const MPJ_Count frame =
      uniform ? copy / uniform / MPJ_LAYOUT_FRAME : mpj_sequence_find(layout->u.index.starts, copy);
  *start =
      uniform ? frame * MPJ_LAYOUT_FRAME * uniform : mpj_sequence_at(layout->u.index.starts, frame);
  return frame * MPJ_LAYOUT_FRAME;
}

/* The block, in the frame that holds the copy, that does. */
MPJ_Count mpj_layout_index_find(const struct mpj_layout *layout, MPJ_Count copy)
{
  MPJ_Count lens[MPJ_LAYOUT_FRAME], uniform = layout->u.index.uniform;
  if (uniform) return copy / uniform;
  MPJ_Count frame = mpj_sequence_find(layout->u.index.starts, copy);
  MPJ_Count first = frame * MPJ_LAYOUT_FRAME, left = layout->u.index.nblocks - first;
  MPJ_Count end = mpj_sequence_at(layout->u.index.starts, frame), k = 0;
  mpj_sequence_read(layout->u.index.lens, first, left < MPJ_LAYOUT_FRAME ? left : MPJ_LAYOUT_FRAME,
                    lens);
  while ((end += lens[k]) <= copy)
    k++;
  return first + k;
}

/* The last i in 0..n-1 with starts[i] <= value. */
static MPJ_Count find_start(const MPJ_Count starts[], MPJ_Count n, MPJ_Count value)
{
  MPJ_Count low = 0, high = n;
  while (high - low > 1) {
    MPJ_Count middle = low + (high - low) / 2;
    if (starts[middle] <= value)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Packed bytes of pieces [first, end) of a long SEQ, which are in one frame; or up
 * to the piece at *end that holds byte `limit` of them. */
static MPJ_Count bytes_between(const struct mpj_layout *layout, MPJ_Count first, MPJ_Count *end,
                               MPJ_Count limit)
{
  MPJ_Count rows[MPJ_LAYOUT_FRAME], sum = 0;
  if (first == *end) return 0;
  mpj_sequence_read(layout->u.seq.rows, first, *end - first, rows);
  for (MPJ_Count i = first; i < *end; i++) {
    MPJ_Count bytes = layout->u.seq.shapes->all[rows[i - first]]->signature.bytes;
    if (bytes > limit - sum) {
      *end = i;
      break;
    }
    sum += bytes;
  }
  return sum;
}

MPJ_Count mpj_layout_seq_find(const struct mpj_layout *layout, MPJ_Count byte)
{
  if (!layout->u.seq.shapes)
    return find_start(layout->u.seq.starts_of_short, layout->u.seq.npieces, byte);
  MPJ_Count frame = mpj_sequence_find(layout->u.seq.starts, byte), first = frame * MPJ_LAYOUT_FRAME;
  MPJ_Count left = layout->u.seq.npieces - first;
  MPJ_Count end = first + (left < MPJ_LAYOUT_FRAME ? left : MPJ_LAYOUT_FRAME);
  bytes_between(layout, first, &end, byte - mpj_sequence_at(layout->u.seq.starts, frame));
  return end;
}

/* Packed bytes before piece i of a long SEQ. */
static MPJ_Count start_of(const struct mpj_layout *layout, MPJ_Count i)
{
  MPJ_Count end = i, frame = i / MPJ_LAYOUT_FRAME;
  return mpj_sequence_at(layout->u.seq.starts, frame) +
         bytes_between(layout, frame * MPJ_LAYOUT_FRAME, &end, INT64_MAX);
}

void mpj_layout_seq_piece(const struct mpj_layout *layout, MPJ_Count i, struct mpj_piece *piece,
                          MPJ_Count *start)
{
  const struct mpj_shapes *shapes = layout->u.seq.shapes;
  if (!shapes) {
    if (piece) *piece = layout->u.seq.pieces[i];
    if (start) *start = layout->u.seq.starts_of_short[i];
    return;
  }
  if (piece)
    *piece = (struct mpj_piece){shapes->all[mpj_sequence_at(layout->u.seq.rows, i)],
                                mpj_sequence_at(layout->u.seq.displs, i)};
  if (start) *start = start_of(layout, i);
}

struct mpj_layout *const *mpj_layout_seq_shapes(const struct mpj_layout *layout, MPJ_Count *n)
{
  const struct mpj_shapes *shapes = layout->u.seq.shapes;
  if (!shapes) return NULL;
  *n = shapes->n;
  return shapes->all;
}

void mpj_layout_seq_frame(const struct mpj_layout *layout, MPJ_Count first, MPJ_Count n,
                          MPJ_Count rows[], MPJ_Aint displs[])
{
  if (rows) mpj_sequence_read(layout->u.seq.rows, first, n, rows);
  if (displs) mpj_sequence_read(layout->u.seq.displs, first, n, displs);
}
