/* This header declares where two axes meet: the positions of a section of one that a coordinate of
 * it holds, by the coordinate of the other that holds the same positions of its section. Position s
 * is index start + s * step of each.
 *
 * Positions in a row that lie in one stretch on either side are a run. Where the stretches of both
 * repeat, only the runs of one period are listed: positions [0, period), `periods` times, then the
 * first `rest` positions of one more. */
#ifndef MPJ_SRC_ARRAY_INTERSECT_H
#define MPJ_SRC_ARRAY_INTERSECT_H

#include "array/describe/format.h"

struct mpj_run {
  MPJ_Count s, len;
  MPJ_Count local; /* on this side, of position s; the next one's is `slope` further */
  int peer;        /* coordinate on the other side */
};

/* Runs [first, first + n) of the meeting, of one peer; the first `ntail` of them begin within rest.
 */
struct mpj_common_peer {
  int coord;
  size_t first, n, ntail;
};

struct mpj_intersection {
  MPJ_Count periods, rest, advance; /* of local, from period to period */
  MPJ_Count slope;
  size_t nruns, npeers;
  struct mpj_run *runs;          /* [nruns] owned, by peer, then by s */
  struct mpj_common_peer *peers; /* [npeers] owned, rising */
};

/* Where coordinate `coord` of `mine` meets `theirs`. The sections are inside their axes, and have
 * one count; steps are not 0. Errors: MPJ_ERR_NO_MEM. O(runs log runs). */
int mpj_intersect(const struct mpj_axis *mine, int coord, const MPJ_Range *section,
                  const struct mpj_axis *theirs, const MPJ_Range *their_section,
                  struct mpj_intersection *meeting);
void mpj_intersection_end(struct mpj_intersection *meeting);

#endif
