/* This file moves bytes between a local layout and another process's memory, dense or in
 * rows.
 *
 * If that lies in a block that the other shares, one copy does it, past the caches
 * where the whole is large. Else the kernel does:
 * The scatter list stays on the local side, which costs a tenth of a remote one, but for
 * long rows; where the local blocks are smaller than SMALL_BLOCK even that costs more than
 * copying twice, so they pass through a scratch buffer that stays in cache. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "base/stream.h"
#include "net/shm/blocks.h"
#include "net/shm/state.h"

enum { SEGMENTS = 64, SMALL_BLOCK = 512, CALL_BYTES = 4 << 20 };

typedef ssize_t vm_fn(pid_t pid, const struct iovec *local, unsigned long nlocal,
                      const struct iovec *remote, unsigned long nremote, unsigned long flags);

static MPJ_Count least(MPJ_Count a, MPJ_Count b)
{
  return a < b ? a : b;
}

/* The dense stretch that byte `at` of a place begins: where, and at most `most` bytes of it. */
static uint64_t stretch(const struct mpj_shm_place *p, MPJ_Count at, MPJ_Count most,
                        MPJ_Count *bytes)
{
  const MPJ_Count row = p->rows.row;
  *bytes = row == 0 ? most : least(most, row - at % row);
  if (row == 0) return p->address + (uint64_t)at;
  return p->address + (uint64_t)(at / row) * (uint64_t)p->rows.stride + (uint64_t)(at % row);
}

/* List the next stretches of a place; *bytes is their sum. */
static size_t list_place(const struct mpj_shm_place *p, MPJ_Count at, MPJ_Count most,
                         struct iovec *iov, MPJ_Count *bytes)
{
  size_t n = 0;
  MPJ_Count some;
  for (*bytes = 0; n < SEGMENTS && *bytes < most; *bytes += some) {
    const uint64_t address = stretch(p, at + *bytes, most - *bytes, &some);
    iov[n++] = (struct iovec){(void *)(uintptr_t)address, (size_t)some};
  }
  return n;
}

/* One system call. The bytes are those of the local list, and the place's that many. */
static MPJ_Count call(vm_fn *fn, int32_t pid, const struct mpj_shm_place *place, MPJ_Count at,
                      const struct iovec *local, size_t n, MPJ_Count bytes)
{
  struct iovec remote[SEGMENTS];
  const size_t nremote = list_place(place, at, bytes, remote, &bytes);
  const ssize_t moved = fn((pid_t)pid, local, n, remote, nremote, 0);
  if (moved < 0) return -errno;
  return moved == 0 ? -EFAULT : (MPJ_Count)moved;
}

/* List the next segments; *bytes is 0 if they are too small to be worth it. */
static size_t list_segments(struct mpj_cursor *local, MPJ_Count most, struct iovec *iov,
                            MPJ_Count *bytes)
{
  const MPJ_Count before = local->offset;
  const size_t n = mpj_cursor_iov(local, iov, SEGMENTS, most, bytes);
  mpj_cursor_seek(local, before);
  if (n == SEGMENTS && *bytes < (MPJ_Count)SEGMENTS * SMALL_BLOCK) *bytes = 0;
  return n;
}

static int32_t pid_of(struct mpj_shm *shm, int peer)
{
  return atomic_load(&mpj_segment_rank(shm->cells.segment, peer)->pid);
}

/* Whether streaming stores pay between `local` and dense memory. */
static bool goes_past_caches(const struct mpj_cursor *local)
{
  return !local->program && local->bytes >= MPJ_STREAM_LEAST;
}

typedef void copy_fn(struct mpj_cursor *local, void *there, MPJ_Count bytes);

static void copy_in(struct mpj_cursor *local, void *from, MPJ_Count bytes)
{
  if (goes_past_caches(local)) {
    mpj_stream_copy(local->origin + local->offset, from, (size_t)bytes);
    mpj_cursor_seek(local, local->offset + bytes);
  } else {
    mpj_cursor_unpack(local, from, bytes);
  }
}

