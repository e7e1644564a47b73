/* This header declares the least description of a type map: what normalisation is
 * measured by. Costs are counted in words: RUN 2, LOOP 3 and its child, INDEX 3, a
 * word a block (two where lengths differ) and its child, SEQ 1 and for each piece 2
 * and its layout. Nothing is shared. */
#ifndef MPJ_TESTS_TYPES_OPTIMUM_H
#define MPJ_TESTS_TYPES_OPTIMUM_H

#include "types/layout/layout.h"
#include "types/reference.h"

enum { OPTIMUM_MOST = 48 }; /* elements */

/* Least cost over all trees of these nodes with the map entries[n], 1 <= n <=
 * OPTIMUM_MOST, found by dynamic programming over its stretches (after Ganian,
 * Kalany, Szeider, Traeff, IPDPS 2016, who show that it takes polynomial time). */
int optimum_cost(const struct mpj_ref_entry entries[], MPJ_Count n);

/* The cost of a layout. */
int optimum_cost_of(const struct mpj_layout *layout);

#endif
