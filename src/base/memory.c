/* This file allocates memory, counts what is out, and fails when a test asks. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

static _Thread_local long successes_left = -1; /* -1: no injection */
static atomic_long outstanding;

static bool failure_is_due(void)
{
  if (successes_left < 0) return false;
  if (successes_left == 0) return true;
  successes_left--;
  return false;
}

static void *counted(void *p)
{
  if (p) atomic_fetch_add_explicit(&outstanding, 1, memory_order_relaxed);
  return p;
}

/* Up to this many bytes glibc's malloc is served from the thread's own cache, while
 * its calloc is not before 2.41: small types are made and freed a third faster. */
enum { SMALL = 1024 };

/* Zeroed, checked, not counted. */
static void *zeroed_array(size_t count, size_t size)
{
  size_t bytes;
  if (!mpj_mul_size(count, size, &bytes) || failure_is_due()) return NULL;
  if (bytes > SMALL) return calloc(bytes, 1);
  void *p = malloc(bytes ? bytes : 1);
  return p ? memset(p, 0, bytes) : NULL;
}

void *mpj_alloc(size_t bytes)
{
  return failure_is_due() ? NULL : counted(malloc(bytes ? bytes : 1));
}

void *mpj_alloc_array(size_t count, size_t size)
{
  return counted(zeroed_array(count, size));
}

void *mpj_alloc_permanent(size_t count, size_t size)
{
  return zeroed_array(count, size);
}

void mpj_free(void *p)
{
  if (p) atomic_fetch_sub_explicit(&outstanding, 1, memory_order_relaxed);
  free(p);
}

void mpj_memory_fail_after(long successes)
{
  successes_left = successes < 0 ? -1 : successes;
}

long mpj_memory_outstanding(void)
{
  return atomic_load_explicit(&outstanding, memory_order_relaxed);
}
