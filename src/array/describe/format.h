/* This header declares what a distribution format is: how the indices of one axis are spread over
 * the coordinates of a grid dimension. Nobody above this file knows a format by name; they ask for
 * stretches: indices [start, end) that lie in a row on one coordinate, the first at `local` of what
 * it holds of the axis. The stretches of an axis cover [0, size) once. A new format is another way
 * to answer the questions below, and a row in format.c. */
#ifndef MPJ_SRC_ARRAY_FORMAT_H
#define MPJ_SRC_ARRAY_FORMAT_H

#include <stdbool.h>

#include <mpj/array.h>
#include <mpj/mpj.h>

/* Regular formats: blocks of `block` indices are dealt to the coordinates first, first + 1, ... in
 * turn (ncuts is 0). The others: stretch i is [starts[i], starts[i + 1]), of owners[i]. */
struct mpj_axis {
  MPJ_Count size, block;
  int procs;    /* coordinates that share the axis; 1: it is not distributed */
  int grid_dim; /* or -1 where it is not distributed */
  int first;
  bool periodic;
  MPJ_Count low, high; /* ghosts on each side */
  int format;          /* as given, for messages and comparison */
  MPJ_Count ncuts;
  MPJ_Count *starts; /* [ncuts + 1], owned, as the following */
  MPJ_Count *locals; /* [ncuts] */
  int *owners;       /* [ncuts] */
  MPJ_Count *of;     /* [ncuts] the stretches by owner, those of coordinate c from owned[c] on */
  MPJ_Count *owned;  /* [procs + 1] */
};

struct mpj_stretch {
  MPJ_Count start, end, local;
  int coord;
};

/* Set up axis number d (for messages). procs: of the grid dimension. Errors: MPJ_ERR_ARG,
 * MPJ_ERR_NO_MEM, MPJ_ERR_OVERFLOW; then it owns nothing. */
int mpj_axis_begin(struct mpj_axis *axis, int d, const MPJ_Axis *given, int grid_ndims,
                   const int grid[]);
void mpj_axis_end(struct mpj_axis *axis);

/* The darg of MPJ_Axis that describes it, 0 where there is none. */
MPJ_Count mpj_axis_darg(const struct mpj_axis *axis);
/* The lengths of MPJ_Axis that describe it, written where out is not NULL; how many there are. */
MPJ_Count mpj_axis_lengths(const struct mpj_axis *axis, MPJ_Count out[]);

/* The stretch that holds index g, 0 <= g < size. */
void mpj_axis_at(const struct mpj_axis *axis, MPJ_Count g, struct mpj_stretch *stretch);

/* The stretch of a coordinate that holds g, or the next one from there, upwards (direction 1) or
 * downwards (-1). False: there is none. */
bool mpj_axis_next(const struct mpj_axis *axis, int coord, MPJ_Count g, int direction,
                   struct mpj_stretch *stretch);

/* Indices that a coordinate holds; its stretches; the global index at `local`. */
MPJ_Count mpj_axis_held(const struct mpj_axis *axis, int coord);
MPJ_Count mpj_axis_held_most(const struct mpj_axis *axis); /* by any coordinate */
MPJ_Count mpj_axis_stretches(const struct mpj_axis *axis, int coord);
MPJ_Count mpj_axis_global(const struct mpj_axis *axis, int coord, MPJ_Count local);

/* After how many indices the stretches repeat, and by how much `local` has advanced then; 0: they
 * do not. An axis that is not distributed repeats after 1. */
MPJ_Count mpj_axis_period(const struct mpj_axis *axis, MPJ_Count *advance);

/* A description in numbers, the same for equal axes: n of them, written where out is not NULL. */
int mpj_axis_digest(const struct mpj_axis *axis, MPJ_Count out[]);
enum {
  MPJ_AXIS_DIGEST = 10,
  MPJ_AXIS_DIGEST_FORMAT = 1,
  MPJ_AXIS_DIGEST_LOW = 6, /* where these stand */
  MPJ_AXIS_DIGEST_HIGH = 7,
  MPJ_AXIS_DIGEST_PERIODIC = 8,
  MPJ_AXIS_DIGEST_LENGTHS = 9
};

#endif
