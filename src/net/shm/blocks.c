/* This file shares blocks of memory between processes, and maps those of others. */
#include "net/shm/blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine/file_limit.h"
#include "base/machine/pages.h"
#include "base/memory.h"
#include "net/shm/state.h"

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* The owner's side */

/* A sealed file of that size, or -1. */
static int make_file(size_t bytes)
{
  const int fd = memfd_create("mpj-block", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  if (mpj_file_may_have(bytes, NULL) && fchmod(fd, S_IRUSR | S_IWUSR) == 0 &&
      ftruncate(fd, (off_t)bytes) == 0 && fcntl(fd, F_ADD_SEALS, SEALS) == 0)
    return fd;
  close(fd);
  return -1;
}

static int free_entry(struct mpj_cells *c)
{
  for (unsigned i = 0; i < MPJ_SHARED_BLOCKS; i++)
    if (atomic_load(&mpj_segment_block(c->segment, c->rank, i)->generation) % 2 == 0) return (int)i;
  return -1;
}

static void publish(struct mpj_cells *c, int i, int fd, const void *base, size_t bytes)
{
  struct mpj_shared_block *b = mpj_segment_block(c->segment, c->rank, (unsigned)i);
  _Atomic uint32_t *used = &mpj_segment_rank(c->segment, c->rank)->blocks;
  atomic_store_explicit(&b->fd, fd, memory_order_relaxed);
  atomic_store_explicit(&b->address, (uint64_t)(uintptr_t)base, memory_order_relaxed);
  atomic_store_explicit(&b->bytes, bytes, memory_order_relaxed);
  atomic_fetch_add(&b->generation, 1);
  if (atomic_load(used) <= (unsigned)i) atomic_store(used, (unsigned)i + 1);
}

/* The memory goes back at once, though peers may keep their mappings for a while. */
static int take_back(struct mpj_cells *c, const struct mpj_net_block *block)
{
  struct mpj_shared_block *b = mpj_segment_block(c->segment, c->rank, (unsigned)block->shared);
  const int fd = atomic_load(&b->fd);
  atomic_fetch_add(&b->generation, 1);
  fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)block->bytes);
  close(fd);
  return MPJ_SUCCESS;
}

int mpj_shm_share(struct mpj_transport *t, size_t bytes, struct mpj_net_block *block)
{
  struct mpj_cells *c = (struct mpj_cells *)t;
  if (bytes == 0) return take_back(c, block);
  const int i = free_entry(c), fd = i < 0 ? -1 : make_file(bytes);
  if (fd < 0) return MPJ_ERR_NO_MEM;
  void *base = mpj_pages_map(fd, bytes);
  if (!base) {
    close(fd);
    return MPJ_ERR_NO_MEM;
  }
  mpj_pages_fill(base, bytes);
  publish(c, i, fd, base, bytes);
  *block = (struct mpj_net_block){base, bytes, i};
  return MPJ_SUCCESS;
}

bool mpj_shm_is_shared(const struct mpj_shm *shm, uint64_t address)
{
  const struct mpj_cells *c = &shm->cells;
  const uint32_t used = atomic_load(&mpj_segment_rank(c->segment, c->rank)->blocks);
  for (unsigned i = 0; i < used && i < MPJ_SHARED_BLOCKS; i++) {
    struct mpj_shared_block *b = mpj_segment_block(c->segment, c->rank, i);
    const uint64_t at = atomic_load(&b->address);
    if (atomic_load(&b->generation) % 2 != 0 && address >= at &&
        address - at < atomic_load(&b->bytes))
      return true;
  }
  return false;
}

/* The peers' side */

static void *map_file(int32_t pid, int32_t fd, uint64_t bytes)
{
  char path[64];
  struct stat st;
  void *base = NULL;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return NULL;
  const int seals = fcntl(file, F_GET_SEALS); /* -1: not an anonymous file at all */
  if (seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(file, &st) == 0 && st.st_size > 0 &&
      (uint64_t)st.st_size >= bytes)
    base = mpj_pages_map(file, bytes);
  close(file);
  return base;
}

static void unmap(struct mpj_shm_mapping *m)
{
  if (m->base) munmap(m->base, m->bytes);
  *m = (struct mpj_shm_mapping){0};
}

/* The mapping of one generation of an entry; base is NULL if it cannot be mapped. */
static struct mpj_shm_mapping *mapping(struct mpj_shm *shm, int rank, unsigned i,
                                       uint32_t generation, int32_t fd, uint64_t bytes)
{
  struct mpj_shm_mapping **of_rank = &shm->mappings[rank];
  if (!*of_rank) *of_rank = mpj_alloc_array(MPJ_SHARED_BLOCKS, sizeof **of_rank);
  if (!*of_rank) return NULL;
  struct mpj_shm_mapping *m = &(*of_rank)[i];
  if (m->generation == generation) return m;
  unmap(m);
  m->generation = generation;
  const int32_t pid = atomic_load(&mpj_segment_rank(shm->cells.segment, rank)->pid);
  m->base = map_file(pid, fd, bytes);
  m->bytes = (size_t)bytes;
  /* The owner may have freed it meanwhile, and opened another file in its place. */
  if (atomic_load(&mpj_segment_block(shm->cells.segment, rank, i)->generation) != generation)
    unmap(m);
  return m;
}

void *mpj_shm_mapped(struct mpj_shm *shm, int rank, uint64_t address, MPJ_Count bytes)
{
  struct mpj_segment *s = shm->cells.segment;
  unsigned used = atomic_load_explicit(&mpj_segment_rank(s, rank)->blocks, memory_order_acquire);
  if (used > MPJ_SHARED_BLOCKS) used = MPJ_SHARED_BLOCKS;
  for (unsigned i = 0; i < used; i++) {
    struct mpj_shared_block *b = mpj_segment_block(s, rank, i);
    const uint32_t generation = atomic_load(&b->generation);
    const uint64_t at = atomic_load(&b->address), size = atomic_load(&b->bytes);
    const int32_t fd = atomic_load(&b->fd);
    if (generation % 2 == 0 || address < at || (uint64_t)bytes > size ||
        address - at > size - (uint64_t)bytes || atomic_load(&b->generation) != generation)
      continue;
    struct mpj_shm_mapping *m = mapping(shm, rank, i, generation, fd, size);
    /* A mapping is as large as the entry said when it was made. */
    if (!m || !m->base || address - at > m->bytes || (uint64_t)bytes > m->bytes - (address - at))
      return NULL;
    return (char *)m->base + (address - at);
  }
  return NULL;
}

void mpj_shm_unmap_all(struct mpj_shm *shm)
{
  for (int rank = 0; rank < shm->cells.nranks; rank++) {
    if (!shm->mappings[rank]) continue;
    for (unsigned i = 0; i < MPJ_SHARED_BLOCKS; i++)
      unmap(&shm->mappings[rank][i]);
    mpj_free(shm->mappings[rank]);
    shm->mappings[rank] = NULL;
  }
}
