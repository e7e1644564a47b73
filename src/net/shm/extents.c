/* This file gives ranks that are processes further extents of common memory: they lie behind the
 * segment in its file, the first such extent of all ranks, then the next, and so on. Its owner
 * makes the file long enough; then whoever asks for an extent maps it. The file never gets shorter.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/machine/file_limit.h"
#include "net/shm/state.h"

/* Where extent `index`, counted over all ranks, begins in the file. */
static off_t place_of(const struct mpj_shm *shm, uint32_t index)
{
  return (off_t)(shm->cells.segment->bytes + (uint64_t)index * MPJ_COMMON_BYTES);
}

/* Ranks may lengthen the file at a time, in any order: none takes away what another has added. */
static bool reach(const struct mpj_shm *shm, off_t end)
{
  if (!mpj_file_may_have((size_t)end, NULL)) return false;
  int failed;
  do
    failed = posix_fallocate(shm->fd, end - 1, 1);
  while (failed == EINTR);
  return failed == 0;
}

/* What lies behind the end of a file cannot be touched. */
static bool is_there(const struct mpj_shm *shm, off_t end)
{
  struct stat file;
  return fstat(shm->fd, &file) == 0 && file.st_size >= end;
}

unsigned char *mpj_shm_further(struct mpj_cells *cells, int rank, unsigned extent)
{
  struct mpj_shm *shm = (struct mpj_shm *)cells;
  const uint64_t index =
      (uint64_t)(extent - MPJ_EXTENTS_AT_ONCE) * (uint64_t)cells->nranks + (uint64_t)rank;
  if (index > UINT32_MAX) return NULL;
  struct mpj_map_entry *e = mpj_map_find_recent(&shm->extents, (uint32_t)index);
  if (e) return e->pointer;
  const off_t at = place_of(shm, (uint32_t)index), end = at + MPJ_COMMON_BYTES;
  if (rank == cells->rank ? !reach(shm, end) : !is_there(shm, end)) return NULL;
  void *memory = mmap(NULL, MPJ_COMMON_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, shm->fd, at);
  if (memory == MAP_FAILED) return NULL;
  if ((e = mpj_map_add(&shm->extents, (uint32_t)index)))
    e->pointer = memory;
  else
    munmap(memory, MPJ_COMMON_BYTES);
  return e ? memory : NULL;
}

void mpj_shm_end_extents(struct mpj_shm *shm)
{
  for (struct mpj_map_entry *e = mpj_map_next(&shm->extents, NULL); e;
       e = mpj_map_next(&shm->extents, e))
    munmap(e->pointer, MPJ_COMMON_BYTES);
  mpj_map_end(&shm->extents);
}
