/* This header declares how remaps are made of arrays over one communicator. */
#ifndef MPJ_SRC_ARRAY_REMAP_H
#define MPJ_SRC_ARRAY_REMAP_H

#include "array/ends.h"

/* MPJ_Remap_create of arrays that are there, over congruent communicators. Collective.
 *   told  all ranks have made the arrays of one description, and some with a stand-in for the
 *         element: checking mode does not compare them again */
int mpj_remap_make(bool told, struct mpj_grid_array *from, const MPJ_Range section[],
                   struct mpj_grid_array *to, const MPJ_Range to_section[], const int axis_of[],
                   MPJ_Schedule *schedule);

/* What this rank sends and receives between sections that fit: the schedule's patches. */
int mpj_remap_list(struct mpj_array_schedule *schedule, const struct mpj_end *from,
                   const struct mpj_end *to);

#endif
