/* This header declares forms: what a type's constructor was told and neither
 * its part table nor its bounds say. Counted, immutable, shared by all
 * descriptions made from one call. */
#ifndef MPJ_SRC_TYPES_MAKE_FORM_H
#define MPJ_SRC_TYPES_MAKE_FORM_H

#include "base/refcount.h"
#include "types/make/spec.h"

struct mpj_form {
  mpj_refcount references;
  struct mpj_type_spec old; /* owned. DUP, RESIZED, SLICE: the old type.
                             * DARRAY: only parts, the distribution's table */
  MPJ_Count rank;           /* DARRAY: whose share */
  MPJ_Count first, count;   /* SLICE: the stretch */

  /* BUCKET_INDEX, HBUCKET_INDEX, else NULL: lengths of the buckets, and the
   * buckets in the order of their lengths, equal ones by number. */
  int nbuckets;
  MPJ_Count *bucket_lens; /* [nbuckets], owned */
  int *by_length;         /* [nbuckets], owned */

  struct mpj_form *released; /* as in parts.h */
};

/* References; NULL is let pass. Threads: any. */
struct mpj_form *mpj_form_retain(struct mpj_form *form);
void mpj_form_release(struct mpj_form *form);

#endif
