/* This file makes the shared segment of a job as an anonymous file. */
#include "net/shm/create.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine/file_limit.h"
#include "base/machine/measured_find.h"
#include "base/status.h"

/* What the ranks go by that is known of this machine. */
static void note_measured(struct mpj_segment_config *config)
{
  struct mpj_measured m;
  struct mpj_measured_source source;
  mpj_measured_find(&m, &source);
  if (source.wrong)
    mpj_warn("the machine's file %s is not used: %s; going by the defaults", source.path,
             source.why);
  mpj_measured_rows(&m, config->streams);
  memcpy(config->rules, m.rules, sizeof config->rules);
}

int mpj_shm_create(int nranks, int *fd, struct mpj_segment **segment)
{
  if (nranks < 1) return mpj_error(MPJ_ERR_ARG, "nranks is %d, must be 1 or more", nranks);
  struct mpj_segment_config config = mpj_segment_config_for(nranks, true);
  if (nranks > 1) note_measured(&config);
  const size_t bytes = mpj_segment_bytes(&config);
  const int file = memfd_create("mpj-segment", 0);
  if (file < 0)
    return mpj_error(MPJ_ERR_NO_MEM, "no shared segment for %d ranks: %s", nranks, strerror(errno));
  void *memory = MAP_FAILED;
  if (mpj_file_may_have(bytes, NULL) && fchmod(file, S_IRUSR | S_IWUSR) == 0 &&
      ftruncate(file, (off_t)bytes) == 0)
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    const int reason = errno;
    close(file);
    return mpj_error(MPJ_ERR_NO_MEM, "no shared segment of %zu bytes for %d ranks: %s", bytes,
                     nranks, strerror(reason));
  }
  mpj_segment_format(memory, &config);
  *fd = file;
  *segment = memory;
  return MPJ_SUCCESS;
}

int mpj_shm_find(int pid, int there, int *fd)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, there);
  const int found = open(path, O_RDWR | O_CLOEXEC);
  if (found < 0)
    return mpj_error(MPJ_ERR_PEER, "the segment of process %d on this node cannot be opened: %s",
                     pid, strerror(errno));
  *fd = found;
  return MPJ_SUCCESS;
}

void mpj_shm_unmap(struct mpj_segment *segment)
{
  munmap(segment, (size_t)segment->bytes);
}

void mpj_shm_discard(int fd, struct mpj_segment *segment)
{
  mpj_shm_unmap(segment);
  close(fd);
}
