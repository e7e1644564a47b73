/* This header declares the parted types of the exchanges' plays: one part a
 * rank, each of a signature that both ends of a pair know. */
#ifndef MPJ_TESTS_COLL_EXCHANGE_LAYOUTS_H
#define MPJ_TESTS_COLL_EXCHANGE_LAYOUTS_H

#include "coll/layouts.h"

/* A random piece, the same for the same seed; with `small`, of few bytes. */
void piece_make(uint64_t seed, bool small, struct layout *out);

/* A type whose part i is `pieces[i]` laid out anew, the parts one after another
 * in memory in a random order. Frees the pieces. */
void parted_of_pieces(struct mpj_random *rng, int n, struct layout pieces[], struct layout *out);
/* The same of a sparse type: part i is empty unless given[i]. */
void sparse_of_pieces(struct mpj_random *rng, int n, struct layout pieces[], const bool given[],
                      struct layout *out);

/* A type of n parts: part i of `of` for each i, or (part >= 0) that part n times;
 * each laid out anew. */
void parted_again(struct mpj_random *rng, int n, const struct layout *of, int part,
                  struct layout *out);

#endif
