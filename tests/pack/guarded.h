/* This header declares memory between two pages that may not be touched. */
#ifndef MPJ_TESTS_PACK_GUARDED_H
#define MPJ_TESTS_PACK_GUARDED_H

#include <stddef.h>

struct guarded {
  char *at; /* the usable bytes, touching one guard page */
  char *mapping;
  int order; /* the mapping has 2^order pages between its guards */
};

/* `bytes` usable bytes, ending at a guard page, or (at_start) beginning after
 * one; what is in them is undefined. Ends the program when there is no memory.
 * Mappings are kept for reuse. Threads: one. */
struct guarded guarded_make(size_t bytes, int at_start);
void guarded_free(struct guarded *g);

/* Address space without memory behind it, for maps with vast extents: pages
 * appear, zeroed, as they are touched. Kept until the program ends. */
char *guarded_reserve(size_t bytes);

#endif
