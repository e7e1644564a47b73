/* This header declares the types that a text has been read into so far: a text that comes again is
 * the same type, so that lists of few types are as compact as those that were printed. */
#ifndef MPJ_SRC_TYPES_TEXT_MADE_H
#define MPJ_SRC_TYPES_TEXT_MADE_H

#include <stddef.h>
#include <stdint.h>

#include <mpj/base.h>

/* A type and the text that it was made of, which is borrowed. */
struct mpj_made_type {
  const char *start;
  size_t length;
  uint32_t hash; /* equal for equal texts; otherwise any */
  MPJ_Datatype type;
};

/* Zeroed at first. Invariant: slots is a hash table, open addressing, of the n types. */
struct mpj_made {
  struct mpj_made_type *slots; /* [capacity], owned, as the types are; a null type: free */
  size_t n, capacity;
};

/* The type of an equal text, borrowed; MPJ_DATATYPE_NULL if none has come. */
MPJ_Datatype mpj_made_find(const struct mpj_made *made, const struct mpj_made_type *wanted);

/* Take a type whose text has not come before. It is freed if there is no memory.
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_made_add(struct mpj_made *made, struct mpj_made_type type);

/* Free all types. */
void mpj_made_free(struct mpj_made *made);

#endif
