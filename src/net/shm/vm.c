/* This file moves bytes between a local layout and one dense stretch of another
 * process's memory.
 *
 * The scatter list stays on the local side, which costs a tenth of a remote one;
 * where the local blocks are smaller than SMALL_BLOCK even that costs more than
 * copying twice, so they pass through a scratch buffer that stays in cache. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "net/shm/state.h"

enum { SEGMENTS = 64, SMALL_BLOCK = 512, CALL_BYTES = 4 << 20 };

typedef ssize_t vm_fn(pid_t pid, const struct iovec *local, unsigned long nlocal,
                      const struct iovec *remote, unsigned long nremote, unsigned long flags);

static MPJ_Count call(vm_fn *fn, int32_t pid, uint64_t address, const struct iovec *local, size_t n,
                      MPJ_Count bytes)
{
  const struct iovec remote = {(void *)(uintptr_t)address, (size_t)bytes};
  const ssize_t moved = fn((pid_t)pid, local, n, &remote, 1, 0);
  if (moved < 0) return -errno;
  return moved == 0 ? -EFAULT : (MPJ_Count)moved;
}

static MPJ_Count least(MPJ_Count a, MPJ_Count b)
{
  return a < b ? a : b;
}

/* List the next segments; *bytes is 0 if they are too small to be worth it. */
static size_t list_segments(struct mpj_cursor *local, MPJ_Count most, struct iovec *iov,
                            MPJ_Count *bytes)
{
  const MPJ_Count before = local->offset;
  const size_t n = mpj_cursor_iov(local, iov, SEGMENTS, least(most, CALL_BYTES), bytes);
  mpj_cursor_seek(local, before);
  if (n == SEGMENTS && *bytes < (MPJ_Count)SEGMENTS * SMALL_BLOCK) *bytes = 0;
  return n;
}

MPJ_Count mpj_shm_vm_read(struct mpj_shm *shm, int32_t pid, uint64_t address,
                          struct mpj_cursor *local, MPJ_Count most)
{
  struct iovec iov[SEGMENTS];
  MPJ_Count bytes;
  const size_t n = list_segments(local, most, iov, &bytes);
  if (bytes > 0) {
    const MPJ_Count moved = call(process_vm_readv, pid, address, iov, n, bytes);
    if (moved > 0) mpj_cursor_seek(local, local->offset + moved);
    return moved;
  }
  bytes = least(most, MPJ_SHM_SCRATCH_BYTES);
  iov[0] = (struct iovec){shm->scratch, (size_t)bytes};
  const MPJ_Count moved = call(process_vm_readv, pid, address, iov, 1, bytes);
  if (moved > 0) mpj_cursor_unpack(local, shm->scratch, moved);
  return moved;
}

MPJ_Count mpj_shm_vm_write(struct mpj_shm *shm, int32_t pid, uint64_t address,
                           struct mpj_cursor *local, MPJ_Count most)
{
  struct iovec iov[SEGMENTS];
  MPJ_Count bytes;
  const MPJ_Count before = local->offset;
  const size_t n = list_segments(local, most, iov, &bytes);
  if (bytes > 0) {
    const MPJ_Count moved = call(process_vm_writev, pid, address, iov, n, bytes);
    if (moved > 0) mpj_cursor_seek(local, before + moved);
    return moved;
  }
  bytes = least(most, MPJ_SHM_SCRATCH_BYTES);
  mpj_cursor_pack(local, shm->scratch, bytes);
  iov[0] = (struct iovec){shm->scratch, (size_t)bytes};
  const MPJ_Count moved = call(process_vm_writev, pid, address, iov, 1, bytes);
  mpj_cursor_seek(local, before + (moved > 0 ? moved : 0));
  return moved;
}
