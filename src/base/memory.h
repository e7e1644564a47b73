/* This header declares the library's allocations, which tests can make fail. */
#ifndef MPJ_SRC_BASE_MEMORY_H
#define MPJ_SRC_BASE_MEMORY_H

#include <stddef.h>
#include <string.h>

/* As malloc, calloc, free; count * size is checked. NULL when there is no
 * memory or an injected failure is due. A zero size gives a valid pointer. */
void *mpj_alloc(size_t bytes);
void *mpj_alloc_array(size_t count, size_t size); /* zeroed */
void mpj_free(void *p);

/* As mpj_alloc, for arrays that are written at once from one end to the other: those of megabytes
 * lie on large pages where the system has them, and are touched 2 MiB at a time instead of 4 KiB.
 */
void *mpj_alloc_work(size_t count, size_t size);

/* As mpj_alloc_array, for tables of which few places are ever written: pages that nobody has
 * written take no memory. Given back by mpj_free_table with the same count and size; NULL is let
 * pass. */
void *mpj_alloc_table(size_t count, size_t size);
void mpj_free_table(void *p, size_t count, size_t size);

/* Zero an object of at most 192 bytes, whose size the compiler knows. One memset of
 * that size becomes a string instruction, which takes as long as a malloc. */
static inline __attribute__((always_inline)) void mpj_zero(void *p, size_t bytes)
{
  enum { LINE = 64 };
  const size_t third = bytes > 2 * LINE ? bytes - 2 * LINE : 0;
  const size_t second = bytes > 2 * LINE ? LINE : bytes > LINE ? bytes - LINE : 0;
  char *at = (char *)p;
  memset(at, 0, bytes - second - third);
  if (second > 0) memset(at + LINE, 0, second);
  if (third > 0) memset(at + 2 * LINE, 0, third);
}

/* As mpj_alloc_array, for memory that lives until the process ends (pools):
 * not counted as outstanding. The caller keeps a pointer to it. */
void *mpj_alloc_permanent(size_t count, size_t size);
/* The same on a border of so many bytes, a power of two; not zeroed. */
void *mpj_alloc_permanent_aligned(size_t bytes);

/* Give one of these back, of which nobody knows yet. NULL is let pass. */
void mpj_free_permanent(void *p);

/* For tests: let `successes` further allocations of this thread succeed and
 * all after them fail; -1 switches injection off. */
void mpj_memory_fail_after(long successes);

/* Bytes that an allocation takes of the heap, rounded up as the allocator did. */
size_t mpj_memory_size(const void *p);

/* For tests and benchmarks: from start to stop, count the bytes, as above, that
 * this thread allocates (permanent ones, too) less those that it frees.
 *   now, peak  at the end, and at most at any time, from the start on */
struct mpj_memory_meter {
  long now, peak;
};
void mpj_memory_meter_start(void);
struct mpj_memory_meter mpj_memory_meter_stop(void);
/* Allocations that the calling thread has made so far; for tests that count. */
unsigned long mpj_memory_made(void);

/* Allocations not freed yet, of all threads; for leak checks. */
long mpj_memory_outstanding(void);

#endif
