/* This header declares lists of parts: which of a sparse type's parts have data, all that a
 * schedule of messages depends on. */
#ifndef MPJ_SRC_TYPES_SPARSE_PART_LIST_H
#define MPJ_SRC_TYPES_SPARSE_PART_LIST_H

#include <stdbool.h>

#include "types/sequence/sequence.h"

/* Invariant: numbers rise; NULL if n is 0. hash is that of the numbers, found when the list is
 * made. */
struct mpj_part_list {
  MPJ_Count n;
  struct mpj_sequence *numbers; /* [n], shared */
  uint64_t hash;
};

/* Lists that are of one type, or of types made by equal calls, are told alike at once. */
static inline bool mpj_part_list_equal(const struct mpj_part_list *a, const struct mpj_part_list *b)
{
  return a->n == b->n && a->hash == b->hash &&
         (a->numbers == b->numbers || mpj_sequence_equal(a->numbers, b->numbers));
}

#endif
