/* This header declares guarded buffers: memory for a layout with room around
 * it, and beside it the bytes that it must hold, gaps and guards included. */
#ifndef MPJ_TESTS_COLL_BUFFER_H
#define MPJ_TESTS_COLL_BUFFER_H

#include <stddef.h>

#include "types/random_type.h"

struct buffer {
  size_t bytes;
  unsigned char *memory, *expected;    /* [bytes], owned */
  unsigned char *base, *expected_base; /* where displacement 0 is */
};

/* Room for ref laid `shift` bytes from the base, aligned to 16 bytes; contents
 * arbitrary but expected. */
void buffer_make(struct buffer *b, struct mpj_random *rng, const struct mpj_ref *ref,
                 MPJ_Aint shift);
void buffer_free(struct buffer *b);

/* Expect what `stream` unpacks to through ref at `shift`. */
void buffer_expect(struct buffer *b, const struct mpj_ref *ref, MPJ_Aint shift, const void *stream);
/* Make the memory what is expected. */
void buffer_settle(struct buffer *b);
/* Whether it is; if not, *displ is where it differs first, in bytes from the base. */
bool buffer_is_expected(const struct buffer *b, MPJ_Aint *displ);

/* The packed data number `index` of round `round` of a plan: `bytes` bytes, the
 * caller's (free). */
void *stream_make(uint64_t seed, uint64_t index, uint64_t round, MPJ_Count bytes);

#endif
