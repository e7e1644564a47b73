/* This header declares type descriptions: all that a constructor needs to know
 * of an old type, and all that it produces of the new one, by value. */
#ifndef MPJ_SRC_TYPES_MAKE_SPEC_H
#define MPJ_SRC_TYPES_MAKE_SPEC_H

#include <stdbool.h>

#include <mpj/introspect.h>

#include "types/layout/layout.h"

struct mpj_parts;
struct mpj_form;

/* Most constructors over one another, each dimension of an array counted: what
 * is nested is also freed and encoded by recursion. */
enum { MPJ_DEPTH_MAX = 1000 };

/* Invariant: ub - lb, and map.displ + the layout's true bounds, fit MPJ_Aint. */
struct mpj_type_spec {
  struct mpj_piece map;    /* the whole type map */
  struct mpj_parts *parts; /* shared */
  struct mpj_form *form;   /* shared: arguments that parts does not tell; or NULL */
  MPJ_Aint lb, ub;         /* bytes; extent = ub - lb */
  int alignment;           /* strictest of the basic types, bytes; 1 if none */
  bool marked : 1;         /* bounds were set, not computed; sticky in types built of it */
  unsigned combiner : 7;   /* the outermost constructor, an mpj_combiner */
  unsigned depth : 16;     /* constructors over one another; 0: a basic type */
};

static inline MPJ_Aint mpj_spec_extent(const struct mpj_type_spec *spec)
{
  return spec->ub - spec->lb;
}

/* Whether a and b describe one type: what they refer to is the same object. */
static inline bool mpj_spec_same(const struct mpj_type_spec *a, const struct mpj_type_spec *b)
{
  return a->map.layout == b->map.layout && a->map.displ == b->map.displ && a->parts == b->parts &&
         a->form == b->form && a->lb == b->lb && a->ub == b->ub && a->combiner == b->combiner;
}

/* Note in spec who made it, over a type of this depth. */
static inline void mpj_spec_made_by(struct mpj_type_spec *spec, enum mpj_combiner combiner,
                                    unsigned old_depth)
{
  spec->combiner = (unsigned)combiner & 0x7f;
  spec->depth = (old_depth + 1) & 0xffff;
}

/* Take references of its own to map, parts and form. */
void mpj_spec_hold(const struct mpj_type_spec *spec);

/* The same description, with references of its own to map, parts and form. */
struct mpj_type_spec mpj_spec_retain(const struct mpj_type_spec *spec);

/* Release map, parts and form; any may be NULL. */
void mpj_spec_release(struct mpj_type_spec *spec);

#endif
