/* This file reads small files. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { FILE_MOST = 1 << 20 };

/* Bytes to ask for, one more than there should be: files of the kernel do not say how long they
 * are. */
static size_t room_for(const struct stat *about)
{
  const bool said = about->st_size > 0 && about->st_size < FILE_MOST;
  return (said ? (size_t)about->st_size : FILE_MOST) + 1;
}

/* Whether fewer than `room` bytes came to the end of the file; else errno says why not. */
static bool read_all(int file, char *text, size_t room, size_t *n)
{
  for (*n = 0; *n < room;) {
    const ssize_t got = read(file, text + *n, room - *n);
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return false;
    if (got > 0) *n += (size_t)got;
  }
  errno = EFBIG;
  return false;
}

/* The text of an open file; NULL: errno says why not. */
static char *text_of(int file)
{
  struct stat about;
  size_t n;
  if (fstat(file, &about) != 0) return NULL;
  if (!S_ISREG(about.st_mode)) {
    errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    return NULL;
  }
  const size_t room = room_for(&about);
  char *text = mpj_alloc(room + 1);
  if (!text) {
    errno = ENOMEM;
  } else if (read_all(file, text, room, &n)) {
    text[n] = '\0';
    return text;
  }
  const int error = errno;
  mpj_free(text);
  errno = error;
  return NULL;
}

/* What is no file is not waited for: a FIFO whose writer is missing, a terminal. */
bool mpj_file_read(const char *path, char **text)
{
  *text = NULL;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return false;
  *text = text_of(file);
  const int error = errno;
  close(file);
  errno = error;
  return *text != NULL;
}

bool mpj_file_say_unread(char *why, size_t size)
{
  snprintf(why, size, "it cannot be read: %s",
           errno == EINVAL ? "it is no regular file" : strerror(errno));
  return false;
}
