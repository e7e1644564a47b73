/* This header declares a store of memory that is borrowed for a while, again and
 * again, in a few sizes: what has been given back is kept for whoever borrows
 * next, so that what is repeated allocates nothing.
 *
 * Blocks come in multiples of MPJ_SCRATCH_LEAST bytes, 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on, with
 * a head of 8 bytes: an operation of a few bytes takes many of them, and a simulated rank has to
 * be small. Invariant: `kept` is the bytes of all free blocks, and at most `limit`; a block that
 * would exceed it is released. A store belongs to one thread at a time. */
#ifndef MPJ_SRC_BASE_SCRATCH_H
#define MPJ_SRC_BASE_SCRATCH_H

#include <stddef.h>

enum { MPJ_SCRATCH_LEAST = 8, MPJ_SCRATCH_CLASSES = 70, MPJ_SCRATCH_ALIGNMENT = 64 };

struct mpj_scratch_block;
struct mpj_scratch {
  struct mpj_scratch_block *free[MPJ_SCRATCH_CLASSES]; /* by size */
  size_t kept, limit;
};

/* An empty store that keeps at most `limit` bytes; zeroed memory is one that keeps
 * nothing. */
void mpj_scratch_begin(struct mpj_scratch *s, size_t limit);
/* Release all that is free. Nothing may be out on loan. */
void mpj_scratch_end(struct mpj_scratch *s);

/* Borrow at least `bytes` bytes, contents undefined; NULL when there is no memory. Blocks of
 * MPJ_SCRATCH_ALIGNMENT bytes and more are aligned to that, others as an object of their size can
 * be: of a multiple of 32 to 32, of 16 to 16, and the rest to 8. */
void *mpj_scratch_take(struct mpj_scratch *s, size_t bytes);
/* Give back what take returned; NULL is let pass. */
void mpj_scratch_give(struct mpj_scratch *s, void *memory);

#endif
