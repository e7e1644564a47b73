/* This file reads small files. */
#include "base/file.h"

#include <stdio.h>

#include "base/memory.h"

enum { FILE_MOST = 1 << 20 };

bool mpj_file_read(const char *path, char **text)
{
  *text = NULL;
  FILE *f = fopen(path, "re");
  if (!f) return false;
  char *read = mpj_alloc(FILE_MOST + 1);
  const size_t n = read ? fread(read, 1, FILE_MOST + 1, f) : 0;
  const bool whole = read && !ferror(f) && n <= FILE_MOST;
  fclose(f);
  if (!whole) {
    mpj_free(read);
    return false;
  }
  read[n] = '\0';
  *text = read;
  return true;
}
