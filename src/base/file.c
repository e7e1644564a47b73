/* This file reads small files. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { FILE_MOST = 1 << 20 };

/* Whether n bytes or fewer came to the end of the file; else errno says why not. */
static bool read_all(int file, char *text, size_t most, size_t *n)
{
  for (*n = 0; *n <= most;) {
    const ssize_t got = read(file, text + *n, most + 1 - *n);
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return false;
    if (got > 0) *n += (size_t)got;
  }
  errno = EFBIG;
  return false;
}

/* What is no file is not waited for: a FIFO whose writer is missing, a terminal. */
bool mpj_file_read(const char *path, char **text)
{
  struct stat status;
  size_t n = 0;
  *text = NULL;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return false;
  char *read = NULL;
  int error = 0;
  if (fstat(file, &status) != 0)
    error = errno;
  else if (!S_ISREG(status.st_mode))
    error = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  else if (!(read = mpj_alloc(FILE_MOST + 1)))
    error = ENOMEM;
  else if (!read_all(file, read, FILE_MOST, &n))
    error = errno;
  close(file);
  if (error) {
    mpj_free(read);
    errno = error;
    return false;
  }
  read[n] = '\0';
  *text = read;
  return true;
}
