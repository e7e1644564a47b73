/* This header declares the arguments of a type's outermost constructor, as three
 * arrays whose contents <mpj/introspect.h> defines for each combiner: what
 * MPJ_Type_get_contents, the text form and the encoded form are made from. They
 * are read back from where the type keeps them, in stretches of any length. */
#ifndef MPJ_SRC_TYPES_INTROSPECT_CONTENTS_H
#define MPJ_SRC_TYPES_INTROSPECT_CONTENTS_H

#include "types/make/spec.h"

struct mpj_contents {
  MPJ_Count counts, addresses, types; /* how many of each */
};

/* Call the constructor with these arguments.
 *   shapes  different shapes of part that distributions, and pieces of their own
 *           that slices may still have; what this one has is taken off. Bounds
 *           memory where arguments come from elsewhere.
 * Errors: MPJ_ERR_FORMAT (no such combiner, or numbers of arguments that do not
 * fit it), MPJ_ERR_UNSUPPORTED (too many shapes or pieces), and the constructor's. */
int mpj_contents_make(int combiner, const struct mpj_contents *n, const MPJ_Count counts[],
                      const MPJ_Aint addresses[], const MPJ_Datatype types[], MPJ_Count *shapes,
                      MPJ_Datatype *newtype);

#endif
