/* This header declares the indexed constructor on a description, for structs
 * whose types are all one. */
#ifndef MPJ_SRC_TYPES_INDEXED_H
#define MPJ_SRC_TYPES_INDEXED_H

#include "types/spec.h"

/* MPJ_ERR_ARG naming the first negative one of blocklens[count]. */
int mpj_check_blocklens(MPJ_Count count, const MPJ_Count blocklens[]);

/* MPJ_Type_create_hindexed, its arguments checked, for whichever
 * constructor comes down to it. old is borrowed. */
int mpj_create_hindexed(enum mpj_combiner combiner, MPJ_Count count, const MPJ_Count blocklens[],
                        const MPJ_Aint displs[], const struct mpj_type_spec *old,
                        MPJ_Datatype *newtype);

#endif
