/* This header declares what hangs on one handle and not on the type behind it:
 * its name and its attributes. */
#ifndef MPJ_SRC_TYPES_INTROSPECT_ANNEX_H
#define MPJ_SRC_TYPES_INTROSPECT_ANNEX_H

#include "types/layout/footprint.h"
#include "types/type.h"

struct mpj_attribute;

struct mpj_annex {
  char *name;                       /* owned, or NULL */
  struct mpj_attribute *attributes; /* owned list, the last set first */
};

/* Set *out to the annex of type, made if there was none. Errors: MPJ_ERR_NO_MEM. */
int mpj_annex_need(struct mpj_type *type, struct mpj_annex **out);

/* An annex with the type's name alone, for a copy that outlives the handle; NULL if it has no name,
 * or no memory is left. For mpj_free. */
struct mpj_annex *mpj_annex_of_name(const struct mpj_type *type);

/* Copy the attributes of `from` to `to`, which has none, as their callbacks say.
 * On failure `to` has none. Errors: MPJ_ERR_NO_MEM, a callback's. */
int mpj_annex_copy(struct mpj_type *from, struct mpj_type *to);

/* Delete all attributes of type, the last set first, then free its annex. If a
 * callback fails, its attribute and those set before it stay. */
int mpj_annex_clear(struct mpj_type *type);

/* Add the annex of type to f, keys and the program's values apart. */
void mpj_annex_measure(const struct mpj_type *type, struct mpj_footprint *f);

#endif
