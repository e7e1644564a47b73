/* This file maps memory between guard pages. */
#include "pack/guarded.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, ORDERS = 30, KEPT = 4 };

/* Mappings not in use, by order. */
static char *kept[ORDERS][KEPT];

static void require(int condition, const char *call)
{
  if (condition) return;
  perror(call);
  abort();
}

static char *map(size_t bytes, int protection)
{
  void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(p != MAP_FAILED, "tests: mmap");
  return p;
}

static size_t size_of(int order)
{
  return (size_t)PAGE << order;
}

static char *map_order(int order)
{
  for (int i = 0; i < KEPT; i++) {
    char *mapping = kept[order][i];
    kept[order][i] = NULL;
    if (mapping) return mapping;
  }
  char *mapping = map(size_of(order) + 2 * PAGE, PROT_NONE);
  require(!mprotect(mapping + PAGE, size_of(order), PROT_READ | PROT_WRITE), "tests: mprotect");
  return mapping;
}

struct guarded guarded_make(size_t bytes, int at_start)
{
  int order = 0;
  while (size_of(order) < bytes)
    order++;
  char *mapping = map_order(order);
  return (struct guarded){mapping + PAGE + (at_start ? 0 : size_of(order) - bytes), mapping, order};
}

void guarded_free(struct guarded *g)
{
  for (int i = 0; i < KEPT; i++) {
    if (kept[g->order][i]) continue;
    kept[g->order][i] = g->mapping;
    return;
  }
  munmap(g->mapping, size_of(g->order) + 2 * PAGE);
}

char *guarded_reserve(size_t bytes)
{
  return map(bytes, PROT_READ | PROT_WRITE);
}
