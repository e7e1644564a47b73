/* This file reads INDEX and SEQ layouts for the other layers. */
#include "types/layout.h"

#include <string.h>

void mpj_layout_index_block(const struct mpj_layout *layout, MPJ_Count i, MPJ_Aint *displ,
                            MPJ_Count *copies, MPJ_Count *start)
{
  MPJ_Count uniform = layout->u.index.uniform;
  if (displ) *displ = layout->u.index.displs[i];
  if (copies) *copies = uniform ? uniform : layout->u.index.blocklens[i];
  if (start) *start = uniform ? i * uniform : layout->u.index.starts[i];
}

void mpj_layout_index_blocks(const struct mpj_layout *layout, MPJ_Count first, MPJ_Count n,
                             MPJ_Aint displs[], MPJ_Count copies[], MPJ_Count *start)
{
  MPJ_Count uniform = layout->u.index.uniform;
  memcpy(displs, layout->u.index.displs + first, (size_t)n * sizeof *displs);
  *start = uniform ? first * uniform : layout->u.index.starts[first];
  if (!uniform) {
    memcpy(copies, layout->u.index.blocklens + first, (size_t)n * sizeof *copies);
    return;
  }
  for (MPJ_Count i = 0; i < n; i++) copies[i] = uniform;
}

MPJ_Count mpj_layout_index_copies(const struct mpj_layout *layout)
{
  MPJ_Count n = layout->u.index.nblocks, uniform = layout->u.index.uniform;
  return uniform ? n * uniform : layout->u.index.starts[n];
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

MPJ_Count mpj_layout_index_find(const struct mpj_layout *layout, MPJ_Count copy)
{
  MPJ_Count uniform = layout->u.index.uniform;
  return uniform ? copy / uniform
                 : find_start(layout->u.index.starts, layout->u.index.nblocks, copy);
}

MPJ_Count mpj_layout_seq_find(const struct mpj_layout *layout, MPJ_Count byte)
{
  return find_start(layout->u.seq.starts, layout->u.seq.npieces, byte);
}

void mpj_layout_seq_piece(const struct mpj_layout *layout, MPJ_Count i, struct mpj_piece *piece,
                          MPJ_Count *start)
{
  if (piece) *piece = layout->u.seq.pieces[i];
  if (start) *start = layout->u.seq.starts[i];
}
