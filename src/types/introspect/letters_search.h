/* This header declares how sequences of basic types are looked for by the hash of their signature.
 */
#ifndef MPJ_SRC_TYPES_INTROSPECT_LETTERS_SEARCH_H
#define MPJ_SRC_TYPES_INTROSPECT_LETTERS_SEARCH_H

#include "types/introspect/letters.h"
#include "types/signature.h"

/* What is looked for, and the letters that it may consist of: one row of mpj_basics each. */
struct mpj_letters_search {
  MPJ_Count bytes;
  MPJ_Count times; /* so many equal stretches are looked for */
  uint64_t hash;
  int rows[MPJ_BASIC_COUNT], nrows;
  MPJ_Count tries; /* that are left */
  struct mpj_letters *out;
};

/* The signature of runs first .. end - 1, once. */
struct mpj_signature mpj_letters_signature(const struct mpj_letters *l, int first, int end);

/* Whether these are what is looked for; *s->out is then set. */
bool mpj_letters_is_it(const struct mpj_letters_search *s, const struct mpj_letters *l);

/* Some of row a, then row b to the end. O(bytes) multiplications. */
bool mpj_letters_find_two(struct mpj_letters_search *s, int a, int b);

/* `own` with a few elements of another basic type in place of some, or between two, of a run.
 * O(bytes) comparisons a letter. */
bool mpj_letters_find_replaced(struct mpj_letters_search *s, const struct mpj_letters *own);

#endif
