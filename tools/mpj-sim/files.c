/* This file opens and closes what is written. */
#include "files.h"

#include <errno.h>
#include <string.h>

static void say(const struct file *file, const char *what)
{
  fprintf(stderr, "mpj-sim: --%s: %s %s: %s\n", file->option, file->path, what, strerror(errno));
}

bool files_open(struct file files[], int n)
{
  for (int i = 0; i < n; i++) {
    files[i].f = files[i].path ? fopen(files[i].path, "w") : NULL;
    if (!files[i].path || files[i].f) continue;
    say(&files[i], "cannot be written");
    files_close(files, i);
    return false;
  }
  return true;
}

bool files_close(struct file files[], int n)
{
  bool good = true;
  for (int i = 0; i < n; i++) {
    if (!files[i].f) continue;
    const bool whole = ferror(files[i].f) == 0;
    const bool closed = fclose(files[i].f) == 0;
    files[i].f = NULL;
    if (whole && closed) continue;
    say(&files[i], "has not been written whole");
    good = false;
  }
  return good;
}
