/* This header declares the making of long sequences: SEQ layouts of so many pieces
 * that they are kept as numbers of their shapes and displacements, both compressed.
 * For the layout_seq*.c files, bucket structs and slices. */
#ifndef MPJ_SRC_TYPES_LAYOUT_LONG_SEQ_H
#define MPJ_SRC_TYPES_LAYOUT_LONG_SEQ_H

#include "types/layout/shapes.h"
#include "types/sequence/series.h"

/* Pieces shapes[numbers[i]], moved by displs[i] bytes. Borrowed. */
struct mpj_mix {
  MPJ_Count n;
  const int *numbers;     /* [n] */
  const MPJ_Aint *displs; /* [n] */
  int nshapes;
  const struct mpj_piece *shapes; /* [nshapes] */
};

/* Whether the pieces of a list stay as they are: there are more than
 * MPJ_LAYOUT_SEQ_OPEN, and joining neighbours would save less than one in eight. */
bool mpj_pieces_stay(MPJ_Count n, const struct mpj_piece pieces[]);
bool mpj_mix_stays(const struct mpj_mix *mix);

#endif
