/* This file reads the columns of a matrix in another process, a tile at a time: some rows of it
 * come by one call, or lie in a block that the other shares, and go from there to where they
 * belong, transposed, past the caches. So each byte is fetched once and stored once, and what lies
 * between stays in cache; the owner would pack into a buffer and have the kernel store that, which
 * fetches what it stores.
 *
 * Tiles come row of tiles by row of tiles; each moves as many bytes as it holds, so the bytes moved
 * say which is next. */
#include <errno.h>
#include <sys/uio.h>

#include "base/least.h"
#include "net/shm/blocks.h"
#include "net/shm/state.h"

/* Rows of a tile, whose elements are a stretch of whole lines where they arrive, and what a call
 * lists; bytes of a row in it. What lies in a shared block is cut only to come to an end. */
enum { HEIGHT = 64, SHARED_HEIGHT = 256 };

struct tile {
  MPJ_Count first, height; /* rows */
  MPJ_Count at, width;     /* bytes of a row */
};

/* The tile that comes when `done` bytes have. */
static struct tile next_tile(const struct mpj_columns *m, MPJ_Count done, MPJ_Count height,
                             MPJ_Count width)
{
  const MPJ_Count band = height * m->rows.row;
  struct tile t = {.first = done / band * height};
  t.height = mpj_least(height, m->count - t.first);
  t.at = done % band / t.height;
  t.width = mpj_least(width, m->rows.row - t.at);
  return t;
}

static uint64_t place_of(uint64_t address, const struct mpj_columns *m, const struct tile *t)
{
  return address + (uint64_t)t->first * (uint64_t)m->rows.stride + (uint64_t)t->at;
}

/* Read a tile into the scratch buffer, its rows one after the other. */
static MPJ_Count read_tile(struct mpj_shm *shm, int peer, uint64_t address,
                           const struct mpj_columns *m, const struct tile *t)
{
  const struct iovec local = {shm->scratch, (size_t)(t->height * t->width)};
  const int32_t pid = atomic_load(&mpj_segment_rank(shm->cells.segment, peer)->pid);
  struct iovec remote[HEIGHT];
  uint64_t place = place_of(address, m, t);
  for (MPJ_Count i = 0; i < t->height; i++, place += (uint64_t)m->rows.stride)
    remote[i] = (struct iovec){(void *)(uintptr_t)place, (size_t)t->width};
  const ssize_t got = process_vm_readv(pid, &local, 1, remote, (unsigned long)t->height, 0);
  if (got < 0) return -errno;
  return got == (ssize_t)local.iov_len ? (MPJ_Count)got : -EFAULT;
}

/* Where this process sees rows of it from the tile's on, to the end, or NULL. */
static const char *shared_tile(struct mpj_shm *shm, int peer, uint64_t address,
                               const struct mpj_columns *m, const struct tile *t)
{
  MPJ_Count span;
  if (__builtin_mul_overflow(t->height - 1, m->rows.stride, &span) ||
      __builtin_add_overflow(span, t->width, &span))
    return NULL;
  return mpj_shm_mapped(shm, peer, place_of(address, m, t), span);
}

MPJ_Count mpj_shm_read_columns(struct mpj_shm *shm, int peer, uint64_t address,
                               const struct mpj_columns *m, MPJ_Count done,
                               const struct mpj_cursor *dst)
{
  const MPJ_Count width = MPJ_SHM_SCRATCH_BYTES / HEIGHT;
  struct tile t = next_tile(m, done, SHARED_HEIGHT, m->rows.row);
  const char *from = t.at == 0 ? shared_tile(shm, peer, address, m, &t) : NULL;
  MPJ_Aint pitch = m->rows.stride;
  if (!from) {
    t = next_tile(m, done, HEIGHT, width);
    const MPJ_Count moved = read_tile(shm, peer, address, m, &t);
    if (moved < 0) return moved;
    from = (const char *)shm->scratch;
    pitch = t.width;
  }
  mpj_cursor_take_tile(dst, m, t.first, t.height, t.at, t.width, from, pitch);
  return t.height * t.width;
}
