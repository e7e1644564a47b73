/* This header declares a view with memory of its own to move: user memory
 * between guard pages filled with random bytes, and its byte map. */
#ifndef MPJ_TESTS_PACK_FIXTURE_H
#define MPJ_TESTS_PACK_FIXTURE_H

#include "pack/guarded.h"
#include "pack/maps.h"
#include "pack/run/cursor.h"

struct fixture {
  struct mpj_view view;
  struct byte_map map;
  struct guarded memory; /* exactly the bytes from map.lb to map.ub */
  size_t extent;         /* of memory, bytes */
  char *base;            /* what the view's displacements count from */
};

/* Takes over the view's reference to its layout. */
void fixture_make(struct fixture *f, struct mpj_view view, struct mpj_random *rng);
void fixture_free(struct fixture *f);

/* A cursor at the beginning of its data; fails the test if there is none. */
struct mpj_cursor fixture_begin(const struct fixture *f);

/* The byte at place i of the packed stream. */
char *fixture_byte(const struct fixture *f, MPJ_Count i);

/* What the first `bytes` of the stream from `offset` on are. */
void fixture_expect(const struct fixture *f, MPJ_Count offset, MPJ_Count bytes, char *packed);

/* New random bytes in all of its memory. */
void fixture_scramble(struct fixture *f, struct mpj_random *rng);

#endif
