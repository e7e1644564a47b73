/* This header declares a seeded generator of random datatypes, each with its
 * reference. Equal seeds and options give equal types on every machine.
 *
 * Any check that fails should print the seed and the text, which is the type's
 * constructor tree:
 *
 *   struct mpj_random rng = {seed};
 *   struct mpj_random_options options = {.depth = 4, .max_elements = 200};
 *   struct mpj_random_type t;
 *   mpj_random_type_make(&rng, &options, &t);
 *   ... t.type, t.ref, t.text ...
 *   mpj_random_type_free(&t);
 *
 * Constructors that fail end the program with text and detail. */
#ifndef MPJ_TESTS_TYPES_RANDOM_TYPE_H
#define MPJ_TESTS_TYPES_RANDOM_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpj/datatype.h>

#include "types/reference.h"

/* SplitMix64's state; any seed will do. */
struct mpj_random {
  uint64_t state;
};
uint64_t mpj_random_next(struct mpj_random *rng);
/* Uniform in low .. high, both included. */
int64_t mpj_random_in(struct mpj_random *rng, int64_t low, int64_t high);

struct mpj_random_options {
  int depth;              /* most constructors over one another; 0: a basic type */
  MPJ_Count max_elements; /* about; 0: 256 */
  MPJ_Aint max_span;      /* bytes from first to last, bounds included; 0: 64 KiB */
  bool receivable;        /* no byte belongs to two elements */
  MPJ_Count nparts;       /* the type has so many parts; 0: as it comes */
  uint64_t basics;        /* which basic types may come, a bit for each row; 0: any */
  int lists;              /* one constructor in so many is a struct of 60 to 300 blocks, of unlike
                           * types in turn or at random, if max_elements is 100 or more; 0: 10.
                           * If it is 200 or more, such lists come in one another */
  bool fail_allocations;  /* before each constructor call, call it once for each of
                           * its allocations with that one failing: it must return
                           * MPJ_ERR_NO_MEM and leak nothing */
};

struct mpj_random_type {
  MPJ_Datatype type; /* owned, not committed (unless basic) */
  struct mpj_ref *ref;
  char text[1024]; /* the tree, cut at this length */
};

void mpj_random_type_make(struct mpj_random *rng, const struct mpj_random_options *options,
                          struct mpj_random_type *out);

/* A receivable type of the same signature as ref, laid out in another way: the
 * same elements in the same order, in dense pieces with gaps between them, in
 * random order in memory; some stretches of pieces are structs of their own, in one another.
 * One part a piece or stretch. */
void mpj_random_type_like(struct mpj_random *rng, const struct mpj_ref *ref,
                          struct mpj_random_type *out);

/* Frees the handle and releases the reference. */
void mpj_random_type_free(struct mpj_random_type *t);

#endif
