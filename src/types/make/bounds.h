/* This header declares the computation of a type's bounds from those of what it
 * is made of, by the rules of MPI 4.1, 5.1.6 and 5.1.7:
 *   some component marked: lb and ub are the least lb and the greatest ub of the
 *     marked components' copies;
 *   none: lb is the first byte of data, and ub the byte after the last, moved up
 *     until the extent is a multiple of the strictest alignment;
 *   no data and no marks: 0 and 0. */
#ifndef MPJ_SRC_TYPES_MAKE_BOUNDS_H
#define MPJ_SRC_TYPES_MAKE_BOUNDS_H

#include "types/make/spec.h"

struct mpj_bounds {
  bool marked;     /* a marked component was seen */
  MPJ_Aint lb, ub; /* of the marked ones */
  int alignment;
};

/* No components yet. */
struct mpj_bounds mpj_bounds_start(void);

/* Take in `copies` copies of old, one extent apart, the first at displ bytes.
 * Errors: MPJ_ERR_OVERFLOW. */
int mpj_bounds_add(struct mpj_bounds *b, MPJ_Count copies, MPJ_Aint displ,
                   const struct mpj_type_spec *old);

/* Set the bounds, marks and alignment of spec, whose map is there already.
 * Errors: MPJ_ERR_OVERFLOW. */
int mpj_bounds_finish(const struct mpj_bounds *b, struct mpj_type_spec *spec);

/* The same for given bounds, which become marked. */
int mpj_bounds_set(struct mpj_type_spec *spec, MPJ_Aint lb, MPJ_Aint ub, int alignment);

#endif
