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

#include "base/least.h"
#include "base/stream.h"
#include "net/shm/blocks.h"
#include "net/shm/state.h"

enum { SEGMENTS = 64, SMALL_BLOCK = 512, CALL_BYTES = 4 << 20 };

typedef ssize_t vm_fn(pid_t pid, const struct iovec *local, unsigned long nlocal,
                      const struct iovec *remote, unsigned long nremote, unsigned long flags);

/* The dense stretch that byte `at` of a place begins: where, and at most `most` bytes of it. */
static uint64_t stretch(const struct mpj_place *p, MPJ_Count at, MPJ_Count most, MPJ_Count *bytes)
{
  const MPJ_Count row = p->rows.row;
  *bytes = row == 0 ? most : mpj_least(most, row - at % row);
  if (row == 0) return p->address + (uint64_t)at;
  return p->address + (uint64_t)(at / row) * (uint64_t)p->rows.stride + (uint64_t)(at % row);
}

/* List the next stretches of a place; *bytes is their sum. */
static size_t list_place(const struct mpj_place *p, MPJ_Count at, MPJ_Count most, struct iovec *iov,
                         MPJ_Count *bytes)
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
static MPJ_Count call(vm_fn *fn, int32_t pid, const struct mpj_place *place, MPJ_Count at,
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

/* The scratch buffer is read next: it stays in cache. */
static void copy_to_scratch(struct mpj_cursor *scratch, void *from, MPJ_Count bytes)
{
  mpj_cursor_unpack(scratch, from, bytes);
}

/* The ways to move data in one direction. */
struct direction {
  vm_fn *call;
  copy_fn *copy; /* from, to, a dense stretch in a shared block */
  copy_fn *copy_scratch;
  void (*copy_rows)(struct mpj_cursor *local, char *origin, const struct mpj_rows *rows,
                    MPJ_Count at, MPJ_Count bytes);
};
static const struct direction reading = {process_vm_readv, copy_in, copy_to_scratch,
                                         mpj_cursor_from_rows};
static const struct direction writing = {process_vm_writev, copy_out, copy_out, mpj_cursor_to_rows};

/* Copy as much as lies in shared blocks; returns how much that is. */
static MPJ_Count copy_shared(struct mpj_shm *shm, int peer, const struct mpj_place *place,
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

/* Where this process sees the first `bytes` bytes of rows, if all of that is one shared block. */
static char *mapped_rows(struct mpj_shm *shm, int peer, const struct mpj_place *place,
                         MPJ_Count bytes)
{
  const struct mpj_rows *rows = &place->rows;
  MPJ_Count span;
  if (rows->stride < rows->row) return NULL;
  if (__builtin_mul_overflow((bytes - 1) / rows->row, rows->stride, &span) ||
      __builtin_add_overflow(span, rows->row, &span))
    return NULL;
  return mpj_shm_mapped(shm, peer, place->address, span);
}

/* Copy whole rows of a shared block at once, from layout to layout; 0 where that cannot be. */
static MPJ_Count copy_rows(struct mpj_shm *shm, const struct direction *d, int peer,
                           const struct mpj_place *place, MPJ_Count at, struct mpj_cursor *local,
                           MPJ_Count most)
{
  const MPJ_Count row = place->rows.row;
  if (row == 0 || row > most || at % row != 0) return 0;
  char *origin = mapped_rows(shm, peer, place, at + most);
  most -= most % row;
  if (origin) d->copy_rows(local, origin, &place->rows, at, most);
  return origin ? most : 0;
}

/* What one system call is to move at most: what the place's list has room for. */
static MPJ_Count call_most(const struct mpj_place *place, MPJ_Count at, MPJ_Count most)
{
  const MPJ_Count row = place->rows.row;
  return row == 0 || row >= most ? most : mpj_least(most, SEGMENTS * row - at % row);
}

/* Move `bytes` bytes between the scratch buffer and a place; `like` is the layout for which. */
static MPJ_Count move_scratch(struct mpj_shm *shm, const struct direction *d, int peer,
                              const struct mpj_place *place, MPJ_Count at, MPJ_Count bytes,
                              const struct mpj_cursor *like)
{
  struct mpj_cursor dense = {.bytes = like->bytes, .origin = (char *)shm->scratch};
  const struct iovec iov = {shm->scratch, (size_t)bytes};
  const MPJ_Count moved = copy_shared(shm, peer, place, at, &dense, bytes, d->copy_scratch);
  return moved > 0 ? moved : call(d->call, pid_of(shm, peer), place, at, &iov, 1, bytes);
}

/* Move what needs no scratch buffer: a copy, else a call; 0 where it needs one, and how much at
 * most in *most. */
static MPJ_Count move_straight(struct mpj_shm *shm, const struct direction *d, int peer,
                               const struct mpj_place *place, MPJ_Count at,
                               struct mpj_cursor *local, MPJ_Count *most)
{
  struct iovec iov[SEGMENTS];
  const MPJ_Count copied_most = mpj_least(*most, CALL_BYTES);
  MPJ_Count bytes, copied;
  *most = call_most(place, at, copied_most);
  const size_t n = list_segments(local, *most, iov, &bytes);
  if (bytes > 0 || place->rows.row == 0)
    copied = copy_shared(shm, peer, place, at, local, copied_most, d->copy);
  else
    copied = copy_rows(shm, d, peer, place, at, local, copied_most);
  if (copied > 0) return copied;
  *most = mpj_least(*most, MPJ_SHM_SCRATCH_BYTES);
  if (bytes == 0) return 0;
  const MPJ_Count moved = call(d->call, pid_of(shm, peer), place, at, iov, n, bytes);
  if (moved > 0) mpj_cursor_seek(local, local->offset + moved);
  return moved;
}

MPJ_Count mpj_shm_vm_read(struct mpj_shm *shm, int peer, const struct mpj_place *from, MPJ_Count at,
                          struct mpj_cursor *local, MPJ_Count most)
{
  MPJ_Count moved = move_straight(shm, &reading, peer, from, at, local, &most);
  if (moved != 0) return moved;
  moved = move_scratch(shm, &reading, peer, from, at, most, local);
  if (moved > 0) mpj_cursor_unpack(local, shm->scratch, moved);
  return moved;
}

MPJ_Count mpj_shm_vm_write(struct mpj_shm *shm, int peer, const struct mpj_place *to, MPJ_Count at,
                           struct mpj_cursor *local, MPJ_Count most)
{
  MPJ_Count moved = move_straight(shm, &writing, peer, to, at, local, &most);
  if (moved != 0) return moved;
  const MPJ_Count before = local->offset;
  mpj_cursor_pack(local, shm->scratch, most);
  moved = move_scratch(shm, &writing, peer, to, at, most, local);
  mpj_cursor_seek(local, before + (moved > 0 ? moved : 0));
  return moved;
}
