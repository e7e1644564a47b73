/* This header declares the counting of the bytes that a type keeps: every object
 * that it leads to, once, as the allocator sees it.
 *
 * A part table and an attachment count themselves: they add what they own and go on
 * to what they refer to. Permanent objects (basic types) are not counted. */
#ifndef MPJ_SRC_TYPES_LAYOUT_FOOTPRINT_H
#define MPJ_SRC_TYPES_LAYOUT_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>

struct mpj_layout;
struct mpj_parts;
struct mpj_sequence;
struct mpj_type_spec;

/* Invariant: seen[nslots] is a hash table, open addressing, of the n objects
 * counted so far, NULL where free; nslots is a power of two and over n. */
struct mpj_footprint {
  size_t bytes;
  const void **seen; /* owned */
  size_t n, nslots;
  const struct mpj_type_spec **specs; /* [nspecs of capacity], owned: to be counted yet */
  size_t nspecs, capacity;
  bool busy;   /* they are being counted */
  bool failed; /* memory for a table ran out: bytes is too low */
};

/* Count an object from mpj_alloc; returns whether it is seen for the first time.
 * NULL, and everything once the count has failed, was seen. */
bool mpj_footprint_add(struct mpj_footprint *f, const void *object);

/* Count these and all they lead to; any may be NULL. What a description leads
 * to is counted when the one before is; it must live until then. Recursion: one level a
 * layout node. */
void mpj_footprint_sequence(struct mpj_footprint *f, const struct mpj_sequence *s);
void mpj_footprint_layout(struct mpj_footprint *f, const struct mpj_layout *layout);
void mpj_footprint_spec(struct mpj_footprint *f, const struct mpj_type_spec *spec);

#endif
