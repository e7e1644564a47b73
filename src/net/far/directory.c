/* This file keeps the network addresses of a job's ranks in an anonymous file. */
#include "net/far/directory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine/file_limit.h"
#include "base/memory.h"
#include "base/status.h"

/* What is in memory that is shared: a process of this node may have written anything. */
struct shared {
  _Atomic uint64_t taken; /* bytes of addresses that have been given out */
  _Atomic uint64_t entry[];
};

struct mpj_directory {
  struct shared *shared; /* a mapping of `bytes` bytes */
  size_t bytes;
  size_t first; /* where the addresses begin */
};

enum { BYTES_BITS = 16 };

static struct mpj_directory *new_directory(int size)
{
  struct mpj_directory *d = mpj_alloc_array(1, sizeof *d);
  if (!d) return NULL;
  d->first = sizeof(struct shared) + (size_t)size * sizeof(uint64_t);
  d->bytes = d->first + (size_t)size * MPJ_DIRECTORY_ADDRESS_MAX;
  return d;
}

static bool map(struct mpj_directory *d, int fd)
{
  void *memory = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory != MAP_FAILED) d->shared = memory;
  return memory != MAP_FAILED;
}

static int no_memory(int size)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for the addresses of %d ranks: %s", size,
                   strerror(errno));
}

int mpj_directory_create(int size, struct mpj_directory **directory, int *fd)
{
  struct mpj_directory *d = new_directory(size);
  const int file = d ? memfd_create("mpj-directory", MFD_ALLOW_SEALING | MFD_CLOEXEC) : -1;
  if (file >= 0 && fchmod(file, S_IRUSR | S_IWUSR) == 0 && mpj_file_may_have(d->bytes, NULL) &&
      ftruncate(file, (off_t)d->bytes) == 0 &&
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 && map(d, file)) {
    *directory = d;
    *fd = file;
    return MPJ_SUCCESS;
  }
  const int status = no_memory(size);
  if (file >= 0) close(file);
  mpj_free(d);
  return status;
}

int mpj_directory_attach(int fd, int size, struct mpj_directory **directory)
{
  struct stat about;
  struct mpj_directory *d = new_directory(size);
  if (!d) return no_memory(size);
  int status = MPJ_SUCCESS;
  if (fstat(fd, &about) != 0 || about.st_size != (off_t)d->bytes)
    status = mpj_error(MPJ_ERR_FORMAT, "the node's directory is not one of %d ranks", size);
  else if (!map(d, fd))
    status = no_memory(size);
  if (status == MPJ_SUCCESS)
    *directory = d;
  else
    mpj_free(d);
  return status;
}

void mpj_directory_detach(struct mpj_directory *d)
{
  if (d) munmap(d->shared, d->bytes);
  mpj_free(d);
}

void mpj_directory_enter(struct mpj_directory *d, int rank, const void *address, size_t bytes)
{
  assert(bytes > 0 && bytes <= MPJ_DIRECTORY_ADDRESS_MAX);
  const uint64_t at = d->first + atomic_fetch_add(&d->shared->taken, (bytes + 7) / 8 * 8);
  if (at > d->bytes || bytes > d->bytes - at) return;
  memcpy((unsigned char *)d->shared + at, address, bytes);
  atomic_store_explicit(&d->shared->entry[rank], at << BYTES_BITS | bytes, memory_order_release);
}

const void *mpj_directory_find(const struct mpj_directory *d, int rank, size_t *bytes)
{
  const uint64_t entry = atomic_load_explicit(&d->shared->entry[rank], memory_order_acquire);
  const uint64_t at = entry >> BYTES_BITS, n = entry & ((1u << BYTES_BITS) - 1);
  if (n == 0 || n > MPJ_DIRECTORY_ADDRESS_MAX || at > d->bytes || n > d->bytes - at) return NULL;
  *bytes = (size_t)n;
  return (const unsigned char *)d->shared + at;
}
