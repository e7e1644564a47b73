/* This header declares type descriptions: all that a constructor needs to know
 * of an old type, and all that it produces of the new one, by value. */
#ifndef MPJ_SRC_TYPES_SPEC_H
#define MPJ_SRC_TYPES_SPEC_H

#include <stdbool.h>

#include "types/layout.h"

struct mpj_parts;

/* Invariant: ub - lb, and map.displ + the layout's true bounds, fit MPJ_Aint. */
struct mpj_type_spec {
  struct mpj_piece map;    /* the whole type map */
  struct mpj_parts *parts; /* shared */
  MPJ_Aint lb, ub;         /* bytes; extent = ub - lb */
  bool marked;             /* bounds were set, not computed; sticky in types built of it */
  int alignment;           /* strictest of the basic types, bytes; 1 if none */
};

static inline MPJ_Aint mpj_spec_extent(const struct mpj_type_spec *spec)
{
  return spec->ub - spec->lb;
}

/* The same description, with references of its own to map and parts. */
struct mpj_type_spec mpj_spec_retain(const struct mpj_type_spec *spec);

/* Release map and parts; either may be NULL. */
void mpj_spec_release(struct mpj_type_spec *spec);

#endif
