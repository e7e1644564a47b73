/* This header declares a file that appears complete or not at all: its bytes
 * go to a temporary file in the same folder, which takes the final name last. */
#ifndef EXAMPLES_ATOMIC_FILE_H
#define EXAMPLES_ATOMIC_FILE_H

#include <limits.h>
#include <stddef.h>

struct atomic_file {
  int fd;
  char path[PATH_MAX];
  char temporary[PATH_MAX];
};

/* Begin the file that shall stand at `path`. On 0, end it with atomic_commit or
 * atomic_abandon. From here on a file size limit is an error of the write: the
 * process ignores SIGXFSZ.
 * Returns 0 or an errno: EINVAL if path exists and is no regular file. */
int atomic_open(struct atomic_file *file, const char *path);

/* Append n bytes. Returns 0 or an errno; the file can then only be abandoned. */
int atomic_write(struct atomic_file *file, const void *bytes, size_t n);

/* Bring the bytes to disk and give the file its name, over an older one.
 * Returns 0, or an errno and then nothing is left behind. */
int atomic_commit(struct atomic_file *file);

/* Leave nothing behind. */
void atomic_abandon(struct atomic_file *file);

#endif
