/* This header declares the measuring of INDEX and SEQ nodes: every field that follows
 * from what is in them, however they are stored and whoever makes them. For the files
 * that make such nodes. */
#ifndef MPJ_SRC_TYPES_LAYOUT_LAYOUT_MEASURE_H
#define MPJ_SRC_TYPES_LAYOUT_LAYOUT_MEASURE_H

#include "types/layout/layout.h"

/* Set the fields of a node whose u is set. Errors: MPJ_ERR_OVERFLOW (packed size, or true
 * bounds). */

/* An INDEX: signature, depth, alignment and basics; then the true bounds, where its first
 * block lies at `origin` and its data are copies of `unit` (the child, or what the child
 * itself repeats) at low .. high bytes. */
int mpj_layout_measure_index(struct mpj_layout *node);
int mpj_layout_bound_index(struct mpj_layout *node, MPJ_Aint origin, const struct mpj_layout *unit,
                           MPJ_Aint low, MPJ_Aint high);

/* A SEQ, short or long: all of these. Its first piece lies at `origin`.
 *   starts  NULL, or to be set: the packed bytes before each piece of a short one, before
 *           each MPJ_LAYOUT_FRAME'th of a long one; last, those of all
 *   pieces  those that the node is made of, at their displacements, where they need not be read
 *           back; or NULL */
int mpj_layout_measure_seq(struct mpj_layout *node, MPJ_Aint origin, MPJ_Count starts[],
                           const struct mpj_piece pieces[]);

#endif
