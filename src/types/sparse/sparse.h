/* This header declares the part table of sparse types: of many parts, few are given. */
#ifndef MPJ_SRC_TYPES_SPARSE_SPARSE_H
#define MPJ_SRC_TYPES_SPARSE_SPARSE_H

#include "types/parts/parts.h"
#include "types/sparse/part_list.h"

/* Invariant: part given.numbers(k) is the old type of block k; all others are empty. filled is
 * given without those whose old types are empty. */
struct mpj_sparse {
  struct mpj_parts head;
  struct mpj_parts *blocks; /* [given.n], the table of a struct; owned */
  struct mpj_part_list given, filled;
};

/* The table behind a type's parts, or NULL: they are not sparse. */
const struct mpj_sparse *mpj_sparse_of(const struct mpj_parts *parts);

/* nparts parts; part numbers[k] is the old type of block k of `blocks`, which is moved: on failure
 * it has been released. numbers [blocks->count] rise, borrowed. Errors: MPJ_ERR_NO_MEM. */
int mpj_parts_sparse(MPJ_Count nparts, const MPJ_Count numbers[], struct mpj_parts *blocks,
                     struct mpj_parts **out);

#endif
