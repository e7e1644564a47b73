/* This header declares what the constructors share: the check of arguments, and
 * descriptions of contiguous types and of arrays. */
#ifndef MPJ_SRC_TYPES_MAKE_BUILD_H
#define MPJ_SRC_TYPES_MAKE_BUILD_H

#include "types/type.h"

enum { MPJ_DIMS_MAX = 64 };

/* Check the arguments that constructors have in common and resolve oldtype into
 * a borrowed description. Errors: MPJ_ERR_ARG, MPJ_ERR_TYPE, MPJ_ERR_UNSUPPORTED (too deep). */
int mpj_build_begin(MPJ_Count count, MPJ_Datatype oldtype, MPJ_Datatype *newtype,
                    struct mpj_type_spec *old);

/* MPJ_ERR_UNSUPPORTED naming the argument, if nothing can be built over a type
 * that deep. */
int mpj_build_check_depth(const struct mpj_type_spec *old, const char *argument);

/* Check a number of dimensions and an order. */
int mpj_build_check_shape(int ndims, int order);

/* Make spec, a retained copy of old, one of a constructor over old that keeps its
 * map and parts. Errors: MPJ_ERR_NO_MEM. */
int mpj_build_wrap(enum mpj_combiner combiner, const struct mpj_type_spec *old,
                   struct mpj_type_spec *spec);

/* The end of every constructor: pass a failure on, with what had been built so
 * far released, or make the type. */
int mpj_build_end(int status, struct mpj_type_spec *spec, MPJ_Datatype *newtype);

/* A box inside an array of old; parts are the slices along the slowest dimension.
 *   sizes, subsizes, starts [ndims]; starts may be NULL: all 0; checked already
 * *spec is owned on MPJ_SUCCESS. */
int mpj_spec_array(int ndims, const MPJ_Count sizes[], const MPJ_Count subsizes[],
                   const MPJ_Count starts[], int order, const struct mpj_type_spec *old,
                   struct mpj_type_spec *spec);

/* As MPJ_Type_create_subarray, but sizes may be 0, as those of the local array of
 * a process that owns nothing are. */
int mpj_create_array(int ndims, const MPJ_Count sizes[], const MPJ_Count subsizes[],
                     const MPJ_Count starts[], int order, MPJ_Datatype oldtype,
                     MPJ_Datatype *newtype);

#endif
