/* This header declares the reference of a type that is at hand: read from its
 * envelope and contents, whoever made it, and expanded by the definitions. */
#ifndef MPJ_TESTS_TYPES_EXPAND_H
#define MPJ_TESTS_TYPES_EXPAND_H

#include "types/reference.h"

/* The reference of the type, owned; NULL where some type inside it, or a list of
 * arguments, would take more than about `most` entries, or lies further than
 * 2^40 bytes from its origin: such a type cannot be expanded. Ends the program if
 * contents cannot be read. */
struct mpj_ref *mpj_ref_of_type(MPJ_Datatype type, MPJ_Count most);

#endif
