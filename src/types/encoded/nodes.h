/* This header declares the distinct types that one is built of, old types before
 * new ones: what the encoded form numbers, so that a type that is used many
 * times is written once. */
#ifndef MPJ_SRC_TYPES_ENCODED_NODES_H
#define MPJ_SRC_TYPES_ENCODED_NODES_H

#include "types/make/spec.h"

/* specs[n] borrow from the type they were collected from. slots is a hash table
 * of numbers, open addressing: its size is a power of two and over n. */
struct mpj_nodes {
  struct mpj_type_spec *specs; /* owned */
  size_t n, capacity;
  uint32_t *slots; /* owned; number + 1, or 0 */
  size_t nslots;
};

/* Collect spec and all below it; spec becomes the last. Errors: MPJ_ERR_NO_MEM,
 * MPJ_ERR_UNSUPPORTED (2^31 types or more). To be freed in any case. */
int mpj_nodes_collect(struct mpj_nodes *nodes, const struct mpj_type_spec *spec);

/* The number of a spec that was collected. */
size_t mpj_nodes_number(const struct mpj_nodes *nodes, const struct mpj_type_spec *spec);

void mpj_nodes_free(struct mpj_nodes *nodes);

#endif
