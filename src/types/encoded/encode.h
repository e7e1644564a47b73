#ifndef MPJ_SRC_TYPES_ENCODED_ENCODE_H
#define MPJ_SRC_TYPES_ENCODED_ENCODE_H
#include <mpj/introspect.h>

/* MPJ_Type_encode into memory of its own: *message, *bytes long, is released by mpj_free. After
 * an error both are as before. Errors: MPJ_ERR_TYPE, MPJ_ERR_NO_MEM. */
int mpj_type_encode(MPJ_Datatype type, void **message, MPJ_Count *bytes);

#endif
