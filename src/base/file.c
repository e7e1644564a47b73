/* This file reads small files. */
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { FILE_MOST = 1 << 20 };

/* Bytes to ask for, one more than there should be: files of the kernel do not say how long they
 * are. */
static size_t room_for(int file)
{
  struct stat about;
  const bool said = fstat(file, &about) == 0 && about.st_size > 0 && about.st_size < FILE_MOST;
  return (said ? (size_t)about.st_size : FILE_MOST) + 1;
}

bool mpj_file_read(const char *path, char **text)
{
  *text = NULL;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const size_t room = room_for(file);
  char *all = mpj_alloc(room + 1);
  size_t n = 0;
  ssize_t got = all ? 1 : -1;
  while (got > 0 && n < room) {
    got = read(file, all + n, room - n);
    if (got > 0) n += (size_t)got;
  }
  close(file);
  if (got != 0) {
    mpj_free(all);
    return false;
  }
  all[n] = '\0';
  *text = all;
  return true;
}
