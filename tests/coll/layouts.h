/* This header declares the datatypes that the collectives' tests are played
 * with: random types with one part a rank, and for a part other layouts of the
 * same signature, as the other ranks describe it. */
#ifndef MPJ_TESTS_COLL_LAYOUTS_H
#define MPJ_TESTS_COLL_LAYOUTS_H

#include "types/random_type.h"

/* One rank's description of one buffer. */
struct layout {
  struct mpj_random_type t; /* committed */
  MPJ_Aint shift;           /* bytes from the buffer's base to where t lies */
};

/* A receivable type of nparts parts: any random type, or blocks whose sizes are
 * spread over nothing, inline, eager and long data. */
void layout_parted(struct mpj_random *rng, MPJ_Count nparts, struct layout *out);

/* Any receivable type, or blocks as above. */
void layout_whole(struct mpj_random *rng, struct layout *out);

/* Part i of `of` laid out anew: the part itself, its elements with gaps, or its
 * elements densely, maybe under other names (long, int64_t). i -1: the whole. */
void layout_retyped(struct mpj_random *rng, const struct layout *of, MPJ_Count i,
                    struct layout *out);

/* The same type with absolute addresses, for data at `base`; parts stay. */
void layout_at_bottom(const struct layout *of, void *base, MPJ_Datatype *type);

void layout_free(struct layout *layout);

#endif
