/* This header declares the patterns: layouts of data that applications pack,
 * each as a datatype and as a loop written by hand.
 *
 * Sizes: S has 6 to 16 KiB of data, M 192 to 262 KiB, B 16 to 33 MB; lists have 1e4, 1e5 and
 * 1e6 blocks. */
#ifndef MPJ_BENCH_PACK_PATTERN_H
#define MPJ_BENCH_PACK_PATTERN_H

#include "pack/shim.h"
#include "pack_options.h"

enum { PACK_NUMBERS = 6 };

/* A pattern in one size. Data is described relative to `first` in a buffer of
 * `memory` bytes. */
struct pack_shape {
  long n[PACK_NUMBERS]; /* what they mean is the pattern's own: see its file */
  size_t bytes;         /* of data, and so of the packed form */
  size_t memory;
  size_t first;
  int *index[2]; /* owned; NULL where the pattern has none */
};

/* The loop: from mem (at `first`) to packed, or back. */
typedef void pack_hand(const struct pack_shape *shape, void *mem, void *packed);

struct pack_pattern {
  long n[PACK_NSIZES][PACK_NUMBERS];
  void (*shape)(struct pack_shape *shape); /* n is set: fill in the rest */
  pack_type (*type)(const struct pack_shape *shape);
  pack_hand *pack, *unpack;
};

/* In the order of pack_pattern_names. */
extern const struct pack_pattern pack_patterns[PACK_NPATTERNS];

/* Fill *shape for the pattern in that size; release with pack_shape_free. Ends
 * the program if there is no memory. */
void pack_shape_make(const struct pack_pattern *pattern, enum pack_size size,
                     struct pack_shape *shape);
void pack_shape_free(struct pack_shape *shape);

/* count different places of blocklen elements among `places` of them, in
 * rising order or shuffled; the same at every call. Owned by the caller. */
int *pack_index_rising(long count, long places);
int *pack_index_shuffled(long count, long places);

/* The next number of a 64-bit xorshift sequence (Marsaglia 2003); *state is not 0. */
enum { PACK_SEED = 88172645 };
uint64_t pack_random(uint64_t *state);

/* Each pattern's two functions and, in the files that begin with hand_, its
 * loops. */
#define PACK_DECLARE(name)                                                                         \
  void pack_shape_##name(struct pack_shape *shape);                                                \
  pack_type pack_type_##name(const struct pack_shape *shape);                                      \
  pack_hand pack_hand_##name##_pack, pack_hand_##name##_unpack;

PACK_FOR_ALL(PACK_DECLARE)

#endif
