/* This header declares the indexed constructor on a description, for all whose
 * blocks are of one old type. */
#ifndef MPJ_SRC_TYPES_MAKE_INDEXED_H
#define MPJ_SRC_TYPES_MAKE_INDEXED_H

#include "types/make/spec.h"
#include "types/sequence/series.h"

/* MPJ_ERR_ARG naming the first negative one of blocklens[count]. */
int mpj_check_blocklens(MPJ_Count count, const MPJ_Count blocklens[]);

/* Make the type whose block i is lens(i) >= 0 copies of old at displs(i) * unit
 * bytes, for whichever constructor comes down to that. Both series have one n and
 * are borrowed, as old is.
 *   form  what the constructor was told beside; moved, whatever the status; or NULL
 * Errors: MPJ_ERR_OVERFLOW (naming displs), MPJ_ERR_NO_MEM. */
int mpj_create_indexed(enum mpj_combiner combiner, const struct mpj_series *lens,
                       const MPJ_Count displs[], MPJ_Aint unit, const struct mpj_type_spec *old,
                       struct mpj_form *form, MPJ_Datatype *newtype);

#endif
