/* This file implements scratch stores: a free list for each size. */
#include "base/scratch.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* The head of a block, before what is lent. */
struct mpj_scratch_block {
  uint32_t class;
  uint32_t offset; /* bytes from what was allocated to what is lent */
};
static_assert(sizeof(struct mpj_scratch_block) == MPJ_SCRATCH_LEAST,
              "the shortest is aligned, too");

/* Where a free block has the next one: in what is lent. */
static struct mpj_scratch_block **next_of(struct mpj_scratch_block *block)
{
  return (struct mpj_scratch_block **)(void *)(block + 1);
}

/* Two classes for each power of two 2^k: of more than 2^k times LEAST bytes, and up to 3/2 of that;
 * and the rest up to the next one. */
static size_t bytes_of(unsigned class)
{
  if (class < 2) return (size_t)MPJ_SCRATCH_LEAST << class;
  return (size_t)MPJ_SCRATCH_LEAST * (3 + class % 2) << (class / 2 - 1);
}

static unsigned class_of(size_t bytes)
{
  const size_t before = bytes > 0 ? (bytes - 1) / MPJ_SCRATCH_LEAST : 0;
  if (before < 2) return (unsigned)before;
  const unsigned k = 63 - (unsigned)__builtin_clzll(before);
  return 2 * k + (unsigned)(before >> (k - 1) & 1);
}

static void release(struct mpj_scratch_block *block)
{
  mpj_free((char *)(block + 1) - block->offset);
}

void mpj_scratch_begin(struct mpj_scratch *s, size_t limit)
{
  *s = (struct mpj_scratch){.limit = limit};
}

void mpj_scratch_end(struct mpj_scratch *s)
{
  for (unsigned class = 0; class < MPJ_SCRATCH_CLASSES; class ++)
    while (s->free[class]) {
      struct mpj_scratch_block *block = s->free[class];
      s->free[class] = *next_of(block);
      release(block);
    }
  s->kept = 0;
}

static void *new_block(unsigned class)
{
  const size_t bytes = bytes_of(class);
  const size_t border =
      bytes >= MPJ_SCRATCH_ALIGNMENT ? MPJ_SCRATCH_ALIGNMENT : bytes & (~bytes + 1);
  char *memory = mpj_alloc(bytes + border); /* which is aligned to 16 */
  if (!memory) return NULL;
  const size_t over = ((uintptr_t)memory + sizeof(struct mpj_scratch_block)) % border;
  struct mpj_scratch_block *block = (void *)(memory + (over ? border - over : 0));
  block->class = class;
  block->offset = (uint32_t)((char *)(block + 1) - memory);
  return block + 1;
}

void *mpj_scratch_take(struct mpj_scratch *s, size_t bytes)
{
  const unsigned class = class_of(bytes);
  if (class >= MPJ_SCRATCH_CLASSES) return NULL;
  struct mpj_scratch_block *block = s->free[class];
  if (!block) return new_block(class);
  s->free[class] = *next_of(block);
  s->kept -= bytes_of(class);
  return block + 1;
}

void mpj_scratch_give(struct mpj_scratch *s, void *memory)
{
  if (!memory) return;
  struct mpj_scratch_block *block = (struct mpj_scratch_block *)memory - 1;
  const size_t bytes = bytes_of(block->class);
  if (s->kept > s->limit || bytes > s->limit - s->kept) {
    release(block);
    return;
  }
  *next_of(block) = s->free[block->class];
  s->free[block->class] = block;
  s->kept += bytes;
}
