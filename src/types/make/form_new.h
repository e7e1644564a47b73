/* This header declares how a form is made. */
#ifndef MPJ_SRC_TYPES_MAKE_FORM_NEW_H
#define MPJ_SRC_TYPES_MAKE_FORM_NEW_H

#include "types/make/form.h"

/* A form over `old`, which is retained. Errors: MPJ_ERR_NO_MEM. */
int mpj_form_new(const struct mpj_type_spec *old, struct mpj_form **out);

#endif
