/* This file gives ranks that are threads further extents of common memory. Each is made by its
 * rank, which alone adds to its list, and stays until all ranks have left. */
#include "net/threads/extents.h"

#include <sys/mman.h>

#include "base/memory.h"

struct mpj_extent {
  struct mpj_extent *next; /* older */
  unsigned number;
  unsigned char *memory; /* MPJ_COMMON_BYTES; owned */
};

typedef struct mpj_extent *_Atomic list;

static list *list_of(struct mpj_segment *segment, int rank)
{
  return (list *)(void *)((unsigned char *)segment + segment->bytes) + rank;
}

static struct mpj_extent *make(unsigned number, struct mpj_extent *next)
{
  struct mpj_extent *e = mpj_alloc(sizeof *e);
  if (!e) return NULL;
  void *memory = mmap(NULL, MPJ_COMMON_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    mpj_free(e);
    return NULL;
  }
  *e = (struct mpj_extent){next, number, memory};
  return e;
}

unsigned char *mpj_threads_further(struct mpj_cells *cells, int rank, unsigned extent)
{
  list *all = list_of(cells->segment, rank);
  struct mpj_extent *first = atomic_load_explicit(all, memory_order_acquire), *e = first;
  while (e && e->number != extent)
    e = e->next;
  if (!e && rank == cells->rank && (e = make(extent, first)))
    atomic_store_explicit(all, e, memory_order_release);
  return e ? e->memory : NULL;
}

void mpj_extents_end(struct mpj_segment *segment)
{
  for (int rank = 0; rank < segment->config.nranks; rank++)
    for (struct mpj_extent *e = atomic_load(list_of(segment, rank)), *next; e; e = next) {
      next = e->next;
      munmap(e->memory, MPJ_COMMON_BYTES);
      mpj_free(e);
    }
}
