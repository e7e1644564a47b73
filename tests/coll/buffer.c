/* This file keeps guarded buffers. */
#include "coll/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, ALIGN = 16 };

static void *allocate(size_t bytes)
{
  void *p = aligned_alloc(ALIGN, (bytes + ALIGN) / ALIGN * ALIGN);
  if (p) return p;
  fprintf(stderr, "no memory for a buffer of %zu bytes\n", bytes);
  exit(2);
}

static void randomise(struct mpj_random *rng, unsigned char *out, size_t bytes)
{
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    const uint64_t r = mpj_random_next(rng);
    memcpy(out + i, &r, bytes - i < sizeof r ? bytes - i : sizeof r);
  }
}

void buffer_make(struct buffer *b, struct mpj_random *rng, const struct mpj_ref *ref,
                 MPJ_Aint shift)
{
  MPJ_Aint lb = mpj_ref_true_lb(ref) + shift, ub = mpj_ref_true_ub(ref) + shift;
  if (lb > 0) lb = 0;
  if (ub < 0) ub = 0;
  const size_t before = ((size_t)-lb + GUARD + ALIGN - 1) / ALIGN * ALIGN;
  b->bytes = before + (size_t)ub + GUARD;
  b->memory = allocate(b->bytes);
  b->expected = allocate(b->bytes);
  b->base = b->memory + before;
  b->expected_base = b->expected + before;
  randomise(rng, b->expected, b->bytes);
  buffer_settle(b);
}

void buffer_free(struct buffer *b)
{
  free(b->memory);
  free(b->expected);
}

void buffer_expect(struct buffer *b, const struct mpj_ref *ref, MPJ_Aint shift, const void *stream)
{
  mpj_ref_unpack(ref, stream, b->expected_base + shift);
}

void buffer_settle(struct buffer *b)
{
  memcpy(b->memory, b->expected, b->bytes);
}

bool buffer_is_expected(const struct buffer *b, MPJ_Aint *displ)
{
  if (memcmp(b->memory, b->expected, b->bytes) == 0) return true;
  size_t i = 0;
  while (b->memory[i] == b->expected[i])
    i++;
  *displ = b->memory + i - b->base;
  return false;
}

void *stream_make(uint64_t seed, uint64_t index, uint64_t round, MPJ_Count bytes)
{
  struct mpj_random rng = {seed ^ (index + 1) * UINT64_C(0x9e3779b97f4a7c15) ^
                           (round + 1) * UINT64_C(0xd1342543de82ef95)};
  unsigned char *stream = allocate((size_t)bytes);
  randomise(&rng, stream, (size_t)bytes);
  return stream;
}
