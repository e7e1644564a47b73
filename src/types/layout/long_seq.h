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

/* As mpj_layout_seq of pieces that stay, or that no neighbours of join. */
int mpj_long_seq(MPJ_Count n, const struct mpj_piece pieces[], struct mpj_piece *out);

/* If the mix's pieces have data and stay, are of at most MPJ_LAYOUT_SEQ_OPEN shapes,
 * and all shapes lie at one displacement: make them a layout in O(1) memory beside it, and set
 * *same, and row_of [nshapes] to the row of the layout that a shape has become, or -1. Else *same
 * is false, and *out is not set. */
int mpj_long_seq_of_mix(const struct mpj_mix *mix, struct mpj_piece *out, bool *same,
                        MPJ_Count row_of[]);

/* Pieces [first, first + n) of a long sequence, displacements relative to its
 * origin, over its own numbers in O(1) memory: first and n > 0 are multiples of
 * MPJ_LAYOUT_FRAME. O(n). */
int mpj_long_seq_window(const struct mpj_layout *seq, MPJ_Count first, MPJ_Count n,
                        struct mpj_piece *out);

#endif
