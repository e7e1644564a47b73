/* This header declares how long sequences of pieces are made. */
#ifndef MPJ_SRC_TYPES_LAYOUT_LONG_SEQ_MAKE_H
#define MPJ_SRC_TYPES_LAYOUT_LONG_SEQ_MAKE_H

#include "types/layout/long_seq.h"

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
