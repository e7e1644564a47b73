/* This header declares what a rank wants by an irregular schedule, while that is sorted. */
#ifndef MPJ_SRC_ARRAY_WANTS_H
#define MPJ_SRC_ARRAY_WANTS_H

#include "array/array_schedule.h"
#include "array/negotiate.h"
#include "array/radix.h"

/* Want i: a key (the rank, and below it the offset) and its number i in the order in which it was
 * named; in one word of 64 bits if they fit, i in the lowest bits, else a struct mpj_keyed. */
struct mpj_wants {
  size_t n;
  void *items, *room; /* [n] owned each; room is for sorting */
  bool narrow;
  int offset_bits, number_bits, bits; /* bits: of a key */
};

/* The furthest offset that a key of 64 bits has room for beside ranks up to `highest`. */
MPJ_Count mpj_wants_furthest(MPJ_Count highest);

/* Room for n wants of ranks up to `highest` and offsets up to `furthest`. Errors: MPJ_ERR_OVERFLOW
 * (a key exceeds 64 bits), MPJ_ERR_NO_MEM. */
int mpj_wants_begin(struct mpj_wants *wants, size_t n, MPJ_Count highest, MPJ_Count furthest);
void mpj_wants_end(struct mpj_wants *wants);

static inline void mpj_wants_put(struct mpj_wants *wants, size_t i, int rank, MPJ_Count offset)
{
  const uint64_t key = (uint64_t)rank << wants->offset_bits | (uint64_t)offset;
  if (wants->narrow)
    ((uint64_t *)wants->items)[i] = key << wants->number_bits | i;
  else
    ((struct mpj_keyed *)wants->items)[i] = (struct mpj_keyed){key, (MPJ_Count)i};
}

/* Sort them by rank, offset and number, and list each element once. Of want i the place is
 * places[i], or i if places is NULL.
 *   wanted    set: what to ask for; its offsets lie in the memory of `wants`, which it does not own
 *   firsts    set, [wants->n] in that memory: the first place of each element
 *   repeated  made: the elements that are wanted repeatedly, and their places
 * Returns how many elements there are in *nunique. Errors: MPJ_ERR_NO_MEM. */
int mpj_wants_unique(struct mpj_wants *wants, const MPJ_Count places[],
                     struct mpj_requests_of *wanted, MPJ_Count **firsts, size_t *nunique,
                     struct mpj_spread *repeated);

#endif
