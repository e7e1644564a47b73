/* This header declares the search for periods in a list of blocks. */
#ifndef MPJ_SRC_TYPES_LAYOUT_PERIOD_H
#define MPJ_SRC_TYPES_LAYOUT_PERIOD_H

#include "types/sequence/series.h"

/* The smallest p, 2 <= p <= n / 2, such that every block i >= p has the length
 * of block i - p and lies one constant distance from it; or n if there is none.
 *   lens  NULL: all alike
 * A progression has no p here unless its lengths do. Linear time: the search
 * gives up (and answers n) after 4 n + 1024 comparisons, which takes a list of many
 * nearly periodic stretches. */
MPJ_Count mpj_period(const struct mpj_series *displs, const struct mpj_series *lens);

#endif