static void copy_out(struct mpj_cursor *local, void *to, MPJ_Count bytes)
{
  if (goes_past_caches(local)) {
    mpj_stream_copy(to, local->origin + local->offset, (size_t)bytes);
    mpj_cursor_seek(local, local->offset + bytes);
  } else {
    mpj_cursor_pack(local, to, bytes);
  }
}

/* Copy as much as lies in shared blocks; returns how much that is. */
static MPJ_Count copy_shared(struct mpj_shm *shm, int peer, const struct mpj_shm_place *place,
                             MPJ_Count at, struct mpj_cursor *local, MPJ_Count most, copy_fn *copy)
{
  MPJ_Count done = 0, some;
  for (; done < most; done += some) {
    const uint64_t address = stretch(place, at + done, most - done, &some);
    void *shared = mpj_shm_mapped(shm, peer, address, some);
    if (!shared) break;
    copy(local, shared, some);
  }
  return done;
}

/* What one system call is to move at most: what the place's list has room for. */
static MPJ_Count call_most(const struct mpj_shm_place *place, MPJ_Count at, MPJ_Count most)
{
  const MPJ_Count row = place->rows.row;
  return row == 0 || row >= most ? most : least(most, SEGMENTS * row - at % row);
}

MPJ_Count mpj_shm_vm_read(struct mpj_shm *shm, int peer, const struct mpj_shm_place *from,
                          MPJ_Count at, struct mpj_cursor *local, MPJ_Count most)
{
  struct iovec iov[SEGMENTS];
  MPJ_Count bytes = copy_shared(shm, peer, from, at, local, least(most, CALL_BYTES), copy_in);
  if (bytes > 0) return bytes;
  most = call_most(from, at, least(most, CALL_BYTES));
  const int32_t pid = pid_of(shm, peer);
  const size_t n = list_segments(local, most, iov, &bytes);
  if (bytes > 0) {
    const MPJ_Count moved = call(process_vm_readv, pid, from, at, iov, n, bytes);
    if (moved > 0) mpj_cursor_seek(local, local->offset + moved);
    return moved;
  }
  bytes = least(most, MPJ_SHM_SCRATCH_BYTES);
  iov[0] = (struct iovec){shm->scratch, (size_t)bytes};
  const MPJ_Count moved = call(process_vm_readv, pid, from, at, iov, 1, bytes);
  if (moved > 0) mpj_cursor_unpack(local, shm->scratch, moved);
  return moved;
}

MPJ_Count mpj_shm_vm_write(struct mpj_shm *shm, int peer, const struct mpj_shm_place *to,
                           MPJ_Count at, struct mpj_cursor *local, MPJ_Count most)
{
  struct iovec iov[SEGMENTS];
  MPJ_Count bytes = copy_shared(shm, peer, to, at, local, least(most, CALL_BYTES), copy_out);
  if (bytes > 0) return bytes;
  most = call_most(to, at, least(most, CALL_BYTES));
  const int32_t pid = pid_of(shm, peer);
  const MPJ_Count before = local->offset;
  const size_t n = list_segments(local, most, iov, &bytes);
  if (bytes > 0) {
    const MPJ_Count moved = call(process_vm_writev, pid, to, at, iov, n, bytes);
    if (moved > 0) mpj_cursor_seek(local, before + moved);
    return moved;
  }
  bytes = least(most, MPJ_SHM_SCRATCH_BYTES);
  mpj_cursor_pack(local, shm->scratch, bytes);
  iov[0] = (struct iovec){shm->scratch, (size_t)bytes};
  const MPJ_Count moved = call(process_vm_writev, pid, to, at, iov, 1, bytes);
  mpj_cursor_seek(local, before + (moved > 0 ? moved : 0));
  return moved;
}
