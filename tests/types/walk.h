/* This header declares the walk of a view: its elements one by one, read from
 * the layout through its accessors. For tests. */
#ifndef MPJ_TESTS_TYPES_WALK_H
#define MPJ_TESTS_TYPES_WALK_H

#include "types/parts/view.h"
#include "types/reference.h"

/* The elements of the view in order, allocated with malloc; *n is their number. */
struct mpj_ref_entry *mpj_walk(const struct mpj_view *view, MPJ_Count *n);

/* Whether the view's elements are ref's, moved by `origin` bytes. If not, prints
 * the first that differs on stderr. */
bool mpj_walk_matches(const struct mpj_view *view, MPJ_Aint origin, const struct mpj_ref *ref);

#endif
