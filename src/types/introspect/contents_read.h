/* This header declares how a type's contents are read. */
#ifndef MPJ_SRC_TYPES_INTROSPECT_CONTENTS_READ_H
#define MPJ_SRC_TYPES_INTROSPECT_CONTENTS_READ_H

#include "types/introspect/contents.h"

struct mpj_contents mpj_contents_of(const struct mpj_type_spec *spec);

/* Stretches [first, first + n) of the arrays; n >= 0. Types are borrowed. */
void mpj_contents_counts(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                         MPJ_Count out[]);
void mpj_contents_addresses(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                            MPJ_Aint out[]);
void mpj_contents_types(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                        const struct mpj_type_spec *out[]);

#endif
