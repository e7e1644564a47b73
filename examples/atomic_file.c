/* This file writes a file that appears complete or not at all. */
#include "atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_NAMES = 100, WRITE_MAX = 1 << 30 };

/* Renaming over a device or a folder would destroy it or fail late. */
static int check_target(const char *path)
{
  struct stat st;
  if (stat(path, &st) != 0) return errno == ENOENT ? 0 : errno;
  return S_ISREG(st.st_mode) ? 0 : EINVAL;
}

/* Create a file whose name nobody has, with the permissions that umask says. */
static int create_temporary(struct atomic_file *file)
{
  for (int i = 0; i < MAX_NAMES; i++) {
    int n = snprintf(file->temporary, sizeof file->temporary, "%s.%ld.%d.tmp", file->path,
                     (long)getpid(), i);
    if (n < 0 || (size_t)n >= sizeof file->temporary) return ENAMETOOLONG;
    file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd >= 0) return 0;
    if (errno != EEXIST) return errno;
  }
  return EEXIST;
}

int atomic_open(struct atomic_file *file, const char *path)
{
  file->fd = -1;
  int n = snprintf(file->path, sizeof file->path, "%s", path);
  if (n < 0 || (size_t)n >= sizeof file->path) return ENAMETOOLONG;
  int err = check_target(path);
  if (err != 0) return err;
  signal(SIGXFSZ, SIG_IGN);
  return create_temporary(file);
}

int atomic_write(struct atomic_file *file, const void *bytes, size_t n)
{
  const char *at = bytes;
  while (n > 0) {
    ssize_t wrote = write(file->fd, at, n < WRITE_MAX ? n : WRITE_MAX);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    at += wrote;
    n -= (size_t)wrote;
  }
  return 0;
}

int atomic_commit(struct atomic_file *file)
{
  int err = fsync(file->fd) == 0 ? 0 : errno;
  if (close(file->fd) != 0 && err == 0) err = errno;
  file->fd = -1;
  if (err == 0 && rename(file->temporary, file->path) != 0) err = errno;
  if (err != 0) unlink(file->temporary);
  return err;
}

void atomic_abandon(struct atomic_file *file)
{
  if (file->fd < 0) return;
  close(file->fd);
  file->fd = -1;
  unlink(file->temporary);
}
