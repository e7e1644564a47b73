/* This header declares how a communicator's ranks form neighbourhoods: lines of a torus or mesh.
 *
 * The grid is the communicator's own (MPJ_Comm_create_torus); else that of the simulated machine;
 * else, where every node has equally many consecutive ranks, nodes by ranks of a node; else one
 * line of all ranks. So it is the same on all ranks.
 *
 * Data goes from a root along its line in dimension 0, from each rank of that along its line in
 * dimension 1, and so on. A rank other than the root belongs to the line of the last dimension in
 * which it differs from the root (its level), and is the head of its lines in all later ones.
 * Position 0 of a line is its head, position j the rank j further up, round the end. From the head
 * two chains lead along the links: positions 1 .. up, and n - 1 down to up + 1; where the line
 * wraps around both are as long as can be, else they end at its ends. */
#ifndef MPJ_SRC_COLL_TORUS_LINES_H
#define MPJ_SRC_COLL_TORUS_LINES_H

#include "coll/comm/comm.h"
#include "coll/torus/shape.h"

struct mpj_lines {
  struct mpj_torus grid; /* dimensions of one rank are left out; ndims may be 0 */
  int rank, level;       /* level: -1 at the root */
  int here[MPJ_TORUS_DIMS_MAX], root[MPJ_TORUS_DIMS_MAX]; /* coordinates */
};

void mpj_lines_find(const struct mpj_comm *comm, int root, struct mpj_lines *lines);
/* The same as another rank sees it. */
void mpj_lines_from(const struct mpj_lines *lines, int rank, struct mpj_lines *other);

/* This rank's line in dimension d, level <= d. */
struct mpj_line {
  int n, up, position;    /* of this rank */
  int head, base, stride; /* the head's coordinate; the rank at coordinate 0; between two */
};
struct mpj_line mpj_line_of(const struct mpj_lines *lines, int d);

static inline int mpj_line_rank(const struct mpj_line *line, int position)
{
  return line->base + (line->head + position) % line->n * line->stride;
}

/* The position before this rank's in its chain; it is not the head. */
static inline int mpj_line_before(const struct mpj_line *line)
{
  return line->position <= line->up ? line->position - 1 : (line->position + 1) % line->n;
}
/* The next in the upward (k 0) or downward chain (k 1), or -1. */
static inline int mpj_line_next(const struct mpj_line *line, int k)
{
  const int j = line->position;
  if (k == 0) return j < line->up ? j + 1 : -1;
  if (j == 0) return line->up < line->n - 1 ? line->n - 1 : -1;
  return j > line->up + 1 ? j - 1 : -1;
}

#endif
